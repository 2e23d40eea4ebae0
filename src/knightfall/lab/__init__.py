"""The laboratory: papers put to the test, heuristics graded against exact truth, tuning, and games reviewed."""
