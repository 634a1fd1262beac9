"""Elementwise ops, activations, reductions and norms."""
import numpy as np
import torch
import torch.nn.functional as F

from case import wide


def of_torch(f):
    return lambda x: f(torch.tensor(x)).numpy()


UNARY = {
    "abs": np.abs, "acos": np.arccos, "asin": np.arcsin, "atan": np.arctan, "atanh": np.arctanh,
    "ceil": np.ceil, "cos": np.cos, "cosh": np.cosh, "erf": of_torch(torch.erf), "exp": np.exp,
    "exp2": np.exp2, "floor": np.floor, "round": np.round, "sign": np.sign, "sin": np.sin, "sinh": np.sinh,
    "sqrt": np.sqrt, "square": np.square, "tan": np.tan, "tanh": np.tanh, "relu": of_torch(F.relu),
    "relu6": of_torch(F.relu6), "sigmoid": of_torch(torch.sigmoid), "silu": of_torch(F.silu),
    "softplus": of_torch(F.softplus), "softsign": of_torch(F.softsign),
}
DOMAIN = {"acos": (-1, 1), "asin": (-1, 1), "atanh": (-0.9375, 0.9375), "sqrt": (0, 8), "tan": (-1.25, 1.25)}
WHOLE_TOO = ("abs", "exp2", "sign", "square")

BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "real_div": np.divide, "floor_div": np.floor_divide,
    "mod": np.mod, "maximum": np.maximum, "minimum": np.minimum, "pow": np.power, "equal": np.equal,
    "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal, "greater": np.greater,
    "greater_equal": np.greater_equal,
}
LOGICAL = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}
SHAPES = [((2, 3), (2, 3)), ((2, 1, 3), (4, 1)), ((), (3,)), ((1, 2), (3, 1, 2)), ((2, 2), ())]


def unary(golden, draw):
    for op, f in UNARY.items():
        low, high = DOMAIN.get(op, (-4, 4))
        for dtype in (np.float16, np.float32, np.float32):
            x = draw.floats(draw.shape(draw.one_of([0, 1, 2, 3])), dtype, low, high)
            golden.add(op, {"x": x}, f(wide(x)), values=x.ndim > 0)
        if op in WHOLE_TOO:
            x = draw.ints((4,), 0 if op == "exp2" else -5, 5)
            golden.add(op, {"x": x}, f(x).astype(np.int64), values=False)
    for op, f in (("rsqrt", lambda x: 1 / np.sqrt(x)), ("inverse", lambda x: 1 / x), ("log", np.log)):
        for opset in ("ios15", "ios17"):
            x = draw.floats((2, 3), draw.float_dtype() if opset == "ios17" else np.float32, 0.25, 8)
            epsilon = np.asarray(0.5, np.float32)
            golden.add(op, {"x": x, "epsilon": epsilon}, f(wide(x) + 0.5), opset)
    x = draw.bools((2, 3))
    golden.add("logical_not", {"x": x}, ~x)
    for mode, name in (("EXACT", "none"), ("TANH_APPROXIMATION", "tanh")):
        x = draw.floats((3, 2), draw.float_dtype())
        y = F.gelu(torch.from_numpy(wide(x)), approximate=name).numpy()
        golden.add("gelu", {"x": x, "mode": mode}, y)
    x = draw.floats((4,))
    golden.add("gelu", {"x": x, "mode": "SIGMOID_APPROXIMATION"}, x / (1 + np.exp(-1.702 * wide(x))))
    for opset in ("ios15", "ios17"):
        x = draw.floats((2, 4), np.float16)
        golden.add("clip", {"x": x, "alpha": np.asarray(-1.5, np.float16), "beta": np.asarray(2, np.float16)},
                   np.clip(wide(x), -1.5, 2), opset)
    x = draw.ints((5,), -9, 9)
    golden.add("threshold", {"x": x, "alpha": 2}, np.maximum(x, 2))
    x = draw.floats((5,))
    golden.add("threshold", {"x": x, "alpha": np.asarray(0.75, np.float32)}, np.maximum(wide(x), 0.75))


