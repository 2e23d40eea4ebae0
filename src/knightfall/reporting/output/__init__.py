"""A report as an HTML page, as Markdown or as PDF."""
