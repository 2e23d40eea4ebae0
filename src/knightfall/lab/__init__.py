"""The laboratory: the five reports put to the test, and reports of our own."""
