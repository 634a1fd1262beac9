"""Core ML packages (ML Programs), run on the CPU of any machine.

    import anemone
    model = anemone.MLModel("model.mlpackage")
    outputs = model.predict({"x": array})

``import anemone.coremltools`` lets coremltools itself predict by this engine.
"""

import os

import numpy

from anemone import _core
from anemone._core import Error

__version__ = _core.version
__all__ = ["Error", "MLModel", "State", "__version__"]


def _arithmetic(arithmetic):
    """The arithmetic asked for, or the environment's, or float16."""
    return arithmetic or os.environ.get("ANEMONE_ARITHMETIC") or "float16"


def _threads(threads):
    """The threads asked for, or the environment's; 0 stands for all processors."""
    if threads is not None:
        return threads
    text = os.environ.get("ANEMONE_THREADS") or "0"
    if not text.isdigit():
        raise Error(f"the environment variable ANEMONE_THREADS is {text!r}; allowed: a number")
    return int(text)


def _is_image(value):
    """True for a PIL image, without importing PIL."""
    return hasattr(value, "getbands") and hasattr(value, "tobytes")


def _pixels(name, image):
    """(width, height, channels, pixels) of a PIL image."""
    if image.mode == "F":
        return image.width, image.height, 1, numpy.asarray(image, dtype=numpy.float32)
    channels = {"L": 1, "RGB": 3, "RGBA": 4}.get(image.mode)
    if channels is None:
        raise Error(f"input '{name}' is given an image of mode {image.mode}; allowed: L, RGB, RGBA, F")
    return image.width, image.height, channels, numpy.ascontiguousarray(image, dtype=numpy.uint8)


def _image(parts):
    """A PIL image of (width, height, channels, pixels)."""
    import PIL.Image

    pixels = numpy.asarray(parts[3])
    if parts[2] == 1:
        pixels = pixels[:, :, 0]
    if pixels.dtype == numpy.float16:
        return PIL.Image.fromarray(pixels.astype(numpy.float32))
    return PIL.Image.fromarray(pixels)


def _buffer(name, value):
    """`value` as a contiguous array in this machine's byte order: itself, wherever it is one."""
    array = numpy.asarray(value)
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise Error(f"input '{name}' is given an array of {array.dtype}; allowed: numbers and bools")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    # ascontiguousarray would make a vector of a scalar.
    return array if array.flags.c_contiguous else array.copy(order="C")


class Features(dict):
    """Features by name; each is a dict with what the package says of it."""

    def __init__(self, features):
        super().__init__((feature["name"], feature) for feature in features)


class State:
    """What a stateful model remembers from one prediction to the next; zeros at first."""

    def __init__(self, core):
        self._core = core

    @property
    def names(self):
        return self._core.names()

    def read(self, name):
        """The contents of the state of that name, as an array of its own."""
        return numpy.asarray(self._core.read(name))

    def write(self, name, value):
        """Replaces the contents of the state of that name."""
        self._core.write(name, _buffer(name, value))

    def reset(self):
        """All states back to zero."""
        self._core.reset()


class MLModel:
    """One function of a Core ML package, or its pipeline.

    path: the folder, `model.mlpackage`
    function_name: of a package with several functions; None is its default. A pipeline has none
    arithmetic: "float16" rounds every result to the type that the program declares, "float32" keeps
        activations exact; None is the environment variable ANEMONE_ARITHMETIC, or "float16"
    threads: None is the environment variable ANEMONE_THREADS, or all processors

    Several threads may call one model at the same time, each with a state of its own.
    """

    def __init__(self, path, function_name=None, arithmetic=None, threads=None):
        self._core = _core.Model(
            os.fspath(path), function_name or "", _arithmetic(arithmetic), _threads(threads)
        )
        self.path = os.fspath(path)
        self.arithmetic = _arithmetic(arithmetic)
        self.type = self._core.type  # "mlProgram", "pipeline", "pipelineClassifier", "pipelineRegressor"
        self.function_name = self._core.function
        self.function_names = self._core.functions
        self.specification_version = self._core.specification_version
        self.input_description = Features(self._core.inputs)
        self.output_description = Features(self._core.outputs)
        self.state_description = Features(self._core.states)
        metadata = self._core.metadata
        self.short_description = metadata["short_description"]
        self.author = metadata["author"]
        self.license = metadata["license"]
        self.version = metadata["version"]
        self.user_defined_metadata = metadata["user_defined"]

    def predict(self, data, state=None):
        """The outputs by name, for the inputs by name; a list of inputs gives a list of outputs.

        Inputs are arrays (whatever numpy.asarray takes) and PIL images. Outputs are arrays, PIL images,
        and of classifiers the label and a dict of probabilities. fp16 comes as float16 ("float32"
        arithmetic: float32). A stateful model that is given no state starts from zeros.
        """
        if isinstance(data, (list, tuple)):
            if state is not None:
                raise Error("a state goes with one prediction, not with a list of them")
            return [self.predict(one) for one in data]
        inputs = {
            name: _pixels(name, value) if _is_image(value) else _buffer(name, value)
            for name, value in data.items()
        }
        core = state._core if isinstance(state, State) else state
        outputs = self._core.predict(inputs, core)
        return {name: self._output(value) for name, value in outputs.items()}

    @staticmethod
    def _output(value):
        if isinstance(value, _core.Array):
            return numpy.asarray(value)
        return _image(value) if isinstance(value, tuple) else value

    def make_state(self):
        """A new state, at zero."""
        core = self._core.make_state()
        if core is None:
            what = f"function '{self.function_name}'" if self.function_name else "the pipeline"
            raise Error(f"{self.path}: {what} has no states")
        return State(core)

    def __repr__(self):
        return f"anemone.MLModel({self.path!r}, function_name={self.function_name!r})"
