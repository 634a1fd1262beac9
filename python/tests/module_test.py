"""The Python module, on packages that coremltools wrote.

usage: module_test.py FOLDER-OF-PACKAGES
"""

import copy
import inspect
import json
import os
import pickle
import shutil
import signal
import struct
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import anemone

PACKAGES = sys.argv.pop() if len(sys.argv) > 1 else "tests/oracle/package/golden"


def model(name, **options):
    return anemone.MLModel(os.path.join(PACKAGES, name + ".mlpackage"), **options)


class Module(unittest.TestCase):
    def test_it_describes_what_a_function_takes_and_gives(self):
        it = model("functions_ios18", function_name="prefill")
        self.assertEqual(it.function_name, "prefill")
        self.assertEqual(it.function_names, ["decode", "prefill"])
        self.assertEqual(it.input_description["x"]["dtype"], "fp16")
        self.assertEqual(it.input_description["x"]["shape"], (1, 2, 4))
        self.assertEqual(list(it.output_description), ["out"])
        self.assertEqual(it.state_description["kv"]["shape"], (1, 6, 4))
        self.assertEqual(model("features_ios18").author, "somebody")
        self.assertEqual(model("features_ios18").user_defined_metadata["mood"], "blue")

    def test_it_runs_control_flow(self):
        it = model("blocks_ios17")
        x = np.array([1, 2, -3], np.float32)
        np.testing.assert_array_equal(it.predict({"x": x, "p": [1]})["out"], 4 * x)
        np.testing.assert_array_equal(it.predict({"x": x, "p": [0]})["out"], x * x)

    def test_it_takes_any_layout_and_dtype_of_numbers(self):
        it = model("blocks_ios17")
        whole = np.arange(6.0)
        for x in (whole[::2], whole[::2].astype(">f4"), whole[::2].astype(np.int64), [0, 2, 4]):
            np.testing.assert_array_equal(it.predict({"x": x, "p": [0]})["out"], [0, 4, 16])

    def test_contiguous_arrays_of_numbers_are_handed_over_as_they_are(self):
        x = np.arange(24, dtype=np.float32).reshape(4, 6)
        x.flags.writeable = False
        for whole in (x, x[1:], x.astype(np.int64), x > 3, np.float16(x), np.zeros((0, 3)), np.array(2.0)):
            self.assertIs(anemone._buffer("input 'x'", whole), whole)
        for odd in (x.T, x[::-1], x[:, ::2], np.asfortranarray(x), x.astype(">f4"), np.broadcast_to(x[0], (4, 6))):
            made = anemone._buffer("input 'x'", odd)
            self.assertTrue(made.flags.c_contiguous and made.dtype.isnative)
            np.testing.assert_array_equal(made, odd)

    def test_a_model_can_be_copied_and_pickled(self):
        it = model("functions_ios18", function_name="prefill", arithmetic="float32", threads=1)
        for again in (pickle.loads(pickle.dumps(it)), copy.deepcopy(it), copy.copy(it)):
            self.assertEqual(again.function_name, "prefill")
            self.assertEqual(again.arithmetic, "float32")
            self.assertEqual(list(again.input_description), list(it.input_description))
        self.assertTrue(os.path.isabs(pickle.loads(pickle.dumps(it)).path))

    def test_a_copied_state_goes_its_own_way(self):
        it = model("functions_ios18")
        state = it.make_state()
        inputs = {"x": np.ones((1, 1, 4), np.float16), "position": [0]}
        it.predict(inputs, state)
        fork = copy.deepcopy(state)
        np.testing.assert_array_equal(fork.read("kv"), state.read("kv"))
        it.predict({"x": np.ones((1, 1, 4)), "position": [3]}, fork)
        self.assertEqual(fork.read("kv").sum(), 2 * state.read("kv").sum())
        self.assertEqual(repr(state), "anemone.State('kv')")

    def test_it_says_what_it_is(self):
        it = model("functions_ios18", function_name="prefill")
        self.assertEqual(
            repr(it), f"anemone.MLModel({it.path!r}, function_name='prefill', arithmetic='float16')"
        )
        self.assertIn("\n  input x: fp16 [1, 2, 4]", str(it))
        self.assertIn("\n  state kv: fp16 [1, 6, 4]", str(it))
        features = model("features_ios18").input_description
        self.assertIn("photo: bgr image, 6 x 4", str(features))
        self.assertIn("ranged: fp32 [1, 1..8]", str(features))
        self.assertIn("listed: fp16 [1, 4] or [1, 2] or [2, 2]", str(features))
        # help() teaches: everything public has words and types.
        for what in (anemone, anemone.Error, anemone.MLModel, anemone.State):
            self.assertTrue(inspect.getdoc(what), what)
        for owner in (anemone.MLModel, anemone.State):
            for name, member in inspect.getmembers(owner, inspect.isfunction):
                if not name.startswith("_"):
                    self.assertTrue(inspect.getdoc(member), name)
                    self.assertIn("return", member.__annotations__, name)

    def test_an_interrupt_ends_a_long_call(self):
        # The loop that runs three times shall run 300,000 times.
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "long.mlpackage")
            shutil.copytree(os.path.join(PACKAGES, "blocks_ios17.mlpackage"), path)
            file = os.path.join(path, "Data", "com.apple.CoreML", "model.mlmodel")
            with open(file, "rb") as source:
                program = source.read()
            self.assertEqual(program.count(struct.pack("<f", 3)), 1)
            with open(file, "wb") as target:
                target.write(program.replace(struct.pack("<f", 3), struct.pack("<f", 3e5)))
            it = anemone.MLModel(path)
        long, short = {"x": np.ones(3), "p": [1]}, {"x": np.ones(3), "p": [0]}
        before = signal.getsignal(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            with self.assertRaises(KeyboardInterrupt):
                it.predict(long)
            self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
            np.testing.assert_array_equal(it.predict(short)["out"], np.ones(3))
            # Somebody else's handler is left alone, and called when the call is over.
            heard = []
            signal.signal(signal.SIGINT, lambda *_: heard.append(1))
            threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            np.testing.assert_array_equal(it.predict(long)["out"], np.full(3, 300001))
            self.assertEqual(heard, [1])
        finally:
            signal.signal(signal.SIGINT, before)

    def test_an_interrupt_that_comes_too_late_ends_no_other_call(self):
        it = model("blocks_ios17")
        inputs = {"x": np.ones(3), "p": [1]}
        before = signal.getsignal(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            for _ in range(60):
                try:
                    timer = threading.Timer(0.001, lambda: os.kill(os.getpid(), signal.SIGINT))
                    timer.start()
                    while timer.is_alive():
                        it.predict(inputs)
                    time.sleep(0.05)
                    self.fail("nobody was interrupted")
                except KeyboardInterrupt:
                    timer.join()
                it.predict(inputs)
        finally:
            signal.signal(signal.SIGINT, before)

    def test_calls_are_bounded(self):
        path = os.path.join(PACKAGES, "blocks_ios17.mlpackage")
        inputs = {"x": np.ones(3), "p": [1]}
        it = anemone.MLModel(path, max_loop_iterations=2)
        for bounded in (it, pickle.loads(pickle.dumps(it))):
            with self.assertRaises(anemone.Error) as caught:
                bounded.predict(inputs)
            self.assertEqual(caught.exception.code, "limit")
        anemone.MLModel(path, max_loop_iterations=3, max_memory_mb=1).predict(inputs)
        for limits in ({"max_memory_mb": 0}, {"max_memory_mb": "1"}, {"max_loop_iterations": 0}):
            with self.assertRaises(anemone.Error) as caught:
                anemone.MLModel(path, **limits)
            self.assertEqual(caught.exception.code, "usage")
            self.assertIn(next(iter(limits)), str(caught.exception))

    def test_a_lone_number_is_an_array_of_one(self):
        it = model("blocks_ios17")
        for one in (1, 1.0, np.float32(1), np.array(1.0), np.array([1])):
            np.testing.assert_array_equal(it.predict({"x": [1, 2, -3], "p": one})["out"], [4, 8, -12])

    def test_it_classifies(self):
        outputs = model("strings_ios16").predict({"x": np.array([[0, 2, 1]], np.float32)})
        label = max(outputs["classLabel_probs"], key=outputs["classLabel_probs"].get)
        self.assertEqual(outputs["classLabel"], label)
        self.assertAlmostEqual(sum(outputs["classLabel_probs"].values()), 1, places=6)

    def test_a_state_is_read_written_and_reset(self):
        it = model("functions_ios18")
        state = it.make_state()
        inputs = {"x": np.ones((1, 1, 4), np.float16), "position": np.array([2], np.int32)}
        first = it.predict(inputs, state)["out"]
        self.assertEqual(first.dtype, np.float16)
        contents = state.read("kv")
        self.assertEqual(contents.shape, (1, 6, 4))
        np.testing.assert_array_equal(contents.sum(axis=1), first)
        contents[:] = 1
        np.testing.assert_array_equal(state.read("kv").sum(axis=1), first)  # it was a copy
        state.write("kv", np.ones((1, 6, 4), np.float32))
        second = it.predict(inputs, state)["out"]
        np.testing.assert_array_equal(second, first + 5)
        state.reset()
        np.testing.assert_array_equal(it.predict(inputs, state)["out"], first)
        np.testing.assert_array_equal(it.predict(inputs)["out"], first)

    def test_a_prompt_five_times_gives_the_same_five_times(self):
        it = model("functions_ios18")
        prompt = [{"x": np.full((1, 1, 4), i - 2.5, np.float16), "position": [i]} for i in range(6)]

        def run(state):
            return [it.predict(one, state)["out"].tobytes() for one in prompt]

        first = run(it.make_state())
        for _ in range(5):
            self.assertEqual(run(it.make_state()), first)  # a new state is zero
        state = it.make_state()
        for _ in range(5):
            self.assertEqual(run(state), first)
            state.reset()
        # Without a reset the state goes on: the first answer has seen the whole prompt before.
        run(state)
        self.assertNotEqual(run(state)[0], first[0])
        # Without a state nothing is remembered.
        self.assertEqual([it.predict(prompt[0])["out"].tobytes() for _ in range(5)], [first[0]] * 5)

    def test_two_states_step_by_step_are_as_alone(self):
        it = model("functions_ios18")

        def inputs(i, value):
            return {"x": np.full((1, 1, 4), value + i / 4, np.float16), "position": [i]}

        def alone(value):
            state = it.make_state()
            return [it.predict(inputs(i, value), state)["out"].tobytes() for i in range(6)]

        wanted = alone(1), alone(-2)
        states = it.make_state(), it.make_state()
        shared = inputs(0, 0)  # the caller's arrays are its own again after each call
        for i in range(6):
            for which, value in enumerate((1, -2)):
                shared["x"][:] = value + i / 4
                shared["position"] = [i]
                self.assertEqual(it.predict(shared, states[which])["out"].tobytes(), wanted[which][i])

    def test_threads_do_not_disturb_each_other(self):
        it = model("functions_ios18")
        inputs = [{"x": np.full((1, 1, 4), i, np.float16), "position": [i]} for i in range(6)]
        def run(results):
            state = it.make_state()
            for one in inputs * 20:
                results.append(it.predict(one, state)["out"].tolist())
        alone = []
        run(alone)
        many = [[] for _ in range(4)]
        threads = [threading.Thread(target=run, args=(results,)) for results in many]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for results in many:
            self.assertEqual(results, alone)

    def test_outputs_do_not_look_into_inputs(self):
        it = model("values_ios15")
        x = np.ones((2, 3), np.float32)
        before = it.predict({"x": x, "n": [1]})
        kept = {name: value.copy() for name, value in before.items()}
        x[:] = 9
        for name, value in before.items():
            np.testing.assert_array_equal(value, kept[name])

    def test_the_environment_gives_the_arithmetic(self):
        self.assertEqual(model("compressed_ios18").arithmetic, "float16")
        os.environ["ANEMONE_ARITHMETIC"] = "float32"
        try:
            it = model("compressed_ios18")
            self.assertEqual(it.arithmetic, "float32")
            self.assertEqual(it.predict({"x": np.ones((1, 8))})["out"].dtype, np.float32)
            self.assertEqual(model("compressed_ios18", arithmetic="float16").arithmetic, "float16")
        finally:
            del os.environ["ANEMONE_ARITHMETIC"]

    def test_images_are_pil_images(self):
        try:
            import PIL.Image
        except ImportError:
            self.skipTest("there is no PIL")
        it = model("features_ios18")
        photo = PIL.Image.new("RGB", (6, 4), (1, 2, 3))
        inputs = {"ranged": np.ones((1, 3)), "listed": np.ones((2, 2)), "photo": photo}
        total = it.predict(inputs)["d"].ravel().tolist()
        self.assertEqual(sorted(total), [24, 48, 72])
        inputs["photo"] = PIL.Image.new("RGB", (5, 4))
        with self.assertRaisesRegex(anemone.Error, "is given an image of 5 x 4; allowed: 6 x 4"):
            it.predict(inputs)

    def test_a_pipeline_runs_its_models_one_after_the_other(self):
        folder = os.path.join(os.path.dirname(PACKAGES), "pipelines")
        for name in ("two", "nested", "halves", "photo_classifier"):
            with open(os.path.join(folder, name + ".json")) as file:
                figures = json.load(file)
            it = anemone.MLModel(os.path.join(folder, name + ".mlpackage"))
            self.assertIn(it.type, ("pipeline", "pipelineClassifier"))
            self.assertEqual((it.function_name, it.function_names), ("", []))
            inputs = {}
            for key, figure in figures["inputs"].items():
                inputs[key] = np.array(figure["elements"], figure["dtype"]).reshape(figure["shape"])
                if figure["dtype"] == "uint8":
                    try:
                        import PIL.Image
                    except ImportError:
                        break
                    inputs[key] = PIL.Image.fromarray(inputs[key])
            else:
                outputs = it.predict(inputs)
                self.assertEqual(set(outputs), set(figures["outputs"]))
                for key, figure in figures["outputs"].items():
                    if isinstance(figure, str):
                        self.assertEqual(outputs[key], figure)
                    elif "elements" in figure:
                        self.assertEqual(outputs[key].shape, tuple(figure["shape"]))
                        np.testing.assert_allclose(outputs[key].ravel(), figure["elements"], atol=2e-3)
                    else:
                        for label, odds in figure.items():
                            self.assertAlmostEqual(outputs[key][label], odds, places=5)
        with self.assertRaisesRegex(anemone.Error, "model 1: the model is a neuralNetwork"):
            anemone.MLModel(os.path.join(folder, "mixed.mlpackage"))

    def test_compressed_weights_mean_what_numpy_makes_of_them(self):
        folder = os.path.join(os.path.dirname(PACKAGES), "compressed")
        names = sorted(f for f in os.listdir(folder) if f.endswith(".json"))
        self.assertGreaterEqual(len(names), 5)
        for name in names:
            with open(os.path.join(folder, name)) as file:
                figures = json.load(file)
            if "x" not in figures:
                continue
            for arithmetic in ("float16", "float32"):
                it = anemone.MLModel(os.path.join(folder, name.replace(".json", ".mlpackage")), arithmetic=arithmetic)
                found = it.predict({"x": np.array(figures["x"])})["out"]
                np.testing.assert_allclose(found, figures["out"], rtol=1e-5, atol=1e-5, err_msg=name)
                if name.startswith("zero_row"):
                    self.assertEqual(found[:, 1].tolist(), [0, 0], name)

    def test_a_pipeline_has_one_state(self):
        folder = os.path.join(os.path.dirname(PACKAGES), "pipelines")
        it = anemone.MLModel(os.path.join(folder, "remembering.mlpackage"))
        state = it.make_state()
        self.assertEqual(state.names, ["total", "most"])
        x = np.float16([1, -2, 0.5])
        first = it.predict({"x": x}, state)["out"]
        np.testing.assert_array_equal(it.predict({"x": x}, state)["out"], [2, 0, 1])
        np.testing.assert_array_equal(state.read("total"), 2 * x)
        state.reset()
        np.testing.assert_array_equal(it.predict({"x": x}, state)["out"], first)

    def test_errors_are_of_one_type_and_say_what_is_allowed(self):
        with self.assertRaisesRegex(anemone.Error, "there is no such package") as caught:
            model("none")
        self.assertEqual(caught.exception.code, "not-found")
        it = model("blocks_ios17")
        for inputs, words in (
            ({"x": np.ones(3)}, r"input 'p' \(fp32 \[1\]\) is missing"),
            ({"x": np.ones(4), "p": [1]}, "does not match the shape"),
            ({"x": np.ones(3), "p": [1], "q": [1]}, "there is no input 'q'; allowed: x, p"),
            ({"X": np.ones(3), "p": [1]}, "there is no input 'X'; allowed: x, p"),
            ({"x": np.array(["a", "b", "c"]), "p": [1]}, "allowed: numbers and bools"),
            ({"x": [[1], [2, 3]], "p": [1]}, "input 'x' is no array: "),
            ({"x": None, "p": [1]}, "input 'x' is given an array of object"),
            ({"x": np.ones(3, complex), "p": [1]}, "input 'x' is given an array of complex128"),
            ({"x": [2**70] * 3, "p": [1]}, "input 'x' is given an array of object"),
            ({1: np.ones(3)}, "the name of a feature is 1; allowed: text"),
            (None, "predict\\(\\) is given NoneType; allowed: a dict of inputs by name"),
            (np.ones(3), "predict\\(\\) is given ndarray"),
            ([3], "predict\\(\\) is given int"),
        ):
            with self.assertRaisesRegex(anemone.Error, words):
                it.predict(inputs)
        with self.assertRaisesRegex(anemone.Error, "has no states"):
            it.make_state()
        with self.assertRaisesRegex(anemone.Error, "the state is of type int; allowed: what make_state"):
            it.predict({"x": np.ones(3), "p": [1]}, 5)
        for options in ({"arithmetic": "bf16"}, {"arithmetic": np.float32}, {"threads": -1}, {"threads": "2"},
                        {"threads": 5000}, {"function_name": 5}):
            with self.assertRaisesRegex(anemone.Error, "; allowed: ") as caught:
                model("blocks_ios17", **options)
            self.assertEqual(caught.exception.code, "usage")
        with self.assertRaisesRegex(anemone.Error, "path is None"):
            anemone.MLModel(None)
        state = model("functions_ios18").make_state()
        for call, words in (
            (lambda: state.read("q"), "no state 'q'; there are: kv"),
            (lambda: state.read(5), "the name of a feature is 5"),
            (lambda: state.write("kv", "a"), "state 'kv' is given an array of <U1"),
            (lambda: state.write("kv", [1]), "got shape"),
        ):
            with self.assertRaisesRegex(anemone.Error, words):
                call()
        for name, value in (("ANEMONE_THREADS", "-1"), ("ANEMONE_THREADS", "two"), ("ANEMONE_ARITHMETIC", "bf16")):
            os.environ[name] = value
            try:
                with self.assertRaisesRegex(anemone.Error, f"the environment variable {name} is '{value}'"):
                    model("blocks_ios17")
            finally:
                del os.environ[name]


if __name__ == "__main__":
    unittest.main()
