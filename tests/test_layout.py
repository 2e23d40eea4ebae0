"""Tables and texts as wide as a terminal; the two streams of a command."""

from __future__ import annotations

import io
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knightfall.cli.layout import Column, Page, cells, clipped, fit_table, markdown_page, name_lines, table, wrapped
from knightfall.cli.output import Output
from knightfall.native.user_output import user_code

words = st.text("ab_:, 日-", max_size=30)
plain = st.text("ab_:, -", max_size=30)
widths = st.integers(24, 140)


@given(st.lists(st.tuples(plain, plain, plain), min_size=1, max_size=5), widths, st.booleans())
def test_no_line_of_a_table_is_wider_than_the_page(rows: list[tuple[str, str, str]], width: int, colour: bool) -> None:
    columns = [
        Column("name", whole=False),
        Column("a long head", right=True, rank=1, short="short"),
        Column("z", rank=0),
    ]
    for line in table(Page(width, colour), columns, rows, [("bold", "green")] * len(rows)):
        assert cells(line) <= width


@given(words, widths)
def test_nothing_is_lost_where_a_name_is_broken(text: str, width: int) -> None:
    lines = name_lines(text, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(cells(line) <= width for line in lines)


@given(st.text("ab 日", max_size=60), st.integers(3, 80))
def test_a_clipped_text_fits(text: str, width: int) -> None:
    assert cells(clipped(text, width)) <= width
    if cells(text) <= width:
        assert clipped(text, width) == text


def test_columns_are_left_out_before_words_are_broken() -> None:
    rows = [["central_mobility", "50.0% [40.0, 60.0]", "1/2/3", "0"]]
    columns = [
        Column("candidate", whole=False),
        Column("win rate"),
        Column("pairs lost/split/won", rank=1, short="pairs"),
        Column("losing records", rank=0, short="losing"),
    ]
    heads = {width: table(Page(width, False), columns, rows)[0].split("  ") for width in (120, 60, 45, 30)}
    shown = {width: [head.strip() for head in found if head.strip()] for width, found in heads.items()}
    assert shown[120] == ["candidate", "win rate", "pairs lost/split/won", "losing records"]
    assert shown[60] == ["candidate", "win rate", "pairs", "losing"]
    assert shown[45] == ["candidate", "win rate", "pairs"]
    assert table(Page(20, False), columns, rows) == ["central_mobility", "  win rate: 50.0%", "  [40.0, 60.0]"]


def test_tables_that_were_made_for_a_wide_page() -> None:
    text = "heuristic  depth 0     AUC\nimproved       50%   0.612\nopen           40%   0.500"
    assert fit_table(Page(20, False), text) == ["heuristic  depth 0", "improved       50%", "open           40%"]
    markdown = "| agent | nodes |\n|---|---:|\n| `greedy(open)` | 1,200 |\n| `x` | 7 |\n\nSignature: 7"
    assert markdown_page(Page(60, False), markdown) == [
        "agent         nodes",
        "greedy(open)  1,200",
        "x                 7",
        "",
        "Signature: 7",
    ]


@pytest.mark.parametrize("width", [20, 33, 80])
def test_words_are_not_broken(width: int) -> None:
    text = "AB_open is better than AB_improved over the panel"
    lines = wrapped(text, width, "  ")
    assert " ".join(" ".join(lines).split()) == text
    assert all(cells(line) <= width for line in lines)


def test_a_stream_drops_what_a_users_function_writes() -> None:
    results, errors = Output(io.StringIO()), Output(io.StringIO())

    def write_from_thread(name: str) -> None:
        thread = threading.Thread(target=lambda: print(f"from {name}", file=results), name=name)
        thread.start()
        thread.join()

    with user_code, user_code:
        print("by a user's function", file=results)
        print("to standard error", file=errors)
        write_from_thread("Thread-1")  # as the threads of a user's function are called
        write_from_thread("knightfall-progress")
    print("afterwards", file=results)
    print("a warning", file=errors)
    assert results.getvalue() == "from knightfall-progress\nafterwards\n"
    assert errors.getvalue() == "a warning\n"
