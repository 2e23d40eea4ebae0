"""Replication of the five published reports: their tournaments played again, and verdicts on their claims."""
