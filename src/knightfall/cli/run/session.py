"""A game session in the terminal."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path

from knightfall.agents.agent import Agent
from knightfall.agents.analysis import ANALYST, Truth, find_truth
from knightfall.agents.choice import Analysis, Choice
from knightfall.agents.match import move_data
from knightfall.cli.common import AgentFailure, fitted, prose
from knightfall.cli.layout import Page
from knightfall.cli.live import LiveLine, follow
from knightfall.cli.options import EXACT_MS
from knightfall.cli.run.agent_texts import read_agent
from knightfall.cli.run.analyze import SOURCES, describe
from knightfall.cli.run.board import draw
from knightfall.cli.run.compiling import Preparation
from knightfall.cli.run.outputs import write_file
from knightfall.cli.run.scores import labels, proven, score_words, side, verdict
from knightfall.native.solve.solver import Solver
from knightfall.rules import Game, KnightfallError, MoveData, Position
from knightfall.rules.formatting import plural
from knightfall.rules.game_text import round_lines

HELP = """\
d4         go to that square          moves      list the squares you can go to
hint       ask for the best move      score      ask who is ahead
undo       take your last move back   resign     give the game up
save FILE  write the game to a file   quit       stop, without an end to the game"""

_SOLVER_MEMORY = 2**28
_SHORT_ROW = 35  # characters of a row in the table of moves, up to the depth


class GameSession:
    """Shows the board, asks the players for moves and keeps the record."""

    def __init__(
        self,
        game: Game,
        agents: tuple[Agent | None, Agent | None],
        analyst: str,
        save: Path | None,
        ascii: bool,
        quiet: bool,
    ) -> None:
        self.game = game
        self.agents = agents
        self.analyst_text = analyst
        self.analyst: Agent | None = None
        self.solver: Solver | None = None
        self.save = save
        self.ascii = ascii
        # With --json, standard output is only for the result.
        self.out = sys.stderr if quiet else sys.stdout
        self.preparation: Preparation | None = None
        self.has_human = game.outcome is None and None in agents
        # Random players have no scores, so their moves are printed two to a line.
        tells = any(agent is not None and agent.kind != "random" for agent in agents)
        self.has_rows = not self.has_human and (tells or any(data.score is not None for data in game.data))

    def say(self, text: str) -> None:
        """Print one or more lines."""
        print(text, file=self.out, flush=True)

    def tell(self, text: str) -> None:
        """Print a sentence; on a terminal it is wrapped between words."""
        self.say(prose(text, stream=self.out))

    def help(self) -> str:
        """Return the possible inputs, in one column if the terminal is narrow."""
        page = Page.of(self.out)
        rows = HELP.splitlines()
        if page is None or max(map(len, rows)) <= page.width:
            return HELP
        return "\n".join(part.rstrip() for at in (slice(0, 38), slice(38, None)) for part in (row[at] for row in rows))

    def label(self, square: int) -> str:
        """Return the label of a square."""
        return self.game.opening.geometry.label(square)

    def is_human(self, player: int) -> bool:
        """Return whether a human moves for this player."""
        return self.has_human and self.agents[player - 1] is None

    def show(self) -> None:
        """Draw the board, with the legal moves of a human marked."""
        final = self.game.final
        # Before placement every empty square is legal, so marking them all would not help.
        dots = final.legal_moves() if self.is_human(final.to_move) and None not in final.locations else ()
        last = self.game.moves[-1] if self.game.moves else None
        self.say(draw(final, self.ascii, stream=self.out, last_move=last, dots=dots))

    def run(self) -> None:
        """Play until the game is over or a human leaves."""
        if self.has_human:
            first, second = self.game.players
            self.tell(f"first: {first}, second: {second}")
            self.say(self.help())
        if self.is_human(self.game.final.to_move):
            self.show()
        self.get_ready()
        if self.has_rows:
            self.show_rows()
        while self.game.outcome is None:
            position = self.game.final
            agent = self.agents[position.to_move - 1]
            if agent is not None:
                self.answer(agent, position)
            elif not self.ask(position):
                return

    def get_ready(self) -> None:
        """Load what the agents need before their first move, or compile it while a human thinks."""
        if self.game.outcome is not None or self.agents == (None, None):
            return
        agents = [agent for agent in self.agents if agent is not None]
        self.preparation = Preparation(agents, self.game.final)
        if not (self.preparation.is_running and self.is_human(self.game.final.to_move)):
            self.preparation.finish()

    def answer(self, agent: Agent, position: Position) -> None:
        """Let an agent make a move, and show it."""
        who = side(position.to_move)
        if self.preparation is not None:
            self.preparation.finish()
        thinking = LiveLine()
        thinking.write(f"{who} is thinking")
        try:
            choice = agent.choose(position)
        except (KnightfallError, MemoryError) as error:
            raise AgentFailure(f"{who} ({agent}): {error}") from None
        finally:
            thinking.clear()
        thought = choice.nodes > 0 or choice.score is not None
        self.game = self.game.play(choice.square, move_data(choice) if thought else MoveData())
        score = score_words(choice.score, choice.ends_in, agent.kind)
        if self.has_rows:
            self.show_row(len(self.game.moves) - 1, score)
        elif self.has_human:
            self.say(f"\n{who} plays {self.label(choice.square)}{_cost(choice, score, agent)}")
            self.show()

    def show_rows(self) -> None:
        """Print the header of the table of moves, and the moves so far."""
        head = f"{'':>4} {'player':6} {'move':5} {'score':>11} {'depth':>5} {'nodes':>12} {'seconds':>8}"
        self.say(self.row(head))
        for index, data in enumerate(self.game.data or (MoveData(),) * len(self.game.moves)):
            self.show_row(index, score_words(data.score, None))

    def show_row(self, index: int, score: str) -> None:
        """Print the data of one move."""
        data = self.game.data[index] if self.game.data else MoveData()
        player = side(self.game.opening.to_move if index % 2 == 0 else 3 - self.game.opening.to_move)
        depth = "-" if data.depth is None else str(data.depth)
        nodes = "-" if data.nodes is None else f"{data.nodes:,}"
        seconds = "-" if data.seconds is None else f"{data.seconds:.3f}"
        move = self.label(self.game.moves[index])
        self.say(self.row(f"{index + 1:4} {player:6} {move:5} {score:>11} {depth:>5} {nodes:>12} {seconds:>8}"))

    def row(self, text: str) -> str:
        """Return a row of the table of moves, without nodes and seconds if the terminal is narrow."""
        page = Page.of(self.out)
        return text if page is None or page.width >= len(text) else text[:_SHORT_ROW].rstrip()

    def ask(self, position: Position) -> bool:
        """Handle one input of a human. Return False if the human leaves the game."""
        began = time.perf_counter()
        print(f"{side(position.to_move)} to move> ", end="", file=self.out, flush=True)
        line = sys.stdin.readline()
        if not sys.stdin.isatty():
            self.say(line.rstrip("\n"))  # a terminal has already echoed it
        elif not line:
            self.say("")
        if not line:
            return False
        words = line.split()
        if not words:
            return True
        verb, rest = words[0].lower(), words[1:]
        try:
            if verb in ("quit", "exit", "q") and not rest:
                return False
            if verb in ("help", "?", "h"):
                self.say(self.help())
            elif verb == "moves" and not rest:
                self.tell(labels(position.geometry, position.legal_moves()))
            elif verb == "hint" and not rest:
                self.hint(position)
            elif verb == "score" and not rest:
                self.score(position)
            elif verb == "undo" and not rest:
                self.undo()
            elif verb == "resign" and not rest:
                self.game = self.game.ended(3 - position.to_move, "resign")
            elif verb == "save":
                self.write(Path(line.split(maxsplit=1)[1].strip()) if rest else self.save)
            elif not rest:
                self.move(verb, round(time.perf_counter() - began, 3))
            else:
                raise KnightfallError(f"{line.strip()!r} is not understood; help lists what is")
        except KnightfallError as error:
            self.tell(str(error))
        except OSError as error:
            self.say(f"not saved: {error.filename}: {error.strerror}")
        return True

    def move(self, label: str, seconds: float) -> None:
        """Make a move of a human."""
        who = self.game.final.to_move
        square = self.game.opening.geometry.parse_label(label)
        self.game = self.game.play(square, MoveData(seconds=seconds))
        # An agent answers at once, and the board is drawn after its move.
        if self.game.outcome is not None or self.is_human(3 - who):
            self.say(f"\n{side(who)} plays {self.label(square)}")
            self.show()

    def think(self, position: Position) -> Analysis:
        """Return the analyst's result at the end of its budget or at Ctrl-C."""
        if self.analyst is None:
            self.analyst = read_agent(self.analyst_text)
        analyst = self.analyst
        followed = follow(analyst.deepen(position), lambda found: describe(found, analyst))
        if followed.error is not None:
            raise followed.error
        if followed.last is None:
            raise KnightfallError("nothing was found yet")
        return followed.last

    def truth(self, position: Position) -> Truth:
        """Return what the solver can prove quickly.

        If the user chose an analyst, return nothing, because its opinion is wanted.
        """
        if self.analyst_text != ANALYST:
            return Truth()
        if self.solver is None:
            self.solver = Solver(position.geometry, memory=_SOLVER_MEMORY)
        return find_truth(position, EXACT_MS, self.solver)

    def hint(self, position: Position) -> None:
        """Print the best move by the solver's proof, otherwise by the analyst."""
        truth = self.truth(position)
        square = truth.best
        if square is not None:
            wins, length = truth.moves[square], truth.distances.get(square)
            soon = "" if length is None else f" in {plural(length, 'move')}"
            told = f"this wins{soon}" if wins else f"this loses{soon}, and every other move loses, too"
            self.tell(f"{self.label(square)}: {told}; that is proven")
            return
        best = (found := self.think(position)).best
        score = score_words(best.score, best.ends_in, self._kind)
        told = (
            f"{self.label(best.square)}: {score}, depth {found.depth}, expecting {labels(position.geometry, best.line)}"
        )
        self.say(fitted(told, self.out))

    def score(self, position: Position) -> None:
        """Print who is ahead by the solver's proof, otherwise by the analyst."""
        truth = self.truth(position)
        if truth.winner is not None:
            self.tell(f"{proven(truth.winner, truth.length)} (solver)")
            return
        found = self.think(position)
        self.tell(f"{verdict(found, self._kind)} ({self.analyst}, depth {found.depth})")

    @property
    def _kind(self) -> str:
        return "" if self.analyst is None else self.analyst.kind

    def undo(self) -> None:
        """Return to the last position in which the asking player was to move."""
        movers = [position.to_move for position in self.game.positions()]
        asking = movers.pop()
        if self.agents == (None, None):
            count = 1 if movers else 0
        else:
            count = next((back for back in range(1, len(movers) + 1) if movers[-back] == asking), 0)
        if count == 0:
            raise KnightfallError("there is no move of yours to take back")
        self.game = self.game.take_back(count)
        self.show()

    def write(self, path: Path | None) -> None:
        """Save the game."""
        if path is None:
            raise KnightfallError("save needs the name of a file")
        json = path.suffix.lower() == ".json"
        write_file(path, self.game.to_json(indent=2) + "\n" if json else self.game.to_text())
        self.say(f"saved to {path}")

    def close(self) -> None:
        """Stop work in the background."""
        if self.preparation is not None:
            self.preparation.cancel()

    def stop(self) -> None:
        """Print how the game ended, or how to resume it."""
        outcome = self.game.outcome
        if not self.has_human:
            if not self.has_rows:
                for line in round_lines(self.game):
                    self.say(line)
            self.show()
        if self.save is not None:
            self.write(self.save)
        if outcome is None:
            self.say(f"resume with: {shlex.join(['knightfall', 'play', *self._resume_options()])}")
        elif outcome.winner is None:
            self.say(f"nobody wins: {outcome.reason}")
        else:
            loser = side(3 - outcome.winner)
            how = f"{loser} is stuck" if outcome.reason == "stuck" else f"{outcome.reason} of the {loser} player"
            self.say(f"{side(outcome.winner)} wins after {plural(len(self.game.moves), 'move')}: {how}")

    def _resume_options(self) -> list[str]:
        if self.save is not None:
            return ["--load", str(self.save)]
        first, second = self.game.players
        seed = [] if self.game.seed is None else ["--seed", str(self.game.seed)]
        return ["--first", first, "--second", second, "--fen", self.game.final.fen(), *seed]


def _cost(choice: Choice, score: str, agent: Agent) -> str:
    """Return an agent's score, depth and time for its move, or nothing if it did not search."""
    if agent.kind == "perfect" and choice.source != "search":
        return f": {score}, by {SOURCES[choice.source]}, {choice.seconds:.3f} s"
    return f": {score}, depth {choice.depth}, {choice.seconds:.3f} s" if choice.nodes else ""
