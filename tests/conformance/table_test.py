"""The tables of a conformance run, from records made up here."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import conformance_table as table  # noqa: E402


def record(**more):
    return {"id": "tests/iOS17/test_x.py::TestX::test_it[a=1]", "result": "passed", "predictions": 1, "ops": ["add"],
            "kinds": ["mlProgram"], "tight_held": 0, "tight_missed": [], **more}


def failed(why, **more):
    return record(result="failed", why=why, **more)


class Verdicts(unittest.TestCase):
    def test_only_what_predicted_has_passed(self):
        self.assertEqual(table.judged(record())[0], "passed")
        self.assertEqual(table.judged(record(predictions=0))[0], "nothing to predict")

    def test_a_failure_is_no_skip_because_of_its_words(self):
        for why in ("AssertionError: rdar://1", "ValueError: tf not ready", "RuntimeError: TensorFlow"):
            self.assertEqual(table.judged(failed(why))[0], "failed")
        self.assertEqual(table.judged(record(result="skipped", why="Skipped: rdar://1")),
                         ("not applicable", "switched off by its authors for an Apple bug"))
        self.assertEqual(table.judged(record(result="skipped", why="Skipped: says  so")), ("not applicable", "says so"))

    def test_fp16_explains_a_failure_only_where_there_is_some_and_it_would_hold(self):
        close = {"atol": 1e-4, "rtol": 1e-5, "of_half": False, "holds_as_half": True}
        far = {**close, "holds_as_half": False}
        self.assertEqual(table.judged(failed("off", holds_half=True, miss=close)), ("failed", table.HALF_CAUSE))
        for more in ({"holds_half": False, "miss": close}, {"holds_half": True, "miss": far}, {"holds_half": True}):
            self.assertEqual(table.judged(failed("off", **more)), ("failed", "Not looked into: off"))

    def test_a_package_that_bounds_its_input_is_no_failure_of_the_engine_if_the_test_was_led_to_it(self):
        why = "RuntimeError: Size (8) of dimension (1) is not in allowed range (1..2)"
        self.assertEqual(table.judged(failed(why))[0], "failed")
        self.assertEqual(table.judged(failed(why, is_led=True))[0], "not applicable")


    def test_what_fails_over_the_converters_ops_asks_nothing_of_the_engine_unless_it_predicted(self):
        why = "AssertionError: assert ['constexpr_a...tize', 'conv'] == ['constexpr_a...conv', 'cast']"
        self.assertEqual(table.judged(failed(why, predictions=0))[0], "not applicable")
        self.assertEqual(table.judged(failed(why))[0], "failed")


class Tables(unittest.TestCase):
    def read(self, *lines):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "ops.jsonl"
            log.write_text("".join(json.dumps(line) + "\n" for line in lines))
            return table.read_results(log)

    def test_the_last_record_of_a_case_counts_and_a_start_alone_is_an_end(self):
        cases, _, _ = self.read(record(id="a", result="started"), record(id="a"), record(id="b", result="started"))
        self.assertEqual(table.judged(cases["a"])[0], "passed")
        self.assertEqual(table.judged(cases["b"]), ("failed", "Not looked into: " + table.ENDED))

    def test_tells_a_whole_sample_from_an_unfinished_run(self):
        cases = [f"case{i}" for i in range(100)]
        chosen = [case for case in cases if table.number_of(case) % 4 == 0]
        run = {"collected": 100, "sample": 4, "chosen": len(chosen)}
        of = dict.fromkeys
        self.assertEqual(table.extent(of(chosen), [run]),
                         f"{len(chosen)} of 100 cases, with all of a sample of one in 4 by the hash of the id.")
        self.assertEqual(table.extent(of(chosen[1:]), [run]),
                         f"{len(chosen) - 1} of 100 cases, the run being unfinished.")
        self.assertEqual(table.extent(of(cases), [run]), "100 of 100 cases.")

    def test_counts_what_passed_with_other_numbers(self):
        cases = {"a": record(id="a"), "b": record(id="b", draws="fp16"), "c": failed("off", id="c", draws="fp16")}
        text, _ = table.report("ops", cases, {}, [])
        [line] = [line for line in text.splitlines() if "first numbers" in line]
        self.assertTrue(line.startswith("1 of those that passed"), line)
        self.assertIn("33.33 % would have passed", line)

    def test_lists_every_failure_and_every_miss_with_its_cause(self):
        cases = {one["id"]: one for one in (
            record(), failed("one", id="tests/x.py::test_a[k=1]"), failed("one", id="tests/x.py::test_a[k=2]"),
            record(id="tests/x.py::test_b", tight_held=2), record(id="tests/x.py::test_c", tight_missed=["off"]))}
        text, total = table.report("ops", cases, {"m.py": "no /a/b module"}, [{"collected": 5}])
        self.assertEqual((total["passed"], total["failed"], total["held"], total["missed"]), (3, 2, 1, 1))
        for line in ("- 2: Not looked into: one", "    - `k=1`", "    - `k=2`", "- 1: Not looked into: off",
                     "  - `x.py::test_c`", "| add | 3 | 2 | 0 | 0 | 60.00 % | 1 | 1 |", "- `m.py`: no b module"):
            self.assertIn(line, text.splitlines())


if __name__ == "__main__":
    unittest.main()
