"""What coremltools expects of its extension module coremltools.libcoremlpython, on top of anemone.

Source of the names and of what crosses the border: coremltools 9.0, coremlpython/CoreMLPython.mm and
models/model.py.
"""

import functools
import json
import os
import shutil
import tempfile
import time
import uuid

import numpy

import anemone
from anemone import _core

CLASSES = (
    "_MLModelProxy",
    "_MLModelAssetProxy",
    "_MLCPUComputeDeviceProxy",
    "_MLGPUComputeDeviceProxy",
    "_MLNeuralEngineComputeDeviceProxy",
    "_MLComputePlanProxy",
    "_MLModelStructureProgramOperationProxy",
    "_MLModelStructureNeuralNetworkLayerProxy",
)

_DTYPES = {"fp16": "float16", "fp32": "float32", "fp64": "float64", "int32": "int32", "int8": "int8"}


def _needs_apple(what):
    return RuntimeError(
        f"{what} needs Core ML on Apple hardware; anemone.coremltools computes on this machine's CPU"
    )


class _TemporaryFolder:
    """A folder that goes with the last one who holds it."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="anemone-")

    def __del__(self, rmtree=shutil.rmtree):
        rmtree(self.path, ignore_errors=True)


class _State:
    def __init__(self, state):
        self.state = state

    def read_state(self, name):
        value = self.state.read(name)
        return value.astype(numpy.float32) if value.dtype == numpy.float16 else value

    def write_state(self, name, value):
        self.state.write(name, value)


class _MLModelAssetProxy:
    """A model in a folder: the package, whatever its name ends in."""

    def __init__(self, path, folder=None):
        self.path = path
        self.folder = folder


def _write_package(path, specification, blobs):
    """A package of these bytes; blobs are named as the specification names them."""
    data = os.path.join(path, "Data", "com.apple.CoreML")
    os.makedirs(os.path.join(data, "weights"))
    with open(os.path.join(data, "model.mlmodel"), "wb") as file:
        file.write(specification)
    for name, blob in blobs.items():
        with open(os.path.join(data, "weights", os.path.basename(str(name))), "wb") as file:
            file.write(blob)
    items = {}
    for item, item_path in (
        ("model.mlmodel", "com.apple.CoreML/model.mlmodel"),
        ("weights", "com.apple.CoreML/weights"),
    ):
        items[str(uuid.uuid5(uuid.NAMESPACE_OID, item)).upper()] = {
            "author": "com.apple.CoreML", "description": item, "name": item, "path": item_path}
    manifest = {"fileFormatVersion": "1.0.0", "itemInfoEntries": items, "rootModelIdentifier": next(iter(items))}
    with open(os.path.join(path, "Manifest.json"), "w") as file:
        json.dump(manifest, file)
    return path


def _compile(path, folder):
    """There is nothing to compile: a "compiled" model is the package in a folder of such a name."""
    name = os.path.splitext(os.path.basename(os.path.normpath(path)))[0]
    target = os.path.join(folder, name + ".mlmodelc")
    if os.path.isdir(path):
        shutil.copytree(path, target)
        return target
    # A specification by itself, which has no weights.
    with open(path, "rb") as file:
        return _write_package(target, file.read(), {})


def _asset(proxy):
    """The extension module hands out what coremltools makes of it."""
    from coremltools.models.model import MLModelAsset

    return MLModelAsset(proxy)


class _MLModelProxy:
    def __init__(self, path, compute_units, function_name, optimization_hints, asset=None, arithmetic=None):
        start = time.perf_counter_ns()
        if asset is not None:
            path = asset.path
        self._asset = asset
        self._path = path
        self._compiled = None
        self._model = anemone.MLModel(path, function_name or None, arithmetic)
        self._load_ns = time.perf_counter_ns() - start
        self._predict_ns = None

    def predict(self, data, state=None):
        start = time.perf_counter_ns()
        inputs = {name: self._input(name, value) for name, value in data.items()}
        try:
            outputs = self._model.predict(inputs, None if state is None else state.state)
        except _core.Error as error:
            raise RuntimeError(f"Unable to compute the prediction using ML Program. {error}") from None
        self._predict_ns = time.perf_counter_ns() - start
        return {name: self._output(name, value) for name, value in outputs.items()}

    def batchPredict(self, batch):
        return [self.predict(data) for data in batch]

    # Core ML takes any numbers and converts them to what the feature is.
    def _input(self, name, value):
        feature = self._model.input_description.get(name)
        if feature is None or feature["kind"] != "array":
            return value
        array = numpy.asarray(value)
        dtype = _DTYPES.get(feature["dtype"])
        if array.dtype.kind not in "biuf":
            return array  # None and text would become NaN and numbers; the engine refuses them by name
        # Halves come as float32, which float32 arithmetic does not round.
        if dtype == "float16" and array.dtype in (numpy.float32, numpy.float64):
            dtype = "float32"
        return array if dtype is None else array.astype(dtype, copy=False)

    # Halves go as float32, colors with alpha.
    def _output(self, name, value):
        if isinstance(value, numpy.ndarray) and value.dtype == numpy.float16:
            return value.astype(numpy.float32)
        if getattr(value, "mode", None) == "RGB":
            return value.convert("RGBA")
        return value

    def newState(self):
        return _State(self._model.make_state())

    def get_compiled_model_path(self):
        if self._compiled is None:
            self._compiled = _TemporaryFolder()
            self._compiled_path = _compile(self._path, self._compiled.path)
        return self._compiled_path

    def get_load_duration_in_nano_seconds(self):
        return self._load_ns

    def get_last_predict_duration_in_nano_seconds(self):
        return self._predict_ns

    @staticmethod
    def maximum_supported_specification_version():
        return 10

    @staticmethod
    def auto_set_specification_version(specification):
        return specification

    @staticmethod
    def compileModel(path):
        anemone.MLModel(path)
        return _compile(path, tempfile.mkdtemp(prefix="anemone-"))

    @staticmethod
    def create_model_asset_from_path(path):
        if not os.path.isdir(path):
            raise RuntimeError(f"{path}: there is no such compiled model")
        return _asset(_MLModelAssetProxy(path))

    @staticmethod
    def create_model_asset_from_memory(specification, blobs):
        folder = _TemporaryFolder()
        path = _write_package(os.path.join(folder.path, "model.mlmodelc"), specification, blobs or {})
        return _asset(_MLModelAssetProxy(path, folder))

    @staticmethod
    def get_available_compute_devices():
        return _devices()

    @staticmethod
    def get_all_compute_devices():
        return _devices()

    @staticmethod
    def get_model_structure(path):
        """What the specification says; of a compiled model Apple's compiler may have changed ops."""
        anemone.MLModel(path)  # refuses what is damaged, and what is no program
        from anemone._structure import load_structure

        return load_structure(path)

    @staticmethod
    def get_compute_plan(path, compute_units):
        raise _needs_apple("MLComputePlan")


class _MLCPUComputeDeviceProxy:
    pass


class _MLGPUComputeDeviceProxy:
    pass


class _MLNeuralEngineComputeDeviceProxy:
    def get_total_core_count(self):
        raise _needs_apple("The Neural Engine's number of cores")


class _MLComputePlanProxy:
    pass


class _MLModelStructureProgramOperationProxy:
    pass


class _MLModelStructureNeuralNetworkLayerProxy:
    pass


@functools.lru_cache(maxsize=None)
def _devices():
    """The one that there is."""
    from coremltools.models.compute_device import MLCPUComputeDevice

    return [MLCPUComputeDevice(_MLCPUComputeDeviceProxy())]