def parametric(golden, draw):
    ones = {
        "elu": lambda x, a: np.where(x > 0, x, a * np.expm1(x)),
        "leaky_relu": lambda x, a: np.where(x >= 0, x, a * x),
        "thresholded_relu": lambda x, a: np.where(x >= a, x, 0),
    }
    twos = {
        "clamped_relu": lambda x, a, b: np.minimum(b, np.where(x >= 0, x, a * x)),
        "linear_activation": lambda x, a, b: a * x + b,
        "scaled_tanh": lambda x, a, b: a * np.tanh(b * x),
        "sigmoid_hard": lambda x, a, b: np.clip(a * x + b, 0, 1),
    }
    a, b = np.asarray(0.375, np.float32), np.asarray(1.25, np.float32)
    for opset, dtype in (("ios15", np.float32), ("ios17", np.float16)):
        # coremltools 9.0 folds thresholded_relu and elu in place, on what is a view for rank 0.
        for op, f in ones.items():
            x = draw.floats((2, 4), dtype)
            golden.add(op, {"x": x, "alpha": a}, f(wide(x), float(a)), opset)
        for op, f in twos.items():
            x = draw.floats((2, 4), dtype)
            golden.add(op, {"x": x, "alpha": a, "beta": b}, f(wide(x), float(a), float(b)), opset)
        x = draw.floats((2, 3, 2, 1), dtype)
        alpha, beta = draw.floats((3,), np.float32), draw.floats((3,), np.float32, 0.25, 2)
        slope = alpha.reshape(1, 3, 1, 1).astype(np.float64)
        golden.add("prelu", {"x": x, "alpha": alpha}, np.where(x > 0, wide(x), slope * wide(x)), opset)
        z = beta.reshape(1, 3, 1, 1).astype(np.float64) * wide(x)
        golden.add("softplus_parametric", {"x": x, "alpha": alpha, "beta": beta}, slope * np.logaddexp(0, z), opset)


def binary(golden, draw):
    for op, f in BINARY.items():
        for i, (a, b) in enumerate(SHAPES):
            dtype = (np.float16, np.float32)[i % 2]
            x = draw.floats(a, dtype, 0.25 if op == "pow" else -4)
            y = draw.floats(b, dtype)
            if op in ("real_div", "floor_div", "mod"):
                y = np.asarray(np.where(y == 0, 1, y), dtype)
            # NumPy's remainder of halves is not that of the quotient it rounds.
            golden.add(op, {"x": x, "y": y}, f(wide(x), wide(y)), values=op not in ("mod", "floor_div"))
        x, y = draw.ints((2, 3), -9, 9), draw.ints((3,), 1, 5)
        whole = np.trunc(x / y).astype(np.int64) if op == "real_div" else f(x.astype(np.int64), y.astype(np.int64))
        golden.add(op, {"x": x, "y": y}, whole)
    for op, f in LOGICAL.items():
        x, y = draw.bools((3, 2)), draw.bools((2,))
        golden.add(op, {"x": x, "y": y}, f(x, y))
    for dtype in (np.float16, np.float32):
        cond, a, b = draw.bools((2, 1)), draw.floats((1, 3), dtype), draw.floats((2, 3), dtype)
        golden.add("select", {"cond": cond, "a": a, "b": b}, np.where(cond, wide(a), wide(b)))


