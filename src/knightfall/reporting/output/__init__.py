"""A report written as a page, as Markdown or as a PDF."""
