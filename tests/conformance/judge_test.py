"""The judge judged: a few of coremltools' tests pass with the engine as it is and fail with one made wrong on
purpose, and a run goes on behind a case that ends the process.

usage: judge_test.py [options of scripts/conformance, such as --module FOLDER]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "conformance"
OPTIONS = sys.argv[1:]
del sys.argv[1:]
# One case in three of 124, of fp16 and fp32.
SELECTION = ["--select", "converters/mil/mil/ops/tests/iOS14/test_elementwise_unary.py", "--sample", "3", "--fresh"]

ROUNDING = """
import numpy
from coremltools.converters.mil.mil import Builder as mb, types
from coremltools.converters.mil.mil.ops.tests.iOS17 import backends
from coremltools.converters.mil.mil.ops.tests.testing_utils import run_compare_builder
from coremltools.converters.mil.testing_reqs import ct

def compare(x, y):
    [fp32] = [backend for backend in backends if backend.precision == "fp32"]
    half = y.astype(numpy.float16)
    run_compare_builder(
        lambda x: mb.mul(x=x, y=half), {"x": mb.placeholder(shape=x.shape, dtype=types.fp16)},
        {"x": x.astype(numpy.float16)}, (*x.shape, types.fp16), x * y, backend=fp32,
        compute_unit=ct.ComputeUnit.CPU_ONLY)

def test_drawn():
    compare(numpy.random.rand(4, 64), numpy.random.randn(4, 64))

def test_written():
    compare(numpy.array([3.3, 7.7]), numpy.array([5.1, 2.3]))
"""


class Judge(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="judge-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_script(self, *options):
        """(exit status, what it printed, the last record of every case)."""
        log = self.folder / "ops.jsonl"
        command = [sys.executable, SCRIPT, "--jobs", "1", "--at-least", "100", *OPTIONS, "--results", self.folder,
                   *options]
        outcome = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        records = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return outcome.returncode, outcome.stdout, {record["id"]: record for record in records if "id" in record}

    def test_it_passes_the_engine_as_it_is(self):
        status, text, records = self.run_script(*SELECTION)
        self.assertEqual(status, 0, text)
        predicting = [record for record in records.values() if record["predictions"]]
        self.assertGreater(len(predicting), 20)
        self.assertTrue(any(record["tight_held"] for record in predicting))
        self.assertTrue(any("cos" in record["ops"] for record in predicting))

    def test_it_fails_outputs_that_are_off_by_one_percent(self):
        status, text, records = self.run_script(*SELECTION, "--fault", "scale:1.01")
        self.assertEqual(status, 1, text)
        # Wherever fp32 is judged at its own tolerance and the output is not zero or huge.
        failed = [record for record in records.values() if record["result"] == "failed"]
        self.assertGreater(len(failed), 5, text)

    def test_it_fails_float16_arithmetic_at_the_tight_tolerance(self):
        status, text, records = self.run_script(*SELECTION, "--fault", "scale:1.1")
        self.assertEqual(status, 1, text)
        # Their authors let fp16 be off by half, which no case here is.
        missed = [record for record in records.values() if record.get("tight_missed")]
        self.assertGreater(len(missed), 5, text)
        self.assertTrue(all(record["result"] == "passed" for record in missed), text)

    def test_it_fails_one_op_run_for_another(self):
        status, text, records = self.run_script(*SELECTION, "--fault", "op:cos:sin")
        self.assertEqual(status, 1, text)
        for record in records.values():
            if record["result"] == "failed":
                self.assertIn("cos", record["ops"])

    def run_rounding_test(self, *options):
        """The record of a test that rounds what it drew to fp16 and asks for fp32's exactness, and of one that
        rounds numbers which it has written down."""
        tests = self.folder / "test_rounding.py"
        tests.write_text(ROUNDING)
        status, text, records = self.run_script("--select", tests, "--fresh", *options)
        return status, text, {case.split("::")[1]: record for case, record in records.items()}

    def test_it_draws_again_where_a_test_rounded_what_it_drew(self):
        status, text, records = self.run_rounding_test()
        drawn, written = records["test_drawn"], records["test_written"]
        self.assertEqual((drawn["result"], drawn["draws"]), ("passed", "fp16"), text)
        self.assertEqual((written["result"], written["draws"]), ("failed", "fp16"), text)
        self.assertEqual(status, 1, text)

    def test_drawing_again_excuses_nothing(self):
        _, text, records = self.run_rounding_test("--fault", "scale:1.001")
        self.assertEqual(records["test_drawn"]["result"], "failed", text)

    def test_it_goes_on_behind_a_case_that_ends_the_process(self):
        tests = self.folder / "test_ending.py"
        tests.write_text("import os\n"
                         "def test_first(): pass\n"
                         "def test_ending(): os.abort() if not os.path.exists(__file__ + '.mended') else None\n"
                         "def test_wrong(): assert False\n"
                         "def test_last(): pass\n")
        options = ["--select", tests, "--at-least", "0"]
        _, text, records = self.run_script(*options, "--fresh")
        results = {case.split("::")[1]: record["result"] for case, record in records.items()}
        self.assertEqual(results, {"test_first": "passed", "test_ending": "failed", "test_wrong": "failed",
                                   "test_last": "passed"}, text)
        # What failed is run again, and nothing else.
        (self.folder / "test_ending.py.mended").touch()
        _, text, records = self.run_script(*options, "--failures")
        results = {case.split("::")[1]: record["result"] for case, record in records.items()}
        self.assertEqual(results["test_ending"], "passed", text)
        self.assertEqual(results["test_wrong"], "failed", text)
        starts = (self.folder / "ops.jsonl").read_text().count('"started"')
        self.assertEqual(starts, 4 + 2)


if __name__ == "__main__":
    unittest.main()
