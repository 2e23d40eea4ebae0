"""Numbered tasks done by this process, by worker processes, or by a Dask cluster."""
