"""Run numbered tasks in this process, in worker processes, or on a Dask cluster."""