def reductions(golden, draw):
    ops = {
        "reduce_sum": np.sum, "reduce_mean": np.mean, "reduce_max": np.max, "reduce_min": np.min,
        "reduce_prod": np.prod,
        "reduce_sum_square": lambda x, **k: np.sum(np.square(x), **k),
        "reduce_l1_norm": lambda x, **k: np.sum(np.abs(x), **k),
        "reduce_l2_norm": lambda x, **k: np.sqrt(np.sum(np.square(x), **k)),
        "reduce_log_sum": lambda x, **k: np.log(np.sum(x, **k)),
        "reduce_log_sum_exp": lambda x, **k: np.log(np.sum(np.exp(x), **k)),
    }
    for op, f in ops.items():
        for axes in (None, [-1], [0, 2], [1]):
            keep = bool(draw.bools(()))
            x = draw.floats((2, 3, 2), draw.float_dtype(), 0.25 if op == "reduce_log_sum" else -4)
            inputs = {"x": x, "keep_dims": keep}
            if axes is not None:
                inputs["axes"] = np.array(axes, np.int32)
            golden.add(op, inputs, f(wide(x), axis=tuple(axes) if axes else None, keepdims=keep),
                       values=op != "reduce_log_sum_exp")  # folded wrongly without axes, keep_dims false
        x = draw.ints((2, 4), 1, 5)
        golden.add(op, {"x": x, "axes": np.array([1], np.int32)}, np.trunc(f(x, axis=1)).astype(np.int64))
    for op, f in (("reduce_argmax", np.argmax), ("reduce_argmin", np.argmin)):
        for opset in ("ios15", "ios17"):
            x = draw.floats((2, 5), draw.float_dtype())
            inputs = {"x": x, "axis": draw.one_of([-1, 0]), "keep_dims": True}
            if opset == "ios17":
                inputs["output_dtype"] = "uint16"
            golden.add(op, inputs, np.expand_dims(f(x, axis=inputs["axis"]), inputs["axis"]), opset)


def norms(golden, draw):
    for opset, dtype in (("ios15", np.float32), ("ios17", np.float16), ("ios17", np.float32)):
        gamma, beta = draw.floats((3,), np.float32, 0.5, 2), draw.floats((3,), np.float32)
        mean, variance = draw.floats((3,), np.float32), draw.floats((3,), np.float32, 0.5, 4)
        epsilon = np.asarray(0.0078125, np.float32)
        t = lambda a: torch.from_numpy(wide(a))
        x = draw.floats((2, 3, 2, 2), dtype)
        golden.add("batch_norm", {"x": x, "mean": mean, "variance": variance, "gamma": gamma, "beta": beta,
                                  "epsilon": epsilon},
                   F.batch_norm(t(x), t(mean), t(variance), t(gamma), t(beta), eps=float(epsilon)).numpy(), opset)
        golden.add("instance_norm", {"x": x, "gamma": gamma, "beta": beta, "epsilon": epsilon},
                   F.instance_norm(t(x), weight=t(gamma), bias=t(beta), eps=float(epsilon)).numpy(), opset)
        x = draw.floats((2, 2, 3), dtype)
        golden.add("layer_norm", {"x": x, "axes": np.array([-1], np.int32), "gamma": gamma, "beta": beta,
                                  "epsilon": epsilon},
                   F.layer_norm(t(x), (3,), t(gamma), t(beta), float(epsilon)).numpy(), opset)
        golden.add("layer_norm", {"x": x, "axes": np.array([1, 2], np.int32), "epsilon": epsilon},
                   F.layer_norm(t(x), (2, 3), eps=float(epsilon)).numpy(), opset)
        x = draw.floats((2, 2, 2, 2), dtype)
        sums = np.sum(wide(x) ** 2, axis=(1, 2, 3), keepdims=True)
        golden.add("l2_norm", {"x": x, "epsilon": epsilon}, wide(x) / np.sqrt(sums + float(epsilon)), opset)
        for size in (2, 3):
            x = draw.floats((1, 4, 2, 1), dtype)
            y = F.local_response_norm(t(x), size, alpha=0.5, beta=0.75, k=1.5).numpy()
            golden.add("local_response_norm", {"x": x, "size": size, "alpha": np.asarray(0.5, np.float32),
                                               "beta": np.asarray(0.75, np.float32),
                                               "k": np.asarray(1.5, np.float32)}, y, opset)
    for axis in (-1, 0, 1):
        x = draw.floats((2, 3, 2), draw.float_dtype())
        golden.add("softmax", {"x": x, "axis": axis}, F.softmax(torch.from_numpy(wide(x)), axis).numpy())


def add_all(golden, draw):
    for family in (unary, parametric, binary, reductions, norms):
        family(golden, draw)
