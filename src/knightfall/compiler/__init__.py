"""From the source of a Python function to machine code, or to the interpreted board where it does not compile."""
