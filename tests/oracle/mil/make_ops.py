#!/usr/bin/env python3
"""Golden calls of MIL ops: parameters, what coremltools infers, and values by NumPy and PyTorch in float64.

  pip install -r ../requirements.txt
  python make_ops.py [OUTPUT]

Writes ops.jsonl: a line about the makers, then one call a line. An input is a JSON number (int32), bool or string
where it is a scalar, else [dtype, shape, values], or a list of those. `out` holds dtype and shape as coremltools
infers them and values as the op's definition gives them in float64, rounded to no dtype. Where coremltools folds an
op itself, its value was compared with ours when this was made.
"""
import logging
import sys
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import coremltools
import numpy as np
import torch

import elementwise
import layers
import moving
from case import Draw, Golden

SEED = 20240917


def main():
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent / "ops.jsonl"
    golden, draw = Golden(), Draw(SEED)
    with np.errstate(all="ignore"):
        for module in (elementwise, moving, layers):
            module.add_all(golden, draw)
    made_by = (f"tests/oracle/mil/make_ops.py, seed {SEED}, coremltools {coremltools.__version__}, "
               f"numpy {np.__version__}, torch {torch.__version__.split('+')[0]}")
    out.write_text(f'{{"made_by":"{made_by}"}}\n' + "\n".join(golden.lines) + "\n")
    print(f"{len(golden.lines)} calls of {len(golden.by_op)} ops, {golden.compared} outputs compared with coremltools' "
          f"own folding, {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
