"""The written report of an experiment or of a replication: put together once, told as a page or as Markdown."""
