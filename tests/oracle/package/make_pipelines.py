#!/usr/bin/env python3
"""Writes pipelines/*.mlpackage with coremltools 9.0, and beside each what NumPy makes of some inputs.

model_test.cc in anemone/predict and the Python module's test run them. Each is a pipeline of ML
Programs but for `mixed`, one of whose models is of another type.

    pip install coremltools==9.0 numpy
    tests/oracle/package/make_pipelines.py      # rewrites the folder pipelines/
"""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import warnings

import numpy as np

warnings.filterwarnings("ignore")
import coremltools as ct  # noqa: E402
from coremltools.converters.mil.mil import Builder as mb  # noqa: E402
from coremltools.converters.mil.mil import types  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "pipelines"
RNG = np.random.default_rng(20261130)


def convert(prog, target=ct.target.iOS16, **kwargs):
    return ct.convert(prog, convert_to="mlprogram", minimum_deployment_target=target,
                      compute_precision=ct.precision.FLOAT32, skip_model_load=True, **kwargs)


def linear(name_in, name_out, weight, target=ct.target.iOS16):
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, weight.shape[1]))], opset_version=target)
    def prog(x):
        return mb.linear(x=x, weight=weight, name=name_out)

    model = convert(prog, target)
    spec = model.get_spec()
    ct.utils.rename_feature(spec, "x", name_in)
    return ct.models.MLModel(spec, weights_dir=model.weights_dir, skip_model_load=True)


def two():
    """Weights in a file for each model; one input of the second comes from the caller, one from the
    first; an output of the first is an output of the whole."""
    w = RNG.standard_normal((5, 4)).astype(np.float32)
    v = RNG.standard_normal((3, 5)).astype(np.float32)

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 4))], opset_version=ct.target.iOS16)
    def first(x):
        y = mb.linear(x=x, weight=w, name="y")
        return y, mb.reduce_sum(x=y, axes=[1], keep_dims=True, name="sum")

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 5)), mb.TensorSpec(shape=(1,))],
                opset_version=ct.target.iOS16)
    def second(y, scale):
        return mb.mul(x=mb.linear(x=mb.relu(x=y), weight=v), y=scale, name="out")

    x = RNG.standard_normal((1, 4)).astype(np.float32)
    scale = np.float32([2.5])
    y = x @ w.T
    return ct.utils.make_pipeline(convert(first), convert(second)), {"x": x, "scale": scale}, {
        "sum": y.sum(axis=1, keepdims=True), "out": np.maximum(y, 0) @ v.T * scale}


def halves():
    """What coremltools' bisect_model makes of one program; fp16 features outside."""
    w = RNG.standard_normal((8, 4)).astype(np.float16)
    v = RNG.standard_normal((4, 8)).astype(np.float16)

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 4), dtype=types.fp16)],
                opset_version=ct.target.iOS16)
    def prog(x):
        y = mb.relu(x=mb.linear(x=x, weight=w))
        return mb.sigmoid(x=mb.linear(x=y, weight=v), name="out")

    model = ct.convert(prog, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS16,
                       skip_model_load=True)
    with tempfile.TemporaryDirectory() as folder:
        ct.models.utils.bisect_model(model, folder, merge_chunks_to_pipeline=True,
                                     check_output_correctness=False)
        path = os.path.join(folder, "chunked_pipeline.mlpackage")
        shutil.copytree(path, FOLDER / "halves.mlpackage")
    x = RNG.standard_normal((1, 4)).astype(np.float16)
    y = np.maximum(x.astype(np.float64) @ w.T.astype(np.float64), 0)
    return None, {"x": x}, {"out": 1 / (1 + np.exp(-(y @ v.T.astype(np.float64))))}


