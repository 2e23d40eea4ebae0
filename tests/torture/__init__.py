"""The torture suite: faults that are provoked at random, many times, and counted.

Each module of this package provokes one kind of fault. It has

- ``TITLE``: what is provoked, for the table;
- ``PROMISE``: what must hold after every try, for the table;
- ``FULL`` and ``REDUCED``: how many tries `make torture` and `make test-all` make;
- ``torture(tries, chance, folder)``: makes the tries in a temporary folder and returns a line for each broken promise.

`make torture` prints the table that is shown in docs/reliability.md.
"""
