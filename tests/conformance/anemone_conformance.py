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
    CONFORMANCE_FAULT   scale:F multiplies every float output by F; op:A:B runs op B for op A
"""

import hashlib
import importlib
import json
import os
import platform
import time

import numpy

import anemone.coremltools  # noqa: F401, before coremltools
import anemone._libcoremlpython as border
import coremltools
import coremltools.converters.mil.testing_utils as testing_utils

LOG = os.environ.get("CONFORMANCE_LOG")
SAMPLE = int(os.environ.get("CONFORMANCE_SAMPLE", "1"))
SHARD, SHARDS = (int(part) for part in os.environ.get("CONFORMANCE_SHARD", "0/1").split("/"))
FAULT = os.environ.get("CONFORMANCE_FAULT", "")

# The tests take x86_64 for an Intel Mac, which they expect less of.
platform.machine = lambda: "arm64"

# The tests of graph passes check that a model is valid in the older neural-network format unless told
# otherwise; an engine for ML Programs is asked about ML Programs.
defaults = list(testing_utils.assert_model_is_valid.__defaults__)
assert defaults[0][0] == "neuralnetwork", defaults
defaults[0] = ("mlprogram", "fp32")
testing_utils.assert_model_is_valid.__defaults__ = tuple(defaults)


class Seen:
    """What the case that runs now has shown so far."""

    predictions = 0
    ops = set()
    kinds = set()
    half_expectations = 0
    # Outputs with float16 arithmetic by the id of the output that the test has: (that output, twin).
    twins = {}
    tight_held = 0
    tight_missed = []

    @classmethod
    def reset(cls):
        cls.predictions = cls.half_expectations = cls.tight_held = 0
        cls.ops = set()
        cls.kinds = set()
        cls.twins = {}
        cls.tight_missed = []


TIGHT = tuple(float(part) for part in os.environ.get("CONFORMANCE_TIGHT", "inf,inf").split(","))
HAS_TWINS = TIGHT[0] != float("inf")
# Half a unit in the last place of fp16, relative.
HALF_ULP = 2.0**-11
_assert_allclose = numpy.testing.assert_allclose


def _is_half(values):
    return isinstance(values, numpy.ndarray) and values.dtype == numpy.float16


def _judge(actual, desired, rtol=1e-7, atol=0, *rest, **named):
    """What a test computed in fp16 is known to half a unit in the last place, whatever its tolerance
    says; such cases are counted apart."""
    if _is_half(desired) and not _is_half(actual) and rtol < HALF_ULP:
        try:
            return _assert_allclose(actual, desired, rtol, atol, *rest, **named)
        except AssertionError:
            Seen.half_expectations += 1
            return _assert_allclose(actual, desired, rtol + HALF_ULP, atol, *rest, **named)
    _assert_allclose(actual, desired, rtol, atol, *rest, **named)
    if (rtol > TIGHT[1] or atol > TIGHT[0]) and id(actual) in Seen.twins:
        try:
            _assert_allclose(Seen.twins[id(actual)][1], desired, min(rtol, TIGHT[1]), min(atol, TIGHT[0]),
                             *rest, **named)
            Seen.tight_held += 1
        except AssertionError as error:
            Seen.tight_missed.append(str(error)[:300])


numpy.testing.assert_allclose = _judge


def _operations(block, found):
    for operation in block.operations:
        found.add(operation.type)
        for inner in operation.blocks:
            _operations(inner, found)


def _look_at(specification):
    Seen.kinds.add(specification.WhichOneof("Type"))
    for function in specification.mlProgram.functions.values():
        for block in function.block_specializations.values():
            _operations(block, Seen.ops)


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
            self._twin = _Plain(path, *rest, arithmetic="float16")

    def predict(self, data, state=None):
        Seen.predictions += 1
        outputs = super().predict(data, state)
        # A state would have to have a twin too.
        if self._twin is not None and state is None:
            for name, twin in self._twin.predict(data).items():
                Seen.twins[id(outputs[name])] = (outputs[name], twin)
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

    def change(block):
        for operation in block.operations:
            if operation.type == old:
                operation.type = new
            for inner in operation.blocks:
                change(inner)

    for function in specification.mlProgram.functions.values():
        for block in function.block_specializations.values():
            change(block)
    with open(os.path.join(target, "Data/com.apple.CoreML/model.mlmodel"), "wb") as file:
        file.write(specification.SerializeToString())
    return target, folder


for _name in ("models.model", "models._compiled_model", "models.compute_plan", "models.compute_device"):
    importlib.import_module("coremltools." + _name)._MLModelProxy = _Proxy
border._MLModelProxy = _Proxy


def _hash(case):
    return int.from_bytes(hashlib.sha256(case.encode()).digest()[:8], "big")


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
        number = _hash(item.nodeid)
        is_asked = item.nodeid in only if only is not None else number % SAMPLE == 0
        if is_asked and item.nodeid not in skip and number // SAMPLE % SHARDS == SHARD:
            kept.append(item)
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    _write({"collected": len(items), "kept": len(kept)})
    items[:] = kept


def _write(record):
    if LOG:
        with open(LOG, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


def pytest_collectreport(report):
    if report.failed:
        _write({"module": report.nodeid, "uncollected": str(report.longrepr)[-600:]})
    elif report.skipped:
        _write({"module": report.nodeid, "uncollected": str(report.longrepr)[-600:]})


def pytest_runtest_setup(item):
    Seen.reset()
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
              "cpu": round(time.process_time() - _started.get(item.nodeid, time.process_time()), 3)}
    marker = item.get_closest_marker("xfail")
    if problem is not None:
        is_skip = problem.typename in ("Skipped", "XFailed")
        record["result"] = "skipped" if is_skip else "failed"
        record["why"] = f"{problem.typename}: {str(problem.value)[:600]}"
        if marker is not None and not is_skip:
            record["result"] = "skipped"
            record["why"] = "xfail: " + str(marker.kwargs.get("reason", "expected to fail by its authors"))
    _write(record)
