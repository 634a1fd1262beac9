"""Each check of the house finds the fault it is there for, and passes a tree without it."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"


class Tree(unittest.TestCase):
    """A house of two layers, in which a test changes one thing."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("anemone/layers.txt", "# rows\nbase:\ntensor: base\ntesting: tensor\n")
        self.write("anemone/base/a.h", "#pragma once\n")
        self.write("anemone/tensor/b.h", '#pragma once\n#include "anemone/base/a.h"\n')
        self.write("anemone/tensor/b_test.cc", '#include "anemone/testing/t.h"\n')
        self.write("anemone/testing/t.h", '#pragma once\n#include "anemone/tensor/b.h"\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_check(self, script, *arguments):
        done = subprocess.run([sys.executable, "-B", SCRIPTS / script, *arguments],
                              capture_output=True, text=True)
        return done.returncode, done.stdout

    def expect(self, result, status, words):
        self.assertEqual(result[0], status, result[1])
        self.assertIn(words, result[1])


class Layers(Tree):
    def check(self, status, words):
        self.expect(self.run_check("check_layers.py", self.root), status, words)

    def test_passes_includes_that_go_down(self):
        self.check(0, "3 includes, 0 problems")

    def test_finds_an_include_against_the_grain(self):
        self.write("anemone/base/sub/c.cc", '\n#  include "anemone/tensor/b.h"\n')
        self.check(1, "anemone/base/sub/c.cc:2: 'base' does not see 'tensor'; it sees nothing")

    def test_finds_a_test_helper_in_library_code(self):
        self.write("anemone/tensor/c.cc", '#include "anemone/testing/t.h"\n')
        self.check(1, "'tensor' does not see 'testing'")

    def test_finds_a_folder_without_a_row(self):
        self.write("anemone/attic/x.h", "")
        self.check(1, "anemone/attic/ has no row in layers.txt")

    def test_finds_layers_that_see_each_other(self):
        self.write("anemone/layers.txt", "base: tensor\ntensor: base\ntesting: tensor\n")
        self.check(1, "'base' sees 'tensor', which has no row above")

    def test_finds_an_empty_tree(self):
        for path in self.root.rglob("*.*"):
            if path.suffix in (".h", ".cc"):
                path.unlink()
        self.check(1, "nothing was checked")


class House(Tree):
    def check(self, status, words, *arguments):
        self.expect(self.run_check("check_house.py", "--root", self.root, *arguments), status, words)

    def test_passes_a_tidy_tree(self):
        self.write("anemone/base/c.cc", '// printf( in words\nauto s = "std::cout << exit(1)";\n')
        self.write("anemone/base/check.cc", "void f() { std::abort(); }\n")
        self.write("README.md", "[a](anemone/base/a.h) [b](https://example.org)\n")
        self.check(0, ", 0 problems")

    def test_finds_a_library_that_prints_or_exits(self):
        self.write("anemone/base/c.cc", "\nvoid f() { std::cout << 1; }\n")
        self.check(1, "anemone/base/c.cc:2: library code prints or exits: std::cout")
        self.write("anemone/base/c.cc", "void f() { std::exit(1); }\n")
        self.check(1, "library code prints or exits: std::exit(")

    def test_finds_notes_paths_and_long_files(self):
        self.write("anemone/base/c.cc", "// TO" + "DO: later\n")
        self.check(1, "a note to self: TO" + "DO")
        self.write("anemone/base/c.cc", 'auto p = "/ho' + 'me/me/x";\n')
        self.check(1, "a path of one machine: /ho" + "me/m")
        self.write("anemone/base/c.cc", "\n" * 601)
        self.check(1, "anemone/base/c.cc: 601 lines; allowed: 600")

    def test_finds_headers_scripts_and_links_that_lack_something(self):
        self.write("anemone/base/c.h", "int x;\n")
        self.check(1, "anemone/base/c.h: no #pragma once")
        self.write("scripts/run", "#!/usr/bin/env bash\ntrue\n")
        self.check(1, "scripts/run: no 'set -euo pipefail'")
        self.write("README.md", "see\n[the docs](docs/none.md#top)\n")
        self.check(1, "README.md:2: a link to 'docs/none.md', which is not there")

    def test_finds_a_public_header_that_includes_a_private_one(self):
        self.write("list.txt", "anemone/tensor/b.h\n")
        found = ('anemone/tensor/b.h:2: a public header, but not so: #include "anemone/base/a.h"')
        self.check(1, found, "--public-headers", self.root / "list.txt")
        self.write("list.txt", "anemone/tensor/b.h\nanemone/base/a.h\n")
        self.check(0, "2 public headers", "--public-headers", self.root / "list.txt")

    def test_finds_an_empty_tree(self):
        empty = self.root / "empty"
        empty.mkdir()
        self.expect(self.run_check("check_house.py", "--root", empty), 1, "nothing was checked")


if __name__ == "__main__":
    unittest.main()
