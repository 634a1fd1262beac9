#!/usr/bin/env python3
"""Tiny random checkpoints with their logits by transformers in fp32, for the oracle.

  pip install torch transformers safetensors
  python make_golden.py [OUTPUT FOLDER]

For each architecture: config.json, model.safetensors (bf16 or fp32), logits.npy (weights as stored)
and logits_f16.npy (weights, and the norms' epsilon, rounded to fp16 first); golden.json has the ids.
"""
import json
import sys
from pathlib import Path

import numpy as np
import torch
import transformers
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, LlamaConfig, Qwen2Config, Qwen3Config

HERE = Path(__file__).resolve().parent
SEED = 20
POSITIONS = 40
COMMON = dict(vocab_size=97, hidden_size=24, intermediate_size=40, num_attention_heads=4,
              num_key_value_heads=2, max_position_embeddings=128, bos_token_id=1, eos_token_id=2,
              pad_token_id=None)
LLAMA3 = {"rope_type": "llama3", "rope_theta": 500.0, "factor": 4.0, "low_freq_factor": 1.0,
          "high_freq_factor": 4.0, "original_max_position_embeddings": 32}
MODELS = {
    "qwen2": (Qwen2Config(**COMMON, num_hidden_layers=2, tie_word_embeddings=True, rms_norm_eps=1e-3,
                          rope_parameters={"rope_type": "default", "rope_theta": 1000.0}), torch.bfloat16),
    "llama": (LlamaConfig(**COMMON, num_hidden_layers=3, tie_word_embeddings=False, head_dim=8,
                          attention_bias=True, mlp_bias=True, rms_norm_eps=1e-5, rope_parameters=LLAMA3),
              torch.float32),
    "llama-linear": (LlamaConfig(**COMMON, num_hidden_layers=2, tie_word_embeddings=True, rms_norm_eps=1e-5,
                                 rope_parameters={"rope_type": "linear", "rope_theta": 10000.0, "factor": 2.5}),
                     torch.float32),
    "qwen3": (Qwen3Config(**COMMON, num_hidden_layers=2, tie_word_embeddings=False, head_dim=10, rms_norm_eps=1e-2,
                          rope_parameters={"rope_type": "default", "rope_theta": 1e6}), torch.float32),
    # Layers 1 and 2 see six positions.
    "qwen2-window": (Qwen2Config(**COMMON, num_hidden_layers=3, tie_word_embeddings=True, rms_norm_eps=1e-3,
                                 use_sliding_window=True, sliding_window=6, max_window_layers=1,
                                 rope_parameters={"rope_type": "default", "rope_theta": 1000.0}), torch.float32),
}


def to_f16(value):
    return float(np.float32(np.float16(value)))


def logits(model, ids):
    with torch.no_grad():
        return model(torch.tensor([ids])).logits[0].numpy().astype(np.float32)


def main():
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    torch.set_num_threads(1)
    made_by = f"transformers {transformers.__version__}, torch {torch.__version__.split('+')[0]}, fp32, seed {SEED}"
    models = []
    for number, (name, (config, dtype)) in enumerate(MODELS.items()):
        torch.manual_seed(SEED + number)
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32, attn_implementation="eager").eval()
        with torch.no_grad():
            for key, parameter in model.named_parameters():
                if key.endswith("norm.weight"):
                    parameter.normal_(1.0, 0.2)
                elif key.endswith("bias"):
                    parameter.normal_(0.0, 0.2)
                else:
                    parameter.normal_(0.0, 1.0 / np.sqrt(parameter.shape[-1]))
                parameter.copy_(parameter.to(dtype).float())
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        tied = config.tie_word_embeddings
        tensors = {key: value.to(dtype).contiguous() for key, value in model.state_dict().items()
                   if not (tied and key == "lm_head.weight")}
        save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
        kept = {"architectures", "attention_bias", "mlp_bias", "head_dim", "hidden_act", "hidden_size",
                "intermediate_size", "max_position_embeddings", "model_type", "num_attention_heads",
                "num_hidden_layers", "num_key_value_heads", "rms_norm_eps", "rope_parameters",
                "tie_word_embeddings", "vocab_size", "use_sliding_window"}
        if config.to_dict().get("use_sliding_window"):
            kept |= {"sliding_window", "max_window_layers", "layer_types"}
        written = {key: value for key, value in sorted(config.to_dict().items()) if key in kept}
        (folder / "config.json").write_text(json.dumps(written, indent=1) + "\n")
        ids = torch.randint(0, config.vocab_size, (POSITIONS,)).tolist()
        np.save(folder / "logits.npy", logits(model, ids))
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.copy_(parameter.to(torch.float16).float())
        for module in model.modules():
            if hasattr(module, "variance_epsilon"):
                module.variance_epsilon = to_f16(module.variance_epsilon)
        np.save(folder / "logits_f16.npy", logits(model, ids))
        models.append({"name": name, "ids": ids})
    lines = ",\n".join("  " + json.dumps(one) for one in models)
    (out / "golden.json").write_text(f'{{"made_by": {json.dumps(made_by)}, "models": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
