"""Core ML packages (ML Programs), run on the CPU of any machine.

    import anemone
    model = anemone.MLModel("model.mlpackage")
    print(model)                                  # what it takes and what it gives
    outputs = model.predict({"x": array})         # arrays and PIL images in, the same out

    state = model.make_state()                    # of a stateful model
    outputs = model.predict({"x": token}, state)
    state.read("cache"); state.write("cache", array); state.reset()

``import anemone.coremltools`` lets coremltools itself predict by this engine.

Whatever is wrong with a package, an input or an option is an ``anemone.Error``, a RuntimeError whose
``code`` is "usage", "bad-input", "not-found", "unsupported", "numeric", "limit", "io" or "interrupted".

The environment variables ANEMONE_ARITHMETIC ("float16" or "float32") and ANEMONE_THREADS (a number) say
what the arguments ``arithmetic`` and ``threads`` are if they are not given.
"""

from __future__ import annotations

import collections.abc
import functools
import os
import signal
import threading
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union, overload

import numpy

from anemone import _core
from anemone._core import Error

__version__: str = _core.version
__all__ = ["Error", "MLModel", "State", "__version__"]


def _error(message: str, code: str = "bad-input") -> Error:
    error = Error(message)
    error.code = code
    return error


def _arithmetic(arithmetic: Optional[str]) -> str:
    """The arithmetic asked for, or the environment's, or float16."""
    chosen = arithmetic or os.environ.get("ANEMONE_ARITHMETIC") or "float16"
    if chosen not in ("float16", "float32"):
        what = "arithmetic" if arithmetic else "the environment variable ANEMONE_ARITHMETIC"
        raise _error(f"{what} is {chosen!r}; allowed: 'float16', 'float32'", "usage")
    return chosen


def _whole(what: str, number: Any, least: int, most: int) -> int:
    if not isinstance(number, (int, numpy.integer)) or not least <= number <= most:
        raise _error(f"{what} is {number!r}; allowed: {least} to {most}", "usage")
    return int(number)


def _threads(threads: Optional[int]) -> int:
    """The threads asked for, or the environment's; 0 stands for all processors."""
    what: str = "threads"
    number: Any = threads
    if threads is None:
        what = "the environment variable ANEMONE_THREADS"
        number = os.environ.get("ANEMONE_THREADS") or "0"
        number = int(number) if number.isdecimal() else number
    return _whole(what, number, 0, 1024)


def _is_image(value: Any) -> bool:
    """True for a PIL image, without importing PIL."""
    return hasattr(value, "getbands") and hasattr(value, "tobytes")


def _pixels(name: str, image: Any) -> Tuple[int, int, int, numpy.ndarray]:
    """(width, height, channels, pixels) of a PIL image."""
    if image.mode == "F":
        return image.width, image.height, 1, numpy.asarray(image, dtype=numpy.float32)
    channels = {"L": 1, "RGB": 3, "RGBA": 4}.get(image.mode)
    if channels is None:
        raise _error(
            f"input '{name}' is given an image of mode {image.mode}; allowed: L, RGB, RGBA, F "
            "(image.convert(\"RGB\") makes one)"
        )
    return image.width, image.height, channels, numpy.ascontiguousarray(image, dtype=numpy.uint8)


def _image(parts: Tuple[int, int, int, Any]) -> Any:
    """A PIL image of (width, height, channels, pixels)."""
    try:
        import PIL.Image
    except ModuleNotFoundError as error:
        raise _error("an output is an image, which needs Pillow: pip install pillow", "unsupported") from error
    pixels = numpy.asarray(parts[3])
    if parts[2] == 1:
        pixels = pixels[:, :, 0]
    if pixels.dtype == numpy.float16:
        return PIL.Image.fromarray(pixels.astype(numpy.float32))
    return PIL.Image.fromarray(pixels)


def _buffer(what: str, value: Any) -> numpy.ndarray:
    """`value` as a contiguous array in this machine's byte order: itself, wherever it is one."""
    try:
        if hasattr(value, "detach"):  # a tensor of torch, which may want its gradient kept
            value = value.detach().cpu()
            if str(value.dtype) == "torch.bfloat16":  # NumPy has no such type
                value = value.float()
        array = numpy.asarray(value)
    except Exception as error:  # whatever a stranger's __array__ raises
        raise _error(f"{what} is no array: {error}") from error
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise _error(f"{what} is given an array of {array.dtype}; allowed: numbers and bools")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    # ascontiguousarray would make a vector of a scalar.
    return array if array.flags.c_contiguous else array.copy(order="C")


