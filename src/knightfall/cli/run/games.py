"""The work of `knightfall games`: the games of a ledger, listed, shown one by one, and written to files."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from knightfall.arena.game_export import games_csv, games_json, games_parquet, games_text, load_arrow, record
from knightfall.arena.game_list import GameFilter, ListedGame, count_games, find_game, find_games
from knightfall.arena.ledger import Experiment, Ledger, LedgerError
from knightfall.cli.common import fitted, warn
from knightfall.cli.json_output import print_json, print_object
from knightfall.cli.layout import Page, clipped
from knightfall.cli.live import Ticker
from knightfall.cli.options import EXPORT_SUFFIXES
from knightfall.cli.run.experiments import open_ledger
from knightfall.cli.run.outputs import check_outputs, write_bytes, write_file
from knightfall.cli.run.replay import Replay
from knightfall.cli.run.scores import side
from knightfall.rules import REASONS, KnightfallError, Position
from knightfall.rules.formatting import plural
from knightfall.rules.game_json import to_object

ALL = "all"

_GAME = re.compile("([0-9]{1,18})/([0-9]{1,18})/([12])")
_NUMBER = re.compile("[0-9]{1,18}")
_NAMED = 10  # maximum number of players in a message


def games(
    game: str | None,
    db: Path,
    experiment: str | None,
    player: str | None,
    against: str | None,
    won_by: str | None,
    lost_by: str | None,
    reason: str | None,
    opening: str | None,
    longer: int | None,
    shorter: int | None,
    limit: int | None,
    export: Path | None,
    svg: Path | None,
    ascii: bool,
    json: bool,
) -> None:
    """Run `knightfall games`."""
    names = {"--player": player, "--against": against, "--won-by": won_by, "--lost-by": lost_by}
    others = {"--experiment": experiment, "--reason": reason, "--opening": opening, "--limit": limit}
    others |= {"--longer": longer, "--shorter": shorter}
    if export is not None:
        _check_export(export)
    check_outputs(svg)
    if game is not None:
        for option, value in (names | others).items():
            if value is not None:
                raise KnightfallError(f"{option} is for lists: it goes without the game {game!r}")
        numbers = _numbers(game)
        with open_ledger(db) as ledger:
            _show(ledger, numbers, export, svg, ascii, json)
        return
    if svg is not None:
        raise KnightfallError("--svg goes with one game, as in 3/17/1")
    reason, opening = _reason(reason), _opening(opening)
    number = _experiment(experiment)
    with open_ledger(db) as ledger:
        scope = _scope(ledger, number)
        for option, name in names.items():
            _check_name(ledger, scope, option, name)
        one = scope[0].id if len(scope) == 1 else None
        wanted = GameFilter(
            experiment=one,
            player=player,
            against=against,
            won_by=won_by,
            lost_by=lost_by,
            reason=reason,
            opening=opening,
            longer=longer,
            shorter=shorter,
        )
        _list(ledger, scope, wanted, limit, export, json)


# --- the request


def _check_export(path: Path) -> None:
    """Raise an error before anything is read if the file cannot be written."""
    if path.suffix.lower() not in EXPORT_SUFFIXES:
        known = f"{', '.join(EXPORT_SUFFIXES[:-1])} or {EXPORT_SUFFIXES[-1]}"
        raise KnightfallError(f"--export: {path}: the name of the file must end in {known}")
    check_outputs(path)
    if path.suffix.lower() == ".parquet":
        load_arrow()


def _numbers(text: str) -> tuple[int, int, int]:
    """Parse the id of a game: its experiment, pair and game number."""
    match = _GAME.fullmatch(text)
    if match is None:
        raise KnightfallError(f"{text!r} is no game: EXPERIMENT/PAIR/GAME is expected, the last being 1 or 2: 3/17/1")
    return int(match[1]), int(match[2]), int(match[3])


def _reason(text: str | None) -> str | None:
    if text is None or text in REASONS:
        return text
    raise KnightfallError(f"--reason: no game ends by {text!r}{_hint(text, REASONS)}")


def _opening(text: str | None) -> str | None:
    """Return the opening as the ledger writes it."""
    try:
        return None if text is None else Position.from_fen(text).fen()
    except KnightfallError as error:
        raise KnightfallError(f"--opening: {error}") from None


def _experiment(text: str | None) -> int | str | None:
    """Return the number of an experiment, "all", or None for the last one."""
    if text is None or text == ALL:
        return text
    if not _NUMBER.fullmatch(text):
        raise KnightfallError(f"--experiment: the number of an experiment, or {ALL}, is expected, not {text!r}")
    return int(text)


def _scope(ledger: Ledger, wanted: int | str | None) -> list[Experiment]:
    """Return the experiments whose games are searched."""
    if isinstance(wanted, int):
        return [ledger.experiment(wanted)]
    if wanted == ALL:
        return ledger.experiments()
    last = ledger.last()
    return [] if last is None else [last]


def _check_name(ledger: Ledger, scope: list[Experiment], option: str, name: str | None) -> None:
    """Raise an error if a player is not found."""
    known = _players(scope)
    if name is None or name in known or not known:
        return
    elsewhere = [str(experiment.id) for experiment in ledger.experiments() if name in _players([experiment])]
    hint = f"; it plays in experiment {', '.join(elsewhere)}" if elsewhere else _hint(name, known)
    raise KnightfallError(f"{option}: nobody is called {name!r} in {_where(ledger, scope)}{hint}")


def _players(scope: list[Experiment]) -> list[str]:
    """Return all players of the plans."""
    told = [experiment.configuration for experiment in scope]
    return list(dict.fromkeys(name for plan in told for name in (*plan["candidates"], *plan["opponents"])))


def _hint(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, n=1)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; there is {', '.join(known[:_NAMED])}{' ...' if len(known) > _NAMED else ''}"


def _where(ledger: Ledger, scope: list[Experiment]) -> str:
    return f"experiment {scope[0].id} of {ledger.path}" if len(scope) == 1 else str(ledger.path)


def _warn_of_damage(ledger: Ledger, scope: list[Experiment]) -> None:
    """Warn about experiments whose pairs do not match their plans. Their games are listed nevertheless."""
    for experiment in scope:
        try:
            ledger.plan(experiment)
        except LedgerError as error:
            warn(str(error))


# --- many games


def _list(
    ledger: Ledger, scope: list[Experiment], wanted: GameFilter, limit: int | None, export: Path | None, json: bool
) -> None:
    _warn_of_damage(ledger, scope)
    all_of_them = count_games(ledger, wanted)
    total = all_of_them if limit is None else min(limit, all_of_them)
    if export is not None:
        _write(export, find_games(ledger, wanted, total), total)
    damaged = 0

    def skip(problem: str) -> None:
        nonlocal damaged
        damaged += 1
        sys.stdout.flush()
        warn(f"{problem}; skipped")

    sound = {experiment.id for experiment in scope}

    def of_sound_experiments() -> Iterator[ListedGame]:
        """Yield games of undamaged experiments. For the others, a warning was printed before."""
        nonlocal damaged
        for game in find_games(ledger, wanted, total, skip=skip):
            if game.experiment in sound:
                yield game
            else:
                damaged += 1

    found = of_sound_experiments()
    if json:
        print_json("games", {"games": [game.facts() for game in found]})
        return
    if not all_of_them:
        print(f"no game found in {_where(ledger, scope)}")
    elif export is None:
        _print_table(found, max((len(name) for name in _players(scope)), default=0))
        shown = total - damaged
        print(plural(shown, "game") if shown == all_of_them else f"{shown:,} of {plural(all_of_them, 'game')}")
    if export is not None:
        print(f"{plural(total, 'game')} written to {export}")


def _print_table(games: Iterable[ListedGame], width: int) -> None:
    width = max(width, len("second"))
    page = Page.of(sys.stdout)
    if page is not None:
        # Games are printed one by one, and there may be many. Rows that do not fit are clipped, names first.
        width = max(min(width, (page.width - 39) // 2), len("second"))
    print(fitted(f"{'game':10}  {'first':{width}}  {'second':{width}}  winner  {'reason':8}  moves", sys.stdout))
    for game in games:
        row = game.row
        first, second = (clipped(name, width) if page is not None else name for name in (row.first, row.second))
        line = f"{game.id:10}  {first:{width}}  {second:{width}}  {side(row.winner):6}  {row.reason:8}"
        print(fitted(f"{line}  {game.moves:5}", sys.stdout))


def _write(path: Path, games: Iterable[ListedGame], total: int) -> None:
    """Write games to a file, in the format given by its suffix."""
    done = 0

    def counted() -> Iterator[ListedGame]:
        nonlocal done
        for game in games:
            yield game
            done += 1

    writers = {".txt": games_text, ".json": games_json, ".csv": games_csv}
    suffix = path.suffix.lower()
    with Ticker(lambda: f"{done:,} of {plural(total, 'game')}"):
        content = games_parquet(counted()) if suffix == ".parquet" else writers[suffix](counted())
    if isinstance(content, str):
        write_file(path, content)
    else:
        write_bytes(path, content)


# --- one game


def _show(
    ledger: Ledger, numbers: tuple[int, int, int], export: Path | None, svg: Path | None, ascii: bool, json: bool
) -> None:
    found = find_game(ledger, *numbers)
    game = record(found)
    _warn_of_damage(ledger, [ledger.experiment(found.experiment)])
    if svg is not None:
        write_file(svg, game.final.svg(last_move=game.moves[-1] if game.moves else None))
    if export is not None and export.suffix.lower() == ".json":
        write_file(export, game.to_json(indent=2) + "\n")  # no list, so that `knightfall play --load` can read it
    elif export is not None:
        _write(export, [found], 1)
    if json:
        print_object(to_object(game))
        return
    identities = ledger.experiment(found.experiment).configuration["identities"]
    kinds = [identities.get(name, "").partition("(")[0] for name in game.players]
    print(f"game {found.id}, first: {found.row.first}, second: {found.row.second}")
    print(f"opening: {found.opening}")
    replay = Replay(game, (kinds[0], kinds[1]), ascii)
    replay.run()
    replay.stop()
    if found.row.message:
        print(found.row.message)
    if export is not None:
        print(f"1 game written to {export}")
    if svg is not None:
        print(f"picture written to {svg}")
