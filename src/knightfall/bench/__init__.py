"""The speed of the engine: hot paths compared with plain Python and with C, as ratios in one run.

Machines differ and are noisy, so absolute times mean little. The compared programs run alternately, and each ratio is
between their best runs.
"""
