"""How fast the engine is: hot paths against plain Python and against C, as ratios taken in one run.

Machines are noisy and differ, so absolute times mean little. What is compared runs alternately, and each ratio is
between the best runs of the two.
"""
