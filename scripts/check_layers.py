#!/usr/bin/env python3
"""Checks that every #include in anemone/ goes down, as anemone/layers.txt has it.

usage: check_layers.py [ROOT]     (default: the folder above this script's)

Fails on an include against the grain, on a folder without a row, on a row that names a layer
unknown or its own, and on a tree in which there is nothing to check. A _test.cc, and what lies in
testing/, may use the test helpers of testing/ as well.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]anemone/([^/">]+)/([^">]*)[">]')
ROW = re.compile(r"^([a-z]+):((?: [a-z]+)*)\s*$")
TEST_ENDINGS = ("_test.cc", "_fuzz.cc", "_benchmark.cc")


def read_rows(path):
    """The layers that each layer's row names, and what is wrong with the rows."""
    rows, problems = {}, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = ROW.match(line)
        if not match:
            problems.append(f"{path.name}:{number}: not a row: {line!r}")
            continue
        layer, sees = match.group(1), match.group(2).split()
        # Rows stand lowest first, so that no two layers can see each other.
        problems += [
            f"{path.name}:{number}: '{layer}' sees '{other}', which has no row above"
            for other in sees
            if other not in rows
        ]
        if layer in rows:
            problems.append(f"{path.name}:{number}: a second row for '{layer}'")
        rows[layer] = sees
    return rows, problems


def close(rows):
    """Each layer with everything that it sees, directly or through others."""
    closed = {}
    for layer in rows:  # lowest first
        closed[layer] = {layer}.union(*(closed.get(other, set()) for other in rows[layer]))
    return closed


def check(root):
    """The number of includes that were looked at, and the problems found."""
    house = root / "anemone"
    if not (house / "layers.txt").is_file():
        return 0, [f"{house / 'layers.txt'} is missing"]
    rows, problems = read_rows(house / "layers.txt")
    seen = close(rows)
    checked = 0
    for folder in sorted(path for path in house.iterdir() if path.is_dir()):
        layer = folder.name
        sources = sorted(p for p in folder.rglob("*") if p.suffix in (".cc", ".h", ".inc", ".mm"))
        if layer not in rows:
            problems.append(f"anemone/{layer}/ has no row in layers.txt")
            continue
        for source in sources:
            allowed = seen[layer]
            is_test = source.name.endswith(TEST_ENDINGS)
            if is_test and "testing" in rows:
                allowed = allowed | {"testing"} | seen["testing"]
            for number, line in enumerate(source.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                checked += 1
                other = match.group(1)
                if other not in allowed:
                    place = f"{source.relative_to(root)}:{number}"
                    problems.append(
                        f"{place}: '{layer}' does not see '{other}'; it sees "
                        + ", ".join(sorted(seen[layer] - {layer}) or ["nothing"])
                    )
    if checked == 0:
        problems.append(f"no include of anemone's own in {house}: nothing was checked")
    return checked, problems


def main():
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    default = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) == 2 else default
    checked, problems = check(root)
    for problem in problems:
        print(problem)
    print(f"{checked} includes, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
