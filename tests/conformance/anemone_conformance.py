"""A pytest plugin that runs coremltools' own tests on anemone's engine, and keeps what each showed.

Loaded with `-p anemone_conformance` before any test module. Environment variables, all set by
scripts/conformance:

    CONFORMANCE_LOG     the file that results are appended to, a JSON object a line
    CONFORMANCE_SAMPLE  N: one case in N, chosen by the hash of its id
    CONFORMANCE_SHARD   K/N: the K-th of N parts, from 0
    CONFORMANCE_ONLY    a file of case ids, one a line: these alone
    CONFORMANCE_SKIP    a file of case ids: not these
    CONFORMANCE_TIGHT   atol,rtol: where a test allows more than these (its tolerance for fp16), what the engine
                        gives with float16 arithmetic is judged at these too, and counted apart
    CONFORMANCE_DRAWS   fp16: the random numbers that a test draws are ones that fp16 holds, and sums of two of them
                        too (multiples of 1/256), so that a test that rounds them to fp16 changes nothing by that
    CONFORMANCE_FAULT   scale:F multiplies every float output by F; op:A:B runs op B for op A
"""

import functools
import importlib
import json
import os
import platform
import random
import sys
import time

import numpy

import anemone.coremltools  # noqa: F401, before coremltools
import anemone._libcoremlpython as border
import coremltools
import coremltools.converters.mil.testing_utils as testing_utils
from conformance_table import number_of

LOG = os.environ.get("CONFORMANCE_LOG")
SAMPLE = int(os.environ.get("CONFORMANCE_SAMPLE", "1"))
SHARD, SHARDS = (int(part) for part in os.environ.get("CONFORMANCE_SHARD", "0/1").split("/"))
FAULT = os.environ.get("CONFORMANCE_FAULT", "")
DRAWS = os.environ.get("CONFORMANCE_DRAWS", "")

# The tests take x86_64 for an Intel Mac, which they expect less of.
platform.machine = lambda: "arm64"


class Seen:
    """What the case that runs now has shown so far."""

    @classmethod
    def reset(cls):
        cls.predictions = cls.half_expectations = cls.tight_held = 0
        cls.ops = set()
        cls.kinds = set()
        # fp16 inside of a program: None while no program was seen.
        cls.holds_half = None
        # The test names no format, and was led to ML Programs.
        cls.is_led = False
        # Outputs with float16 arithmetic by the id of the output that the test has: (that output, twin).
        cls.twins = {}
        cls.tight_missed = []
        # The last comparison that did not hold: what it asked for, and whether what float16 arithmetic is
        # judged at would have held.
        cls.miss = None


Seen.reset()

# The tests of graph passes check that a model is valid in the older neural-network format unless told
# otherwise; an engine for ML Programs is asked about ML Programs.
defaults = list(testing_utils.assert_model_is_valid.__defaults__)
assert defaults[0] == ("neuralnetwork", "fp32"), defaults


class _LedToMlProgram(tuple):
    """("mlprogram", "fp32"), known by its type for the default that took the place of the tests' own."""

    def __iter__(self):
        Seen.is_led = True
        return super().__iter__()


defaults[0] = _LedToMlProgram(("mlprogram", "fp32"))
testing_utils.assert_model_is_valid.__defaults__ = tuple(defaults)

TIGHT = tuple(float(part) for part in os.environ.get("CONFORMANCE_TIGHT", "inf,inf").split(","))
HAS_TWINS = TIGHT[0] != float("inf")
# Where nothing else is said, what fp16 is good for.
HALF_TOLERANCE = TIGHT if HAS_TWINS else (0.01, 0.02)
# Half a unit in the last place of fp16, relative.
HALF_ULP = 2.0**-11
_assert_allclose = numpy.testing.assert_allclose


def _is_half(values):
    return isinstance(values, numpy.ndarray) and values.dtype == numpy.float16


def _holds(actual, desired, rtol, atol, *rest, **named):
    try:
        _assert_allclose(actual, desired, rtol, atol, *rest, **named)
    except AssertionError:
        return False
    return True


def _judge(actual, desired, rtol=1e-7, atol=0, *rest, **named):
    """What a test computed in fp16 is known to half a unit in the last place, whatever its tolerance
    says; such cases are counted apart."""
    allowed = rtol
    if _is_half(desired) and not _is_half(actual) and rtol < HALF_ULP:
        if not _holds(actual, desired, rtol, atol, *rest, **named):
            Seen.half_expectations += 1
            allowed = rtol + HALF_ULP
    try:
        _assert_allclose(actual, desired, allowed, atol, *rest, **named)
    except AssertionError:
        Seen.miss = {"atol": float(atol), "rtol": float(rtol), "of_half": bool(_is_half(desired)),
                     "holds_as_half": _holds(actual, desired, HALF_TOLERANCE[1], HALF_TOLERANCE[0], *rest, **named)}
        raise
    if (rtol > TIGHT[1] or atol > TIGHT[0]) and id(actual) in Seen.twins:
        try:
            _assert_allclose(Seen.twins[id(actual)][1], desired, min(rtol, TIGHT[1]), min(atol, TIGHT[0]),
                             *rest, **named)
            Seen.tight_held += 1
        except AssertionError as error:
            Seen.tight_missed.append(str(error)[:300])


