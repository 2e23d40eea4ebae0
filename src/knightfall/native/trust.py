"""Checks whether a cache folder is safe. Machine code from it is run, so nobody else may be able to write to it.

The rule is the one of OpenSSH for its keys. A folder and all folders above it up to the home folder must belong to the
user or to root, and nobody else may write to them. A folder above it may be writable for all if it is sticky, as /tmp
is, because nobody can replace other users' files there.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

_WRITABLE = stat.S_IWGRP | stat.S_IWOTH


def folder_problem(folder: Path) -> str | None:
    """Return why code from this folder must not be run; None if it may be run or if the folder does not exist yet.

    If a folder does not exist yet, the folders above it are checked. Raise OSError if the folder cannot be reached.
    """
    if os.name != "posix":
        return None  # owner and mode have no meaning on other systems
    real = Path(os.path.realpath(folder))
    home = Path(os.path.realpath(Path("~").expanduser()))
    for place in (real, *real.parents):
        try:
            found = place.lstat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        problem = _owner_problem(place, found)
        if problem is None and found.st_mode & _WRITABLE and not (place != real and _is_harmless(found)):
            problem = _mode_problem(place, found)
        if problem is not None:
            return problem
        if place == home:
            break
    return None


def entry_problem(place: Path, found: os.stat_result) -> str | None:
    """Return the same for a file, or for a folder inside a safe folder. Links are not followed."""
    if stat.S_ISLNK(found.st_mode):
        return f"{place} is a link; remove it"
    if os.name != "posix":
        return None
    problem = _owner_problem(place, found)
    return _mode_problem(place, found) if problem is None and found.st_mode & _WRITABLE else problem


def _owner_problem(place: Path, found: os.stat_result) -> str | None:
    if found.st_uid in (0, os.geteuid()):
        return None
    return (
        f"{place} belongs to {_user(found.st_uid)}, not to you ({_user(os.geteuid())}); "
        "KNIGHTFALL_CACHE_DIR can name another folder"
    )


def _mode_problem(place: Path, found: os.stat_result) -> str:
    who = "everyone" if found.st_mode & stat.S_IWOTH else "its group"
    return f"{who} can write to {place} (mode {stat.S_IMODE(found.st_mode):04o}); chmod go-w makes it safe"


def _is_harmless(found: os.stat_result) -> bool:
    """Return whether a folder that others may write to can still contain a safe one."""
    if found.st_mode & stat.S_ISVTX:
        return True
    return not found.st_mode & stat.S_IWOTH and _is_group_of_one(found.st_gid)


def _is_group_of_one(group: int) -> bool:
    """Return whether this is the user's private group. Many systems let it write to all of the user's folders."""
    import grp
    import pwd

    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return user.pw_gid == group and found.gr_name == user.pw_name and set(found.gr_mem) <= {user.pw_name}


def _user(number: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"
