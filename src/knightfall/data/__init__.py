"""Data that comes with the package: books, solved openings, test positions."""
