"""Matplotlib's SVG, adapted for a page: colours of the page's theme, unique ids, no redundant elements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

COLOURS = {
    "ink": "#010101",
    "muted": "#020202",
    "grid": "#030303",
    "one": "#040404",
    "two": "#050505",
    "mark": "#060606",
}
"""Marker colours of charts. On the page, each is replaced by the colour with this name in the theme."""

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_VARIABLES = {value: f"var(--{name})" for name, value in COLOURS.items()}
_USUAL = {"stroke-linejoin: miter", "stroke-width: 1", "stroke-miterlimit: 10", "stroke-linecap: butt"}
# The page's style sheet defines these once, but Matplotlib repeats them in every element.
_SAID_BY_THE_PAGE = ("font-family", "font-stretch", "font-weight: 400", "stroke-linejoin", "stroke-linecap")


def themed(svg: str, prefix: str, title: str, description: str) -> str:
    """Return a chart for the page, with a title and a description for screen readers."""
    root = ElementTree.fromstring(svg)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    _drop(root, "metadata")
    _drop(root, "style")  # it would apply to the whole page
    used = set(_references(root))
    for element in root.iter():
        if element.get("id") in used:
            element.set("id", f"{prefix}-{element.get('id')}")
        else:
            element.attrib.pop("id", None)
        _tidy(element, prefix)
    _unwrap(root)
    root.set("role", "img")
    root.set("class", "chart")
    root.set("aria-labelledby", f"{prefix}-t {prefix}-d")
    for name, text in (("desc", description), ("title", title)):
        told = ElementTree.Element(f"{_SVG}{name}", {"id": f"{prefix}-{name[0]}"})
        told.text = text
        root.insert(0, told)
    ElementTree.register_namespace("", _SVG[1:-1])
    return re.sub(r">\s+<", "><", ElementTree.tostring(root, encoding="unicode"))


def _drop(root: ElementTree.Element, name: str) -> None:
    for parent in list(root.iter()):
        for child in parent.findall(f"{_SVG}{name}"):
            parent.remove(child)


def _references(root: ElementTree.Element) -> Iterator[str]:
    for element in root.iter():
        for name, value in element.attrib.items():
            if name == _LINK:
                yield value.removeprefix("#")
            yield from _REFERENCE.findall(value)


def _tidy(element: ElementTree.Element, prefix: str) -> None:
    link = element.attrib.pop(_LINK, None)
    if link is not None:
        element.set("href", f"#{prefix}-{link.removeprefix('#')}")
    for name, value in list(element.attrib.items()):
        if name in ("d", "x", "y", "width", "height", "points", "transform"):
            element.set(name, " ".join(_NUMBER.sub(_rounded, value).split()))
        elif name == "clip-path":
            element.set(name, _REFERENCE.sub(rf"url(#{prefix}-\1)", value))
    if element.get("transform", "").startswith("rotate(0") or element.get("transform", "").startswith("rotate(-0"):
        element.attrib.pop("transform")
    style = element.attrib.pop("style", None)
    if style is not None:
        kept = [part.strip() for part in style.split(";") if part.strip()]
        kept = [part for part in kept if part not in _USUAL and not part.startswith(_SAID_BY_THE_PAGE)]
        if kept:
            element.set("style", "; ".join(_coloured(part) for part in kept))


def _coloured(part: str) -> str:
    for value, variable in _VARIABLES.items():
        part = part.replace(value, variable)
    return part


def _rounded(match: re.Match[str]) -> str:
    return f"{round(float(match[0]), 1):g}"


def _unwrap(parent: ElementTree.Element) -> None:
    """Remove groups without attributes."""
    children = []
    for child in list(parent):
        _unwrap(child)
        if child.tag == f"{_SVG}g" and not child.attrib:
            children += list(child)
        elif child.tag != f"{_SVG}defs" or len(child):
            children.append(child)
    parent[:] = children
