"""The judge judged: the conformance run passes with the engine as it is, and fails with one made wrong on purpose.

usage: judge_test.py [options of scripts/conformance, such as --module FOLDER]
"""

import pathlib
import subprocess
import sys
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "conformance"
OPTIONS = sys.argv[1:]
del sys.argv[1:]
FILE = "converters/mil/mil/ops/tests/iOS14/test_elementwise_unary.py"


def run(tag, *more):
    command = [sys.executable, SCRIPT, "--select", FILE, "--sample", "2", "--jobs", "1", "--fresh", "--tag", tag,
               "--at-least", "100", *OPTIONS, *more]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True)


class Judge(unittest.TestCase):
    def test_it_passes_the_engine_as_it_is(self):
        outcome = run(".honest")
        self.assertEqual(outcome.returncode, 0, outcome.stdout)
        self.assertNotIn(" 0 passed", outcome.stdout)

    def test_it_fails_outputs_that_are_off_by_one_percent(self):
        outcome = run(".scaled", "--fault", "scale:1.01")
        self.assertEqual(outcome.returncode, 1, outcome.stdout)

    def test_it_fails_one_op_run_for_another(self):
        outcome = run(".replaced", "--fault", "op:cos:sin")
        self.assertEqual(outcome.returncode, 1, outcome.stdout)


if __name__ == "__main__":
    unittest.main()
