#!/usr/bin/env python3
"""Makes the golden files of the checkpoint layer's tests. Run it without arguments:

    tests/oracle/checkpoint/make_golden.py [--smollm2 FILE.gguf]

Needs the Python packages gguf, transformers, accelerate, torch, safetensors and numpy; the files say
which versions made them.

dequantize.safetensors   random blocks of every quantized type, and gguf's floats for them
tiny-ARCH.gguf           small random models as gguf's writer stores them
tiny-ARCH.safetensors    their weights as transformers loads them (names, row order, values)
tiny-ARCH.config.json    their config as transformers reads it
smollm2_q4_1.json        checksums of the decoded tensors of SmolLM2-135M-Instruct.Q4_1.gguf (with
                         --smollm2: the file is not in the repository)
"""

import argparse
import importlib.metadata
import json
import pathlib

import gguf
import numpy as np
import safetensors.numpy
import torch
import transformers
from gguf import GGMLQuantizationType as Type
from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

HERE = pathlib.Path(__file__).resolve().parent
SEED = 20240607
MAKER = {
    "made_by": "tests/oracle/checkpoint/make_golden.py",
    "gguf": importlib.metadata.version("gguf"),
    "transformers": transformers.__version__,
    "torch": torch.__version__,
    "numpy": np.__version__,
    "seed": str(SEED),
}

# Where the halves (scales and minima) of a block lie.
HALVES = {
    Type.Q8_0: [0],
    Type.Q4_0: [0],
    Type.Q4_1: [0, 2],
    Type.Q5_0: [0],
    Type.Q5_1: [0, 2],
    Type.Q2_K: [80, 82],
    Type.Q3_K: [108],
    Type.Q4_K: [0, 2],
    Type.Q5_K: [0, 2],
    Type.Q6_K: [208],
}


