"""Tune the parameters of a heuristic for accuracy, and check the result on positions that tuning has not used."""

from __future__ import annotations

import knightfall as kf


def main() -> None:
    """Tune `reach(k=?)`, then compare the best setting with the default in games."""
    study = kf.tune("reach(k=?)", seed=1)
    for trial in study.trials:
        print(trial.setting, "keeps", trial.value, "of wins")

    assert study.best is not None
    assert study.confirmation is not None
    print("best setting:", study.best.setting)
    print("on positions that tuning has not used:", study.confirmation.word)

    # Accuracy is not everything: does the best setting also win more games?
    setting = ", ".join(f"{name}={value}" for name, value in study.best.setting.items())
    best = f"reach({setting})"
    results = kf.tournament([best], ["AB_Open", "AB_Improved"], baseline="reach", pairs=40, nodes=500, seed=1)
    print(results.verdicts[0].sentence)


if __name__ == "__main__":
    main()
