"""One call of a MIL op: its inputs, what coremltools infers, what the definition gives in float64."""
import json

import numpy as np
from coremltools.converters.mil.mil import Builder as mb
from coremltools.converters.mil.mil import types
from coremltools import target

OPSETS = {"ios15": target.iOS15, "ios16": target.iOS16, "ios17": target.iOS17, "ios18": target.iOS18}
SUB_BYTE = {
    "uint1": types.np_uint1_dtype,
    "uint2": types.np_uint2_dtype,
    "uint3": types.np_uint3_dtype,
    "uint4": types.np_uint4_dtype,
    "uint6": types.np_uint6_dtype,
    "int4": types.np_int4_dtype,
}
NAMES = {"float16": "fp16", "float32": "fp32"}


class Small:
    """An array of a dtype narrower than a byte."""

    def __init__(self, name, values):
        self.name = name
        self.values = np.asarray(values)


def dtype_name(value):
    if isinstance(value, Small):
        return value.name
    return NAMES.get(value.dtype.name, value.dtype.name)


def number(value):
    """The shortest text that is as good as the number."""
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    value = float(value)
    if value == int(value) and abs(value) < 1e15:
        return int(value)
    return float(f"{value:.9g}")


def tensor_json(value):
    array = value.values if isinstance(value, Small) else value
    return [dtype_name(value), list(array.shape), [number(v) for v in array.reshape(-1)]]


def input_json(value):
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return value
    if isinstance(value, list):
        return [tensor_json(v) for v in value]
    return tensor_json(value)


def for_coremltools(value):
    """As the builder takes it: rank 0 as a scalar of NumPy."""
    if isinstance(value, Small):
        return value.values.astype(SUB_BYTE[value.name])
    if isinstance(value, list):
        return [for_coremltools(v) for v in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return np.int32(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value.dtype.type(value)
    return value


def infer(op, opset, inputs):
    """(type, value or None) of every output, as coremltools has them."""
    found = []

    @mb.program(input_specs=[], opset_version=OPSETS[opset])
    def program():
        outputs = getattr(mb, op)(**{k: for_coremltools(v) for k, v in inputs.items()})
        outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        producer = outputs[0].op
        values = [o.val for o in outputs]
        if values[0] is None and hasattr(producer, "materialized_val_inference"):
            made = producer.materialized_val_inference()
            values = list(made) if isinstance(made, tuple) else [made]
        for output, value in zip(outputs, values):
            found.append((types.builtin_to_string(output.dtype), [int(e) for e in output.shape], value))
        return outputs[0] if outputs[0].op.op_type != "write_state" else None

    return found


class Golden:
    def __init__(self):
        self.lines = []
        self.by_op = {}
        self.compared = 0

    def add(self, op, inputs, expected, opset="ios15", values=True, types_from=None, value_tolerance=None):
        """Adds a case. `expected`: float64 or integer arrays, from the definition. With `values`, what
        coremltools itself folds must agree; `types_from` replaces its types where they are not its
        runtime's (with a reason beside the call)."""
        expected = expected if isinstance(expected, (list, tuple)) else [expected]
        expected = [np.asarray(e) for e in expected]
        if types_from is None:
            found = infer(op, opset, inputs)
        else:
            found = [(dtype, list(shape), None) for dtype, shape in types_from]
        assert len(found) == len(expected), (op, len(found), len(expected))
        outputs = []
        for (dtype, shape, value), wanted in zip(found, expected):
            assert list(wanted.shape) == shape, (op, opset, inputs, shape, wanted.shape)
            if values and value is not None:
                tolerance = value_tolerance or {"fp16": 2e-2, "fp32": 2e-4}.get(dtype, 0)
                value = np.asarray(value).astype(np.float64)
                scale = np.maximum(1, np.abs(wanted.astype(np.float64)))
                error = np.max(np.abs(value - wanted) / scale) if wanted.size else 0
                assert error <= tolerance, (op, opset, inputs, value, wanted)
                self.compared += 1
            outputs.append([dtype, shape, [number(v) for v in wanted.reshape(-1)]])
        line = {"op": op, "opset": opset, "in": {k: input_json(v) for k, v in inputs.items()}, "out": outputs}
        self.lines.append(json.dumps(line, separators=(",", ":")))
        self.by_op[op] = self.by_op.get(op, 0) + 1


class Draw:
    """Random inputs that both halves and short decimals hold exactly."""

    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)

    def floats(self, shape, dtype=np.float32, low=-4.0, high=4.0, grain=16):
        whole = self.generator.integers(int(low * grain), int(high * grain), size=shape, endpoint=True)
        return np.asarray(whole / grain, dtype=dtype)

    def ints(self, shape, low, high, dtype=np.int32):
        return np.asarray(self.generator.integers(low, high, size=shape, endpoint=True), dtype=dtype)

    def bools(self, shape):
        return np.asarray(self.generator.integers(0, 1, size=shape, endpoint=True), dtype=bool)

    def one_of(self, choices):
        return choices[int(self.generator.integers(0, len(choices)))]

    def shape(self, rank, low=1, high=3):
        return tuple(int(v) for v in self.generator.integers(low, high, size=rank, endpoint=True))

    def float_dtype(self):
        return self.one_of([np.float16, np.float32])


def wide(array):
    """In float64, or as it is."""
    return array.astype(np.float64) if array.dtype.kind == "f" else array
