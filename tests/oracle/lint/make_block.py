#!/usr/bin/env python3
"""One decoder block of Qwen3's shape, written the way PyTorch code usually is, by coremltools.

Four habits that keep such a block off the Neural Engine, all in one program: an input of a range of
lengths (RangeDim), a cache read up to a run-time end, keys and values repeated at rank 5 (expand), and
an RMS norm that is computed in fp32. anemone/cli/commands/lint_test.cc holds lint to finding each of them.

    make_block.py [FOLDER]     writes FOLDER/qwen3_block.mlpackage and FOLDER/versions.json

Weights are those of seed 0. Made with coremltools 9.0 and torch 2.x; versions.json has the exact ones.
"""
import json
import pathlib
import shutil
import sys
import uuid

import coremltools as ct
import numpy as np
import torch
from torch import nn

HIDDEN, HEADS, KV_HEADS, HEAD_DIM, FFN, CONTEXT = 32, 4, 2, 32, 64, 64
SEED = 0


class Norm(nn.Module):
    """RMS norm, upcast to fp32 as transformers has it."""

    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        x32 = x.to(torch.float32)
        variance = x32.pow(2).mean(-1, keepdim=True)
        return self.weight * (x32 * torch.rsqrt(variance + 1e-6)).to(x.dtype)


def rotate_half(x):
    half = HEAD_DIM // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def repeat_kv(x, times):
    x = x[:, :, None, :, :].expand(-1, -1, times, -1, -1)
    return x.reshape(1, HEADS, -1, HEAD_DIM)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.input_norm, self.post_norm = Norm(HIDDEN), Norm(HIDDEN)
        self.q_norm, self.k_norm = Norm(HEAD_DIM), Norm(HEAD_DIM)
        self.q = nn.Linear(HIDDEN, HEADS * HEAD_DIM, bias=False)
        self.k = nn.Linear(HIDDEN, KV_HEADS * HEAD_DIM, bias=False)
        self.v = nn.Linear(HIDDEN, KV_HEADS * HEAD_DIM, bias=False)
        self.o = nn.Linear(HEADS * HEAD_DIM, HIDDEN, bias=False)
        self.gate = nn.Linear(HIDDEN, FFN, bias=False)
        self.up = nn.Linear(HIDDEN, FFN, bias=False)
        self.down = nn.Linear(FFN, HIDDEN, bias=False)
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(1, KV_HEADS, CONTEXT, HEAD_DIM))

    def forward(self, hidden, cos, sin, mask):
        x = self.input_norm(hidden)
        length, end = hidden.shape[1], mask.shape[-1]
        q = self.q_norm(self.q(x).view(1, length, HEADS, HEAD_DIM)).transpose(1, 2)
        k = self.k_norm(self.k(x).view(1, length, KV_HEADS, HEAD_DIM)).transpose(1, 2)
        v = self.v(x).view(1, length, KV_HEADS, HEAD_DIM).transpose(1, 2)
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        self.keys[:, :, end - length : end, :] = k
        self.values[:, :, end - length : end, :] = v
        keys = repeat_kv(self.keys[:, :, :end, :], HEADS // KV_HEADS)
        values = repeat_kv(self.values[:, :, :end, :], HEADS // KV_HEADS)
        scores = q @ keys.transpose(2, 3) / HEAD_DIM**0.5 + mask
        out = (torch.softmax(scores, -1) @ values).transpose(1, 2).reshape(1, length, -1)
        hidden = hidden + self.o(out)
        x = self.post_norm(hidden)
        return hidden + self.down(nn.functional.silu(self.gate(x)) * self.up(x))


def in_half_precision(op):
    """False for the ops of a norm, which stay in fp32."""
    return op.op_type not in ("pow", "reduce_mean", "rsqrt")


def settle(package):
    """Gives a package the same bytes every time: ids from names, protobuf maps in order."""
    manifest = json.loads((package / "Manifest.json").read_text())
    entries = {str(uuid.uuid5(uuid.NAMESPACE_URL, e["path"])): e for e in manifest["itemInfoEntries"].values()}
    manifest["itemInfoEntries"] = dict(sorted(entries.items()))
    manifest["rootModelIdentifier"] = next(i for i, e in entries.items() if e["name"] == "model.mlmodel")
    (package / "Manifest.json").write_text(json.dumps(manifest, indent=4) + "\n")
    file = package / "Data" / "com.apple.CoreML" / "model.mlmodel"
    specification = ct.proto.Model_pb2.Model.FromString(file.read_bytes())
    file.write_bytes(specification.SerializeToString(deterministic=True))
    for path in package.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    torch.manual_seed(SEED)
    block = Block().eval()
    sample = (
        torch.zeros(1, 2, HIDDEN),
        torch.zeros(1, 1, 2, HEAD_DIM),
        torch.zeros(1, 1, 2, HEAD_DIM),
        torch.zeros(1, 1, 2, 4),
    )
    with torch.no_grad():
        traced = torch.jit.trace(block, sample)
    length = ct.RangeDim(1, CONTEXT, default=1)
    end = ct.RangeDim(1, CONTEXT, default=1)
    half = np.float16
    cache = lambda name: ct.StateType(
        wrapped_type=ct.TensorType(shape=(1, KV_HEADS, CONTEXT, HEAD_DIM), dtype=half), name=name
    )
    model = ct.convert(
        traced,
        inputs=[
            ct.TensorType("hidden", shape=(1, length, HIDDEN), dtype=half),
            ct.TensorType("cos", shape=(1, 1, length, HEAD_DIM), dtype=half),
            ct.TensorType("sin", shape=(1, 1, length, HEAD_DIM), dtype=half),
            ct.TensorType("mask", shape=(1, 1, length, end), dtype=half),
        ],
        outputs=[ct.TensorType("hidden_out", dtype=half)],
        states=[cache("keys"), cache("values")],
        compute_precision=ct.transform.FP16ComputePrecision(op_selector=in_half_precision),
        minimum_deployment_target=ct.target.iOS18,
        skip_model_load=True,
    )
    package = folder / "qwen3_block.mlpackage"
    shutil.rmtree(package, ignore_errors=True)
    model.save(str(package))
    settle(package)
    versions = {"coremltools": ct.__version__, "torch": torch.__version__, "seed": SEED}
    (folder / "versions.json").write_text(json.dumps(versions, indent=2) + "\n")


if __name__ == "__main__":
    main()
