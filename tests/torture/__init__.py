"""The torture suite: random faults, provoked many times and counted.

Each module of this package provokes one kind of fault. It has

- ``TITLE``: the fault, for the table;
- ``PROMISE``: what must hold after every try, for the table;
- ``FULL`` and ``REDUCED``: the number of tries of `make torture` and `make test-all`;
- ``torture(tries, chance, folder)``: makes the tries in a temporary folder and returns a line for each broken
  promise.

`make torture` prints the table that is shown in docs/reliability.md.
"""