def _text_of(feature: Mapping[str, Any]) -> str:
    """"fp32 [1, 3, 1..64]", "rgb image, 64 x 48"."""
    if feature["kind"] == "image":
        return f"{feature['color_space']} image, {feature['width']} x {feature['height']}"
    if "shape" not in feature:
        return str(feature["kind"])

    def listed(extents: Sequence[Any]) -> str:
        return "[" + ", ".join(map(str, extents)) + "]"

    def ranged(low: int, high: int) -> str:
        return str(low) if low == high else f"{low}..{'' if high < 0 else high}"

    shapes = listed(feature["shape"]) if feature["shape"] else "of any shape"
    if feature["ranges"]:
        shapes = listed([ranged(*one) for one in feature["ranges"]])
    elif feature["enumerated_shapes"]:
        shapes = " or ".join(map(listed, feature["enumerated_shapes"]))
    return f"{feature['dtype']} {shapes}"


def _is_interruptible() -> bool:
    """True where an interrupt would raise KeyboardInterrupt: on the main thread, unless somebody has
    other plans for it."""
    return (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )


class Features(Dict[str, Dict[str, Any]]):
    """Features by name; each is a dict with what the package says of it.

    Keys: name, kind ("array", "image", "state", "string", "int64", "double", "dictionary", "sequence"),
    description, is_optional; of arrays and states dtype ("fp16", "fp32", "int32", ...), shape,
    enumerated_shapes and ranges, a (least, most) for each extent (most is -1 where there is no bound); of
    images color_space ("rgb", "bgr", "grayscale", "grayscale_float16"), width and height.
    """

    def __init__(self, features: Sequence[Dict[str, Any]] = ()):
        super().__init__((feature["name"], feature) for feature in features)

    def __str__(self) -> str:
        return "\n".join(f"{name}: {_text_of(feature)}" for name, feature in self.items())


class State:
    """What a stateful model remembers from one prediction to the next; zeros at first.

    Made by ``MLModel.make_state()``, and good for every function of that model's package. Predictions with
    one state take turns; a stream of tokens has a state of its own.
    """

    def __init__(self, core: _core.State, model: _core.Model):
        self._core = core
        self._model = model

    @property
    def names(self) -> List[str]:
        """The names of the states, in the package's order."""
        return self._core.names()

    def read(self, name: str) -> numpy.ndarray:
        """The contents of the state of that name, as an array of its own."""
        return numpy.asarray(self._core.read(_name(name)))

    def write(self, name: str, value: Any) -> None:
        """Replaces the contents of the state of that name; `value` has the state's shape."""
        self._core.write(_name(name), _buffer(f"state '{name}'", value))

    def reset(self) -> None:
        """All states back to zero."""
        self._core.reset()

    def copy(self) -> State:
        """Another state with the same contents: two streams that have begun alike."""
        core = self._model.make_state()
        assert core is not None  # the model has made one before
        made = State(core, self._model)
        for name in self.names:
            made.write(name, self.read(name))
        return made

    def __copy__(self) -> State:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> State:
        return self.copy()

    def __repr__(self) -> str:
        return f"anemone.State({', '.join(map(repr, self.names))})"


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise _error(f"the name of a feature is {name!r}; allowed: text")
    return name