def random_rows(rng, kind, rows, columns, scale):
    """Random encoded rows: any bits, but finite halves of about `scale`."""
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = rng.integers(0, 256, (rows * columns // elements, size), dtype=np.uint8)
    for at in HALVES[kind]:
        halves = (rng.standard_normal(len(blocks)) * scale).astype(np.float16)
        blocks[:, at : at + 2] = halves.view(np.uint8).reshape(-1, 2)
    return blocks.reshape(rows, -1)


def make_dequantize(rng):
    tensors = {}
    for kind in HALVES:
        elements = gguf.GGML_QUANT_SIZES[kind][0]
        blocks = 12 if elements == 32 else 5
        encoded = random_rows(rng, kind, blocks, elements, 1.0)
        # A subnormal scale, and a large one.
        for block, half in ((0, 3e-7), (1, 900.0)):
            at = HALVES[kind][0]
            encoded[block, at : at + 2] = np.array([half], np.float16).view(np.uint8)
        tensors[f"{kind.name}.encoded"] = encoded
        tensors[f"{kind.name}.decoded"] = gguf.dequantize(encoded, kind).astype(np.float32)
    safetensors.numpy.save_file(tensors, HERE / "dequantize.safetensors", metadata=MAKER)


def permuted(weight, heads):
    """How llama.cpp's convert_hf_to_gguf.py stores q and k of the llama architecture."""
    shape = weight.shape
    return weight.reshape(heads, 2, shape[0] // heads // 2, *shape[1:]).swapaxes(1, 2).reshape(shape)


def make_model(rng, arch, hidden, heads, kv_heads, head_dim, ffn, vocab, layers, kinds):
    path = HERE / f"tiny-{arch}.gguf"
    writer = gguf.GGUFWriter(path, arch)
    writer.add_name("tiny " + arch)
    writer.add_block_count(layers)
    writer.add_context_length(128)
    writer.add_embedding_length(hidden)
    writer.add_feed_forward_length(ffn)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_rope_freq_base(1e6)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_key_length(head_dim)
    writer.add_value_length(head_dim)
    if arch == "llama":
        writer.add_rope_dimension_count(head_dim)
        writer.add_vocab_size(vocab)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    tokens = [f"t{i}" for i in range(vocab - 2)] + ["<|im_end|>", "<|endoftext|>"]
    writer.add_token_list(tokens)
    writer.add_token_types([1] * (vocab - 2) + [3, 3])
    writer.add_token_merges(["t 0", "t 1"])
    writer.add_eos_token_id(vocab - 2)
    writer.add_pad_token_id(vocab - 1)
    writer.add_add_bos_token(False)
    writer.add_chat_template("{{ messages }}")

    def add(name, shape, permute_heads=0):
        kind = kinds.get(name.split(".")[-2] if name.startswith("blk") else name, Type.F32)
        if len(shape) == 1:
            kind = Type.F32
        if kind in HALVES and shape[-1] % gguf.GGML_QUANT_SIZES[kind][0] == 0:
            # The rows are any bits; permuting them would make other rows of any bits.
            writer.add_tensor(name, random_rows(rng, kind, *shape, 0.01), raw_dtype=kind)
            return
        weight = (rng.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)
        if permute_heads and arch == "llama":
            weight = permuted(weight, permute_heads)
        if kind == Type.F16:
            writer.add_tensor(name, weight.astype(np.float16))
        elif kind == Type.BF16:
            writer.add_tensor(name, gguf.quantize(weight, Type.BF16), raw_dtype=Type.BF16)
        else:
            writer.add_tensor(name, weight)

    add("token_embd.weight", (vocab, hidden))
    for i in range(layers):
        block = f"blk.{i}."
        add(block + "attn_norm.weight", (hidden,))
        add(block + "attn_q.weight", (heads * head_dim, hidden), heads)
        add(block + "attn_k.weight", (kv_heads * head_dim, hidden), kv_heads)
        add(block + "attn_v.weight", (kv_heads * head_dim, hidden))
        add(block + "attn_output.weight", (hidden, heads * head_dim))
        if arch == "qwen2":
            add(block + "attn_q.bias", (heads * head_dim,))
            add(block + "attn_k.bias", (kv_heads * head_dim,))
            add(block + "attn_v.bias", (kv_heads * head_dim,))
        if arch == "qwen3":
            add(block + "attn_q_norm.weight", (head_dim,))
            add(block + "attn_k_norm.weight", (head_dim,))
        add(block + "ffn_norm.weight", (hidden,))
        add(block + "ffn_gate.weight", (ffn, hidden))
        add(block + "ffn_up.weight", (ffn, hidden))
        add(block + "ffn_down.weight", (hidden, ffn))
    add("output_norm.weight", (hidden,))
    if arch == "qwen3":
        add("output.weight", (vocab, hidden))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()

    config, weights = transformers_loads(path, head_dim)
    safetensors.numpy.save_file(weights, HERE / f"tiny-{arch}.safetensors", metadata=MAKER)
    write_json(HERE / f"tiny-{arch}.config.json", {"made_by": MAKER, "config": config})


def write_json(path, value):
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n")


def transformers_loads(path, head_dim=None):
    """The config that transformers makes of the metadata, and the weights under its names."""
    config = load_gguf_checkpoint(path, return_tensors=False)["config"]
    # transformers 5.24.0 does not read qwen3.attention.key_length.
    extra = {"head_dim": head_dim} if head_dim else {}
    made = transformers.AutoConfig.for_model(**{**config, **extra})
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(made)
    tensors = load_gguf_checkpoint(path, return_tensors=True, model_to_load=model)["tensors"]
    return config, {k: v.detach().to(torch.float32).contiguous().numpy() for k, v in tensors.items()}


def checksum(floats):
    """Of the bits of every element and of its place: uint64 sum of (i + 1) * bits."""
    bits = np.ascontiguousarray(floats, np.float32).ravel().view(np.uint32).astype(np.uint64)
    with np.errstate(over="ignore"):
        return int(np.sum(bits * np.arange(1, bits.size + 1, dtype=np.uint64), dtype=np.uint64))


def make_smollm2(path):
    config, weights = transformers_loads(path)
    tensors = {
        name: {"shape": list(weight.shape), "checksum": str(checksum(weight))}
        for name, weight in weights.items()
    }
    write_json(
        HERE / "smollm2_q4_1.json",
        {"made_by": MAKER, "file": path.name, "config": config, "tensors": tensors},
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--smollm2", type=pathlib.Path, help="SmolLM2-135M-Instruct.Q4_1.gguf")
    args = parser.parse_args()
    rng = np.random.default_rng(SEED)
    make_dequantize(rng)
    k_types = {
        "attn_q": Type.Q6_K,
        "attn_k": Type.Q5_K,
        "attn_v": Type.Q4_K,
        "attn_output": Type.BF16,
        "ffn_gate": Type.Q3_K,
        "ffn_up": Type.Q2_K,
        "ffn_down": Type.F16,
        "token_embd.weight": Type.Q8_0,
    }
    small = {
        "attn_q": Type.Q4_0,
        "attn_k": Type.Q4_1,
        "attn_v": Type.Q5_0,
        "attn_output": Type.Q5_1,
        "ffn_gate": Type.F16,
        "output.weight": Type.BF16,
    }
    make_model(rng, "llama", 256, 2, 1, 8, 4, 8, 1, k_types)
    make_model(rng, "qwen2", 32, 4, 2, 8, 16, 10, 2, small)
    make_model(rng, "qwen3", 32, 4, 2, 16, 16, 10, 2, small)
    if args.smollm2:
        make_smollm2(args.smollm2)


if __name__ == "__main__":
    main()
