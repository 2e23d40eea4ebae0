"""The sections of the report of one tournament, one to a file."""
