"""Reports on experiments, replications and studies: one document, rendered as HTML or Markdown."""
