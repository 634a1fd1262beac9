#!/usr/bin/env python3
"""Golden logits and greedy texts of the shipped checkpoint, by transformers in fp32 on fp16-rounded weights.

  pip install torch transformers safetensors
  python make_logits.py [CHECKPOINT] [OUTPUT FOLDER]

Writes tokens.json (256 ids of text.txt), logits.npy (256 x V float32) and greedy.json (10 prompts, 64
tokens each, with the margin between the two highest logits at every step).
"""
import json
import sys
from pathlib import Path

import numpy as np
import torch
import transformers
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

HERE = Path(__file__).resolve().parent
POSITIONS = 256
NEW_TOKENS = 64
REQUESTS = [
    "Thou shalt not take the bread which thy neighbour hath given unto thee.",
    "And it came to pass, that the king spake unto his servants, saying, Whither goest thou?",
    "Behold, I have prepared a table before thee, and thou knewest it not.",
    "And when she came to her mother in law, she said, Who art thou, my daughter?",
    "He that hath ears to hear, let him hear.",
    "Ye have heard that it was said unto them of old time, Thou shalt not kill.",
    "Wherefore dost thou weep, and why is thy heart grieved?",
]
PROSE = ["It is a truth universally acknowledged, that", "She was not at all", "In the beginning"]


def main():
    checkpoint = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[2] / "models" / "tiny-qwen3"
    out = Path(sys.argv[2]) if len(sys.argv) > 2 else HERE
    torch.set_num_threads(1)
    model = AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32, attn_implementation="eager")
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.to(torch.float16).to(torch.float32))
    model.eval()
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(checkpoint / "tokenizer.json"))
    made_by = f"transformers {transformers.__version__}, torch {torch.__version__.split('+')[0]}, fp32 on fp16-rounded weights"

    text = (HERE / "text.txt").read_text()
    ids = tokenizer(text, add_special_tokens=False)["input_ids"][:POSITIONS]
    assert len(ids) == POSITIONS, len(ids)
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0].numpy().astype(np.float32)
    np.save(out / "logits.npy", logits)
    (out / "tokens.json").write_text(json.dumps({"made_by": made_by, "ids": ids}) + "\n")

    prompts = [f"<|im_start|>user\n{request}<|im_end|>\n<|im_start|>assistant\n" for request in REQUESTS] + PROSE
    greedy = []
    for prompt in prompts:
        start = tokenizer(prompt, add_special_tokens=False)["input_ids"]
        now, margins = list(start), []
        with torch.no_grad():
            for _ in range(NEW_TOKENS):
                last = model(torch.tensor([now])).logits[0, -1]
                top = torch.topk(last, 2)
                margins.append(round(float(top.values[0] - top.values[1]), 5))
                now.append(int(top.indices[0]))
        greedy.append({"prompt": prompt, "prompt_ids": start, "ids": now[len(start):], "margins": margins})
    lines = ",\n".join("  " + json.dumps(one) for one in greedy)
    (out / "greedy.json").write_text(f'{{"made_by": {json.dumps(made_by)}, "greedy": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