class MLModel:
    """One function of a Core ML package, or its pipeline.

    path: the folder, `model.mlpackage`
    function_name: of a package with several functions; None is its default. A pipeline has none
    arithmetic: "float16" rounds every result to the type that the program declares, "float32" keeps
        activations exact; None is the environment variable ANEMONE_ARITHMETIC, or "float16"
    threads: None is the environment variable ANEMONE_THREADS, or all processors
    max_memory_mb: working memory that a call may take, in 2^20 bytes; None is what this process may have
    max_loop_iterations: of all while loops of a call together

    Attributes: path, function_name, function_names, arithmetic, type ("mlProgram", "pipeline",
    "pipelineClassifier", "pipelineRegressor"), specification_version; input_description,
    output_description, state_description (``Features``: dicts by name); short_description, author, license,
    version, user_defined_metadata.

    Several threads may call one model at the same time, each with a state of its own. A pickled model is
    its path and arguments; unpickling loads the package again.
    """

    def __init__(
        self,
        path: Union[str, bytes, "os.PathLike[str]"],
        function_name: Optional[str] = None,
        arithmetic: Optional[str] = None,
        threads: Optional[int] = None,
        *,
        max_memory_mb: Optional[int] = None,
        max_loop_iterations: int = 1_000_000,
    ):
        try:
            self.path: str = os.fsdecode(path)
        except TypeError as error:
            raise _error(f"the package's path is {path!r}; allowed: text or a path", "usage") from error
        if not (function_name is None or isinstance(function_name, str)):
            raise _error(f"function_name is {function_name!r}; allowed: text or None", "usage")
        self.arithmetic: str = _arithmetic(arithmetic)
        self._threads = _threads(threads)
        self._limits = {"max_memory_mb": max_memory_mb, "max_loop_iterations": max_loop_iterations}
        memory_mb = 0 if max_memory_mb is None else _whole("max_memory_mb", max_memory_mb, 1, 2**40)
        iterations = _whole("max_loop_iterations", max_loop_iterations, 1, 2**62)
        self._core = _core.Model(
            self.path, function_name or "", self.arithmetic, self._threads, memory_mb, iterations
        )
        self.type: str = self._core.type
        self.function_name: str = self._core.function
        self.function_names: List[str] = self._core.functions
        self.specification_version: int = self._core.specification_version
        self.input_description = Features(self._core.inputs)
        self.output_description = Features(self._core.outputs)
        self.state_description = Features(self._core.states)
        metadata = self._core.metadata
        self.short_description: str = metadata["short_description"]
        self.author: str = metadata["author"]
        self.license: str = metadata["license"]
        self.version: str = metadata["version"]
        self.user_defined_metadata: Dict[str, str] = metadata["user_defined"]

    @overload
    def predict(self, data: Mapping[str, Any], state: Optional[State] = None) -> Dict[str, Any]: ...
    @overload
    def predict(self, data: Sequence[Mapping[str, Any]], state: None = None) -> List[Dict[str, Any]]: ...
    def predict(self, data: Any, state: Optional[State] = None) -> Any:
        """The outputs by name, for the inputs by name; a list of inputs gives a list of outputs.

        Inputs are arrays (whatever numpy.asarray takes, and tensors of torch) and PIL images; contiguous
        arrays of numbers are not copied. Outputs are arrays, PIL images, and of classifiers the label and a
        dict of probabilities. fp16 comes as float16 ("float32" arithmetic: float32). `state` is what
        make_state() gave, and is changed; a stateful model that is given none starts from zeros. Raises
        anemone.Error naming the input, what was found and what is allowed. An interrupt (Ctrl-C) ends the
        call between two ops with KeyboardInterrupt; the state may then be half written.
        """
        if isinstance(data, (list, tuple)):
            if state is not None:
                raise _error("a state goes with one prediction, not with a list of them")
            return [self.predict(one) for one in data]
        if not isinstance(data, collections.abc.Mapping):
            raise _error(
                f"predict() is given {type(data).__name__}; allowed: a dict of inputs by name, or a list of such"
            )
        if not (state is None or isinstance(state, State)):
            raise _error(f"the state is of type {type(state).__name__}; allowed: what make_state() gives")
        inputs = {
            _name(name): _pixels(name, value) if _is_image(value) else _buffer(f"input '{name}'", value)
            for name, value in data.items()
        }
        outputs = self._core.predict(inputs, None if state is None else state._core, _is_interruptible())
        return {name: self._output(value) for name, value in outputs.items()}

    @staticmethod
    def _output(value: Any) -> Any:
        if isinstance(value, _core.Array):
            return numpy.asarray(value)
        return _image(value) if isinstance(value, tuple) else value

    def make_state(self) -> State:
        """A new state, at zero."""
        core = self._core.make_state()
        if core is None:
            what = f"function '{self.function_name}'" if self.function_name else "the pipeline"
            raise _error(f"{self.path}: {what} has no states")
        return State(core, self._core)

    def __reduce__(self) -> Tuple[Any, ...]:
        # Another process may stand in another folder.
        arguments = (os.path.abspath(self.path), self.function_name or None, self.arithmetic, self._threads)
        return functools.partial(MLModel, **self._limits), arguments

    def __copy__(self) -> MLModel:
        return self

    def __deepcopy__(self, memo: Any) -> MLModel:
        return self  # nothing in it changes

    def __repr__(self) -> str:
        return (
            f"anemone.MLModel({self.path!r}, function_name={self.function_name or None!r}, "
            f"arithmetic={self.arithmetic!r})"
        )

    def __str__(self) -> str:
        lines = [repr(self)]
        for what, features in (
            ("input", self.input_description),
            ("state", self.state_description),
            ("output", self.output_description),
        ):
            lines += [f"  {what} {name}: {_text_of(feature)}" for name, feature in features.items()]
        return "\n".join(lines)
