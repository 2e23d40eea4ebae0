"""The five published papers put to the test: their tournaments played again, their claims answered."""
