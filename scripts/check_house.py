#!/usr/bin/env python3
"""Checks the habits of the house that no compiler checks.

usage: check_house.py [--root ROOT] [--public-headers FILE]

Over the files that git tracks, or would track (outside of a clone: all but build/):
  library code neither prints nor exits (cli/, base/check.cc and tests apart)
  no source carries a note to self, or the path of somebody's machine
  no source is longer than 600 lines, every header has #pragma once
  every shell script stops at its first error
  every relative link in a .md file leads somewhere
and, given a file that lists the public headers, one a line, that they include public headers alone.
"""

import argparse
import pathlib
import re
import subprocess
import sys

MAX_LINES = 600
CODE = {".cc", ".h", ".inc", ".mm", ".py", ".cmake", ".sh", ".proto"}
TEXT = CODE | {".md", ".txt", ".in", ".yml", ".json"}
TEST_ENDINGS = ("_test.cc", "_fuzz.cc", "_benchmark.cc")
PRINTS = re.compile(
    r"std::(cout|cerr|clog)\b"
    r"|(?<![\w.>])(?:std::|::)?(printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|perror"
    r"|exit|_exit|_Exit|quick_exit|abort|terminate)\s*\("
)
# Spelled apart, so that this file passes its own check.
NOTES = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]) + r")\b")
MACHINE_PATHS = re.compile(r"(?<![\w.}\])>*-])/(root|home|Users|work|mnt)/\w")
INCLUDE = re.compile(r'^\s*#\s*include\s*["<](anemone/[^">]+)[">]', re.MULTILINE)
LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)")
STRING_OR_COMMENT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL
)


def tracked_files(root):
    if (root / ".git").exists():
        listed = subprocess.run(
            ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            check=True, capture_output=True, text=True).stdout
        paths = [root / name for name in sorted(set(listed.split("\0")) - {""})]
    else:
        paths = sorted(p for p in root.rglob("*") if p.relative_to(root).parts[0] != "build")
    return [p for p in paths if p.is_file() and not p.is_symlink()]


def without_words(code):
    """The code without comments and the contents of strings; lines stay where they are."""
    return STRING_OR_COMMENT.sub(lambda m: '""' + "\n" * m.group().count("\n"), code)


def shell_of(text):
    """"bash" or "sh" for a script of that shell, else None."""
    match = re.match(r"#!\S*?(?:/env )?/?\b(bash|sh)\n", text)
    return match.group(1) if match else None


def find_all(pattern, text):
    for match in pattern.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group().strip()


def may_print(name):
    parts = name.split("/")
    return (
        parts[0] != "anemone"
        or parts[1] in ("cli", "testing")
        or name == "anemone/base/check.cc"
        or name.endswith(TEST_ENDINGS)
        or parts[-1].startswith("test_")
        or parts[-1].endswith("testing.h")
    )


def check_file(path, name, text):
    problems = []
    shell = shell_of(text)
    code = path.suffix in CODE or shell or path.name == "CMakeLists.txt"
    lines = text.count("\n") + (not text.endswith("\n"))
    if code and lines > MAX_LINES:
        problems.append(f"{name}: {lines} lines; allowed: {MAX_LINES}")
    # Highway includes its -inl.h headers once for each target.
    if path.suffix == ".h" and not name.endswith("-inl.h") and "#pragma once" not in text:
        problems.append(f"{name}: no #pragma once")
    if path.suffix in (".cc", ".h", ".inc") and not may_print(name):
        for line, found in find_all(PRINTS, without_words(text)):
            problems.append(f"{name}:{line}: library code prints or exits: {found}")
    if code or path.suffix == ".md":
        for line, found in find_all(NOTES, text):
            problems.append(f"{name}:{line}: a note to self: {found}")
        for line, found in find_all(MACHINE_PATHS, text):
            problems.append(f"{name}:{line}: a path of one machine: {found}")
    strict = "set -euo pipefail" if shell == "bash" else "set -eu"
    if shell and strict not in text:
        problems.append(f"{name}: no '{strict}'")
    if path.suffix == ".md":
        for line, target in find_all(LINK, text):
            target = LINK.match(target).group(1).split("#")[0]
            if target and "://" not in target and not (path.parent / target).exists():
                problems.append(f"{name}:{line}: a link to '{target}', which is not there")
    return problems


def check_public_headers(root, listing):
    """Public headers include none that is not installed with them."""
    headers = [line for line in listing.read_text().splitlines() if line]
    problems = [] if headers else ["no public header: nothing was checked"]
    for name in headers:
        path = root / name
        if not path.is_file():
            continue  # made by configure
        for line, found in find_all(INCLUDE, path.read_text()):
            if INCLUDE.match(found).group(1) not in headers:
                problems.append(f"{name}:{line}: a public header, but not so: {found}")
    return len(headers), problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--public-headers", type=pathlib.Path)
    arguments = parser.parse_args()
    root = arguments.root
    checked, problems = 0, []
    for path in tracked_files(root):
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue  # weights, corpora of broken text
        if path.suffix in TEXT or text.startswith("#!"):
            checked += 1
            problems += check_file(path, path.relative_to(root).as_posix(), text)
    if checked == 0:
        problems.append(f"no source in {root}: nothing was checked")
    if arguments.public_headers:
        count, found = check_public_headers(root, arguments.public_headers)
        print(f"{count} public headers")
        problems += found
    for problem in problems:
        print(problem)
    print(f"{checked} files, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