numpy.testing.assert_allclose = _judge

NUMPY_DRAWS = ("normal", "rand", "randn", "random", "random_sample", "ranf", "sample", "standard_normal", "uniform")
TORCH_DRAWS = ("normal", "rand", "rand_like", "randn", "randn_like")
TORCH_FILLS = ("normal_", "uniform_")


def _held_by_half(values):
    """Numbers of NumPy or torch near those, which fp16 holds and whose sums it holds."""
    near = (values * 256).round() / 256
    if hasattr(near, "detach"):
        return near.half().to(near.dtype) if near.is_floating_point() else values
    return type(near)(numpy.float16(near)) if numpy.isscalar(near) else near.astype(numpy.float16).astype(near.dtype)


def _draw_what_half_holds():
    """Replaces what draws numbers in NumPy and, if it is there, in torch, whose layers too draw their weights."""
    def wrapped(draw):
        @functools.wraps(draw)
        def drawn(*arguments, **named):
            values = draw(*arguments, **named)
            return _held_by_half(numpy.float64(values) if isinstance(values, float) else values)
        return drawn

    def filling(fill):
        @functools.wraps(fill)
        def filled(tensor, *arguments, **named):
            fill(tensor, *arguments, **named)
            return tensor.copy_(_held_by_half(tensor))
        return filled

    for name in NUMPY_DRAWS:
        setattr(numpy.random, name, wrapped(getattr(numpy.random, name)))
    try:
        import torch
    except ModuleNotFoundError:
        return
    for name in TORCH_DRAWS:
        setattr(torch, name, wrapped(getattr(torch, name)))
    for name in TORCH_FILLS:
        setattr(torch.Tensor, name, filling(getattr(torch.Tensor, name)))


if DRAWS == "fp16":
    _draw_what_half_holds()
elif DRAWS:
    raise SystemExit(f"CONFORMANCE_DRAWS is {DRAWS}, where fp16 or nothing is allowed")


HALF = coremltools.proto.MIL_pb2.DataType.FLOAT16


def _operations(block):
    for operation in block.operations:
        yield operation
        for inner in operation.blocks:
            yield from _operations(inner)


def _look_at(specification):
    Seen.kinds.add(specification.WhichOneof("Type"))
    for function in specification.mlProgram.functions.values():
        values = list(function.inputs)
        for block in function.block_specializations.values():
            for operation in _operations(block):
                Seen.ops.add(operation.type)
                values += operation.outputs
        holds = any(value.type.tensorType.dataType == HALF for value in values)
        Seen.holds_half = holds or bool(Seen.holds_half)


_Plain = border._MLModelProxy


class _Proxy(_Plain):
    def __init__(self, path, *rest):
        folder = None
        if os.path.isdir(path):
            specification = coremltools.utils.load_spec(path)
            _look_at(specification)
            if FAULT.startswith("op:"):
                path, folder = _with_another_op(path, specification)
        else:
            Seen.kinds.add("neuralNetwork")
        super().__init__(path, *rest)
        self._folder = folder
        self._twin = None
        if HAS_TWINS and Seen.kinds == {"mlProgram"}:
            try:
                self._twin = _Plain(path, *rest, arithmetic="float16")
            except Exception as error:
                Seen.tight_missed.append(f"with float16 arithmetic: {error}"[:300])

    def newState(self):
        state = super().newState()
        return state if self._twin is None else _States(state, self._twin.newState())

    def predict(self, data, state=None):
        Seen.predictions += 1
        twin_state = None
        if isinstance(state, _States):
            state, twin_state = state.plain, state.twin
        outputs = _faulty(super().predict(data, state))
        # A state that another model made has no twin.
        if self._twin is not None and (state is None) == (twin_state is None):
            try:
                twins = _faulty(self._twin.predict(data, twin_state))
            except RuntimeError as error:
                Seen.tight_missed.append(f"with float16 arithmetic: {error}"[:300])
                return outputs
            for name, twin in twins.items():
                Seen.twins[id(outputs[name])] = (outputs[name], twin)
        return outputs