def photo_classifier():
    """A pipelineClassifier: an image becomes an array, which the second model classifies."""

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, 2, 2))], opset_version=ct.target.iOS16)
    def first(photo):
        return mb.reduce_mean(x=photo, axes=[2, 3], keep_dims=False, name="colors")

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3))], opset_version=ct.target.iOS16)
    def second(colors):
        return mb.softmax(x=mb.mul(x=colors, y=np.float32(0.05)), axis=-1, name="odds")

    seen = convert(first, inputs=[ct.ImageType("photo", shape=(1, 3, 2, 2),
                                               color_layout=ct.colorlayout.RGB)])
    told = convert(second, classifier_config=ct.ClassifierConfig(["red", "green", "blue"]))
    spec = ct.utils.make_pipeline(seen, told).get_spec()
    inner = ct.proto.Model_pb2.Pipeline()
    inner.CopyFrom(spec.pipeline)
    inner.names.extend(["eye", "mouth"])
    spec.pipelineClassifier.pipeline.CopyFrom(inner)
    spec.description.predictedFeatureName = "classLabel"
    spec.description.predictedProbabilitiesName = "classLabel_probs"
    photo = RNG.integers(0, 256, (2, 2, 3)).astype(np.uint8)
    photo[:, :, 1] //= 2
    logits = photo.astype(np.float64).mean(axis=(0, 1)) * 0.05
    odds = np.exp(logits - logits.max())
    odds /= odds.sum()
    labels = ["red", "green", "blue"]
    return spec, {"photo": photo}, {"classLabel": labels[int(odds.argmax())],
                                    "classLabel_probs": dict(zip(labels, odds.tolist()))}


def nested():
    """A pipeline in a pipeline; its weights stand in the specification."""
    w = np.float32([[1, 2], [-1, 0.5]])
    inner = ct.utils.make_pipeline(linear("x", "y", w), linear("y", "z", w))
    outer = ct.utils.make_pipeline(inner, linear("z", "out", w))
    x = np.float32([[3, -4]])
    return outer, {"x": x}, {"out": x @ w.T @ w.T @ w.T}


def remembering():
    """Two models with a state each: a running total, and the largest value so far."""

    @mb.program(input_specs=[mb.TensorSpec(shape=(3,), dtype=types.fp16),
                             mb.StateTensorSpec(shape=(3,), dtype=types.fp16)],
                opset_version=ct.target.iOS18)
    def first(x, total):
        y = mb.add(x=x, y=mb.read_state(input=total), name="y")
        mb.coreml_update_state(state=total, value=y)
        return mb.identity(x=y, name="y_out")

    @mb.program(input_specs=[mb.TensorSpec(shape=(3,), dtype=types.fp16),
                             mb.StateTensorSpec(shape=(3,), dtype=types.fp16)],
                opset_version=ct.target.iOS18)
    def second(y_out, most):
        y = mb.maximum(x=y_out, y=mb.read_state(input=most), name="new")
        mb.coreml_update_state(state=most, value=y)
        return mb.identity(x=y, name="out")

    models = [convert(first, ct.target.iOS18), convert(second, ct.target.iOS18)]
    # The second run, after one that was given the same.
    x = np.float16([1, -2, 0.5])
    return ct.utils.make_pipeline(*models), {"x": x}, {"out": np.maximum(np.maximum(x, 0), 2 * x)}


def mixed():
    """A model of the older kind beside an ML Program; nobody but Core ML runs it."""
    from coremltools.models import datatypes
    from coremltools.models.neural_network import NeuralNetworkBuilder

    builder = NeuralNetworkBuilder([("y", datatypes.Array(2))], [("out", datatypes.Array(2))])
    builder.add_activation("act", "RELU", "y", "out")
    program = linear("x", "y", np.float32([[1, 2], [-1, 0.5]]))
    return ct.utils.make_pipeline(program, ct.models.MLModel(builder.spec, skip_model_load=True)), {}, {}


def plain(value):
    if isinstance(value, np.ndarray):
        return {"dtype": value.dtype.name, "shape": list(value.shape),
                "elements": value.astype(np.float64).reshape(-1).tolist()}
    return value


def main():
    if ct.__version__ != "9.0":
        sys.exit(f"coremltools is {ct.__version__}; 9.0 is wanted")
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    for make in (two, halves, photo_classifier, nested, remembering, mixed):
        model, inputs, outputs = make()
        path = FOLDER / f"{make.__name__}.mlpackage"
        if model is not None:
            if isinstance(model, ct.proto.Model_pb2.Model):
                model = ct.models.MLModel(model, skip_model_load=True)
            model.save(str(path))
            weights = path / "Data" / "com.apple.CoreML" / "weights"
            if weights.is_dir() and not any(weights.iterdir()):
                (weights / ".gitkeep").touch()  # git keeps no empty folder, and the manifest names it
        figures = {"made_by": f"coremltools {ct.__version__}, NumPy {np.__version__}",
                   "inputs": {k: plain(v) for k, v in inputs.items()},
                   "outputs": {k: plain(v) for k, v in outputs.items()}}
        with open(path.with_suffix(".json"), "w") as file:
            json.dump(figures, file, indent=1, ensure_ascii=False)
            file.write("\n")


if __name__ == "__main__":
    main()
