"""coremltools on anemone's engine, where its own test suites of docs/conformance.md do not look: what notebooks do
around predict.

usage: bridge_test.py, by a Python that has coremltools, with the module on PYTHONPATH
"""

import os
import tempfile
import unittest

import numpy as np

import anemone.coremltools  # noqa: F401
import coremltools as ct
from coremltools.converters.mil.mil import Builder as mb, types
from coremltools.models.compute_device import MLComputeDevice
from coremltools.models.compute_plan import MLComputePlan, MLModelStructure
from coremltools.models.model import MLModelAsset

WEIGHT = np.arange(2000, dtype=np.float32).reshape(4, 500) / 1000


def converted(program, **options):
    options.setdefault("minimum_deployment_target", ct.target.iOS18)
    options.setdefault("compute_precision", ct.precision.FLOAT32)
    return ct.convert(program, convert_to="mlprogram", **options)


def linear():
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 500))], opset_version=ct.target.iOS18)
    def program(x):
        return mb.linear(x=x, weight=WEIGHT, name="y")

    return converted(program)


def relu():
    @mb.program(input_specs=[mb.TensorSpec(shape=(3,))], opset_version=ct.target.iOS18)
    def program(x):
        return mb.relu(x=x, name="y")

    return converted(program)


class Bridge(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="bridge-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.x = np.linspace(-1, 1, 500, dtype=np.float32)[None]
        self.y = self.x @ WEIGHT.T

    def check(self, model):
        np.testing.assert_allclose(model.predict({"x": self.x})["y"], self.y, rtol=1e-4)

    def test_a_compiled_model_predicts(self):
        model = linear()
        self.check(model)
        path = model.get_compiled_model_path()
        self.assertTrue(path.endswith(".mlmodelc"))
        self.check(ct.models.CompiledMLModel(path, compute_units=ct.ComputeUnit.CPU_AND_NE))
        package = os.path.join(self.folder, "m.mlpackage")
        model.save(package)
        compiled = ct.models.utils.compile_model(package, os.path.join(self.folder, "n.mlmodelc"))
        self.check(ct.models.CompiledMLModel(compiled))

    def test_a_specification_without_weights_compiles(self):
        compiled = ct.models.utils.compile_model(relu().get_spec())
        outputs = ct.models.CompiledMLModel(compiled).predict({"x": np.array([-1.0, 0, 2])})
        np.testing.assert_array_equal(outputs["y"], [0, 0, 2])

    def test_assets_come_from_a_path_and_from_memory(self):
        model = linear()
        self.check(ct.models.CompiledMLModel.from_asset(MLModelAsset.from_path(model.get_compiled_model_path())))
        with open(os.path.join(model.weights_dir, "weight.bin"), "rb") as file:
            weights = file.read()
        asset = MLModelAsset.from_memory(model.get_spec().SerializeToString(), {"weights/weight.bin": weights})
        self.check(ct.models.CompiledMLModel.from_asset(asset))

    def test_the_structure_is_there_and_the_compute_plan_needs_a_mac(self):
        model = linear()
        path = model.get_compiled_model_path()
        main = MLModelStructure.load_from_path(path).program.functions["main"]
        self.assertEqual([value.name for value in main.inputs], ["x"])
        self.assertEqual(main.block.output_names, ["y"])
        last = main.block.operations[-1]
        self.assertEqual(last.operator_name, "linear")
        self.assertEqual(last.inputs["x"].bindings[0].name, "x")

        @mb.program(input_specs=[mb.TensorSpec(shape=(3,))], opset_version=ct.target.iOS18)
        def square(y):
            return mb.square(x=y, name="z")

        pipeline = ct.utils.make_pipeline(relu(), converted(square))
        package = os.path.join(self.folder, "p.mlpackage")
        pipeline.save(package)
        names = [name for name, one in MLModelStructure.load_from_path(package).pipeline.sub_models if one.program]
        self.assertEqual(len(names), 2)
        with self.assertRaisesRegex(RuntimeError, "MLComputePlan needs Core ML on Apple hardware"):
            MLComputePlan.load_from_path(path)
        self.assertEqual(len(MLComputeDevice.get_all_compute_devices()), 1)

    def test_a_state_is_kept_read_and_written(self):
        @mb.program(
            input_specs=[mb.TensorSpec((2,), dtype=types.fp16), mb.StateTensorSpec((2,), dtype=types.fp16)],
            opset_version=ct.target.iOS18,
        )
        def program(x, total):
            now = mb.add(x=x, y=mb.read_state(input=total))
            return mb.identity(x=mb.coreml_update_state(state=total, value=now), name="y")

        model = converted(program, compute_precision=ct.precision.FLOAT16)
        one, other = model.make_state(), model.make_state()
        model.predict({"x": np.array([1.0, 2])}, state=one)
        np.testing.assert_array_equal(model.predict({"x": np.array([1.0, 2])}, state=one)["y"], [2, 4])
        np.testing.assert_array_equal(other.read_state(name="total"), [0, 0])
        other.write_state(name="total", value=np.array([5, 6], np.float16))
        np.testing.assert_array_equal(model.predict({"x": np.array([1.0, 2])}, state=other)["y"], [6, 8])
        np.testing.assert_array_equal(one.read_state(name="total"), [2, 4])

    def test_a_batch_is_a_list(self):
        outputs = relu().predict([{"x": np.array([i, -i, 0.0])} for i in range(3)])
        self.assertEqual([one["y"].tolist() for one in outputs], [[i, 0, 0] for i in range(3)])

    def test_what_is_no_number_is_refused(self):
        model = relu()
        for value in (None, "text", np.array([1, None, 2])):
            with self.assertRaisesRegex(RuntimeError, "allowed: numbers and bools"):
                model.predict({"x": value})
        with self.assertRaisesRegex(RuntimeError, r"MultiArray Shape \(2\), which does not match the shape \(3\)"):
            model.predict({"x": np.zeros(2)})

    def test_the_older_format_is_refused_by_name(self):
        @mb.program(input_specs=[mb.TensorSpec(shape=(3,))])
        def program(x):
            return mb.relu(x=x, name="y")

        model = ct.convert(program, convert_to="neuralnetwork")
        with self.assertRaisesRegex(RuntimeError, "the model is a neuralNetwork; only ML Programs"):
            model.predict({"x": np.zeros(3)})


if __name__ == "__main__":
    unittest.main(warnings="ignore")