class _States:
    """A state and its twin, which float16 arithmetic changes."""

    def __init__(self, plain, twin):
        self.plain = plain
        self.twin = twin

    def read_state(self, name):
        value = self.plain.read_state(name)
        Seen.twins[id(value)] = (value, self.twin.read_state(name))
        return value

    def write_state(self, name, value):
        self.plain.write_state(name, value)
        self.twin.write_state(name, value)


def _faulty(outputs):
    """The outputs as the asked fault makes them."""
    if FAULT.startswith("scale:"):
        for name, value in outputs.items():
            if isinstance(value, numpy.ndarray) and value.dtype.kind == "f":
                outputs[name] = value * value.dtype.type(FAULT[len("scale:"):])
    return outputs


def _with_another_op(path, specification):
    """The package with one op's name changed, in a folder of its own."""
    import shutil

    old, new = FAULT.split(":")[1:]
    folder = border._TemporaryFolder()
    target = os.path.join(folder.path, "faulty.mlpackage")
    shutil.copytree(path, target)

    for function in specification.mlProgram.functions.values():
        for block in function.block_specializations.values():
            for operation in _operations(block):
                if operation.type == old:
                    operation.type = new
    with open(os.path.join(target, "Data/com.apple.CoreML/model.mlmodel"), "wb") as file:
        file.write(specification.SerializeToString())
    return target, folder


for _name in ("models.model", "models._compiled_model", "models.compute_plan", "models.compute_device"):
    importlib.import_module("coremltools." + _name)._MLModelProxy = _Proxy
border._MLModelProxy = _Proxy


def _listed(variable):
    path = os.environ.get(variable)
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        return {line.rstrip("\n") for line in file}


def pytest_collection_modifyitems(config, items):
    only = _listed("CONFORMANCE_ONLY")
    skip = _listed("CONFORMANCE_SKIP") or set()
    kept = []
    for item in items:
        number = number_of(item.nodeid)
        is_asked = item.nodeid in only if only is not None else number % SAMPLE == 0
        if is_asked and item.nodeid not in skip and number // SAMPLE % SHARDS == SHARD:
            kept.append(item)
    chosen = set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    chosen_by_hash = sum(number_of(item.nodeid) % SAMPLE == 0 for item in items)
    sample = {} if only is not None else {"sample": SAMPLE, "chosen": chosen_by_hash}
    _write({"collected": len(items), "kept": len(kept), **sample, **_run()})
    items[:] = kept


def _run():
    """What the records that follow were made with."""
    about = {"date": time.strftime("%Y-%m-%d", time.gmtime()), "tight": os.environ.get("CONFORMANCE_TIGHT", ""),
             "arithmetic": os.environ.get("ANEMONE_ARITHMETIC", ""), "python": platform.python_version()}
    for package in ("coremltools", "numpy", "torch", "anemone"):
        if package in sys.modules:
            about[package] = getattr(sys.modules[package], "__version__", "")
    return about


def _write(record):
    if LOG:
        with open(LOG, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


def pytest_collectreport(report):
    if report.failed or report.skipped:
        _write({"module": report.nodeid, "uncollected": str(report.longrepr)[-600:]})


def pytest_runtest_setup(item):
    Seen.reset()
    # Whatever ran before: a case has the inputs that its id gives it.
    seed = number_of(item.nodeid) % 2**32
    random.seed(seed)
    numpy.random.seed(seed)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)
    # A case that ends the process leaves this behind and nothing else.
    _write({"id": item.nodeid, "result": "started"})


_started = {}


def pytest_runtest_makereport(item, call):
    if call.when == "setup":
        _started[item.nodeid] = time.process_time()
    problem = call.excinfo
    if call.when == "teardown" or (call.when == "setup" and problem is None):
        return
    record = {"id": item.nodeid, "result": "passed", "predictions": Seen.predictions,
              "ops": sorted(Seen.ops), "kinds": sorted(kind or "" for kind in Seen.kinds),
              "half_expectations": Seen.half_expectations,
              "tight_held": Seen.tight_held, "tight_missed": Seen.tight_missed[:1],
              "holds_half": Seen.holds_half, "is_led": Seen.is_led, "draws": DRAWS,
              "cpu": round(time.process_time() - _started.get(item.nodeid, time.process_time()), 3)}
    marker = item.get_closest_marker("xfail")
    if problem is not None:
        is_skip = problem.typename in ("Skipped", "XFailed")
        record["result"] = "skipped" if is_skip else "failed"
        if Seen.miss is not None:
            record["miss"] = Seen.miss
        record["why"] = f"{problem.typename}: {str(problem.value)[:600]}"
        if marker is not None and not is_skip:
            record["result"] = "skipped"
            record["why"] = "xfail: " + str(marker.kwargs.get("reason", "expected to fail by its authors"))
    _write(record)
