"""The work of the commands, one module for each. They are imported when a command runs, not for its help."""
