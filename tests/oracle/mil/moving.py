"""Ops that move, cut, join, sort, gather and scatter elements."""
import numpy as np
import torch
import torch.nn.functional as F

from case import wide


def ints(*values):
    return np.array(values, np.int32)


def shapes(golden, draw):
    for opset in ("ios15", "ios17"):
        x = draw.floats((2, 3, 4), draw.float_dtype())
        for perm in ((2, 0, 1), (0, 2, 1)):
            golden.add("transpose", {"x": x, "perm": ints(*perm)}, np.transpose(wide(x), perm), opset)
        golden.add("expand_dims", {"x": x[0], "axes": ints(0, -1)}, wide(x[0])[None, :, :, None], opset)
        golden.add("squeeze", {"x": x[:1, :, :1], "axes": ints(2)}, wide(x[:1, :, 0]), opset)
        golden.add("squeeze", {"x": x[:1, :, :1]}, wide(x[0, :, 0]), opset)
        golden.add("reverse", {"x": x, "axes": ints(0, -1)}, np.flip(wide(x), (0, 2)), opset)
        golden.add("reverse", {"x": x}, np.flip(wide(x)), opset)
        for target in ((4, 6), (-1, 2), (2, 0, -1)) + (((0, 0, 0, 0), (6, 0)) if opset == "ios17" else ()):
            if target == (0, 0, 0, 0):
                y = wide(x)[None]
            elif target == (6, 0):
                y = wide(x).reshape(6, 4)
            elif target == (2, 0, -1):
                y = wide(x).reshape(2, 3, 4)
            else:
                y = wide(x).reshape(target)
            golden.add("reshape", {"x": x, "shape": ints(*target)}, y, opset)
        lengths = ints(3, 0)
        y = wide(x).copy()
        for b, n in enumerate(lengths):
            y[b, :, :n] = y[b, :, :n][:, ::-1]
        golden.add("reverse_sequence", {"x": x, "lengths": lengths, "seq_axis": 2, "batch_axis": 0}, y, opset,
                   values=False, types_from=[(golden_dtype(x), x.shape)])  # its folding is not implemented
        windows = np.lib.stride_tricks.sliding_window_view(wide(x), 2, axis=2)[:, :, ::2]
        golden.add("sliding_windows", {"x": x, "axis": -1, "size": 2, "stride": 2}, windows, opset)
    x = draw.ints((3, 4), -9, 9)
    golden.add("flatten2d", {"x": x.reshape(3, 2, 2), "axis": 2}, x.reshape(6, 2))
    golden.add("shape", {"x": x}, np.array([3, 4]))
    golden.add("identity", {"x": x}, x)
    golden.add("tile", {"x": x, "reps": ints(2, 1)}, np.tile(x, (2, 1)))
    golden.add("tile", {"x": x[:1], "reps": ints(2, 2)}, np.tile(x[:1], (2, 2)))
    golden.add("fill", {"shape": ints(2, 3), "value": np.asarray(1.5, np.float16)}, np.full((2, 3), 1.5))
    golden.add("fill", {"shape": ints(2), "value": 7}, np.full((2,), 7))
    golden.add("fill_like", {"ref_tensor": x, "value": np.asarray(0.5, np.float32)}, np.full((3, 4), 0.5), "ios16")
    golden.add("band_part", {"x": x, "lower": 1, "upper": 0}, np.tril(x) - np.tril(x, -2))
    golden.add("band_part", {"x": x, "lower": -1, "upper": 1}, np.tril(x, 1))
    for start, end, step in ((0, 7, 2), (5, -3, -3), (3, 3, 1)):
        golden.add("range_1d", {"start": start, "end": end, "step": step}, np.arange(start, end, step))
    f = [np.asarray(v, np.float32) for v in (0.5, 3.25, 0.75)]
    golden.add("range_1d", {"start": f[0], "end": f[1], "step": f[2]}, np.arange(0.5, 3.25, 0.75))
    for axis in (-1, 0, 1):
        indices = draw.ints((2, 2), 0, 3)
        on, off = np.asarray(2.5, np.float32), np.asarray(-1, np.float32)
        y = np.where(np.arange(4) == indices[..., None], 2.5, -1.0)
        golden.add("one_hot", {"indices": indices, "one_hot_vector_size": 4, "axis": axis, "on_value": on,
                               "off_value": off}, np.moveaxis(y, -1, axis))
    x = draw.ints((3, 3), 0, 1)
    golden.add("non_zero", {"x": x}, np.argwhere(x))
    x = draw.floats((2, 3), np.float32)
    golden.add("cast", {"x": x, "dtype": "int32"}, np.trunc(x).astype(np.int64))
    golden.add("cast", {"x": x, "dtype": "bool"}, x != 0)
    x = draw.ints((3,), -9, 9)
    golden.add("cast", {"x": x, "dtype": "fp16"}, x.astype(np.float64))
    golden.add("cast", {"x": x, "dtype": "int8"}, x, "ios17")
    refs = [draw.floats((2, 3), np.float32), draw.floats((4, 5), np.float32)]
    x = draw.floats((24,), np.float32)
    golden.add("reshape_like", {"x": x, "ref_tensors": refs, "begins": [np.asarray(0, np.int32)] * 2,
                                "ends": [np.asarray(2, np.int32), np.asarray(1, np.int32)],
                                "end_masks": [np.asarray(False)] * 2}, wide(x).reshape(2, 3, 4), "ios16",
               values=False, types_from=[("fp32", (2, 3, 4))])  # the builder makes tuples of its own


def golden_dtype(x):
    return {"float16": "fp16", "float32": "fp32"}[x.dtype.name]


def slices(golden, draw):
    for opset in ("ios15", "ios17"):
        for _ in range(10):
            rank = draw.one_of([1, 2, 3])
            shape = draw.shape(rank, 2, 4)
            x = draw.floats(shape, draw.float_dtype())
            begin, end, stride, masks, index = [], [], [], [[], [], []], []
            for n in shape:
                # Both bounds inside, in the order of the stride: what coremltools and NumPy agree on.
                step = draw.one_of([1, 1, 2, -1])
                a, b = sorted((int(draw.ints((), 0, n - 1)), int(draw.ints((), 0, n - 1))))
                first, last = (a, b + 1) if step > 0 else (b, a - 1)
                squeeze = draw.one_of([False, False, False, True])
                open_begin, open_end = draw.one_of([False, True]), draw.one_of([False, True])
                if step < 0 and last < 0:
                    open_end = True
                begin.append(first), end.append(max(last, 0)), stride.append(1 if squeeze else step)
                for mask, value in zip(masks, (open_begin and not squeeze, open_end and not squeeze, squeeze)):
                    mask.append(value)
                index.append(first if squeeze else
                             slice(None if open_begin else first, None if open_end else last, step))
            if all(masks[2]):
                masks[2][0] = False
                index[0] = slice(begin[0], end[0] if not masks[1][0] else None, stride[0])
                masks[0][0] = False
            y = wide(x)[tuple(index)]
            inputs = {"x": x, "begin": ints(*begin), "end": ints(*end), "stride": ints(*stride),
                      "begin_mask": np.array(masks[0]), "end_mask": np.array(masks[1]),
                      "squeeze_mask": np.array(masks[2])}
            golden.add("slice_by_index", inputs, y, opset)
            if opset == "ios17" and y.ndim and y.size:
                update = draw.floats(y.shape, x.dtype)
                z = wide(x).copy()
                z[tuple(index)] = update
                golden.add("slice_update", {**inputs, "update": update}, z, "ios18")
        x = draw.floats((3, 4), draw.float_dtype())
        golden.add("slice_by_size", {"x": x, "begin": ints(1, 0), "size": ints(-1, 3)}, wide(x)[1:, :3], opset)
        golden.add("slice_by_size", {"x": x, "begin": ints(0, 2), "size": ints(2, 2)}, wide(x)[:2, 2:4], opset)


def joins(golden, draw):
    for axis in (0, 1, -1):
        parts = [draw.floats(tuple(n if i == axis % 3 else 2 for i in range(3)), np.float32) for n in (1, 3, 2)]
        golden.add("concat", {"values": parts, "axis": axis}, np.concatenate([wide(p) for p in parts], axis))
        same = [draw.floats((2, 2), np.float16) for _ in range(3)]
        golden.add("stack", {"values": same, "axis": axis}, np.stack([wide(p) for p in same], axis))
    parts = [draw.ints((2, 2), -9, 9) for _ in range(2)]
    y = np.stack(parts, 2).reshape(2, 4)
    golden.add("concat", {"values": parts, "axis": 1, "interleave": True}, y, values=False)  # folded without it
    scalars = [np.asarray(v, np.int32) for v in (4, -1, 7)]
    golden.add("concat", {"values": scalars, "axis": 0}, np.array([4, -1, 7]))
    x = draw.floats((2, 6), np.float32)
    golden.add("split", {"x": x, "num_splits": 3, "axis": 1}, np.split(wide(x), 3, 1))
    golden.add("split", {"x": x, "split_sizes": ints(1, 5), "axis": -1}, np.split(wide(x), [1], 1))
    for mode, name in (("constant", "constant"), ("reflect", "reflect"), ("replicate", "edge")):
        x = draw.floats((2, 3), draw.float_dtype())
        y = np.pad(wide(x), ((1, 0), (2, 1)), name, **({"constant_values": 1.5} if mode == "constant" else {}))
        golden.add("pad", {"x": x, "pad": ints(1, 0, 2, 1), "mode": mode,
                           "constant_val": np.asarray(1.5, x.dtype)}, y)


def sorts(golden, draw):
    for axis in (-1, 0):
        for ascending in (False, True):
            # No two equal in a line: their order is not promised.
            x = draw.generator.permutation(12).reshape(3, 4).astype(np.float32) - 5
            order = np.argsort(x if ascending else -x, axis=axis, kind="stable")
            golden.add("argsort", {"x": x, "axis": axis, "ascending": ascending}, order)
            top = np.take(order, range(2), axis)
            values = np.take_along_axis(wide(x), top, axis)
            for opset in ("ios15", "ios16", "ios17"):
                golden.add("topk", {"x": x, "k": 2, "axis": axis, "ascending": ascending}, [values, top], opset)
    golden.add("topk", {"x": x, "k": 1, "axis": 0, "ascending": True, "return_indices": False}, values[:1], "ios16")
    golden.add("topk", {"x": x, "k": 2, "axis": 0, "ascending": True, "output_indices_dtype": "uint16"},
               [values, top], "ios17")
    for exclusive in (False, True):
        for reverse in (False, True):
            x = draw.floats((2, 4), draw.float_dtype())
            y = np.flip(wide(x), 1) if reverse else wide(x)
            y = np.cumsum(y, 1) - (y if exclusive else 0)
            golden.add("cumsum", {"x": x, "axis": 1, "exclusive": exclusive, "reverse": reverse},
                       np.flip(y, 1) if reverse else y, values=not exclusive,
                       types_from=None if not exclusive else [(golden_dtype(x), (2, 4))])  # folding fails


def gathers(golden, draw):
    for opset in ("ios15", "ios16", "ios17"):
        x = draw.floats((3, 4, 2), draw.float_dtype())
        for axis in (0, 1, -1):
            n = x.shape[axis]
            indices = draw.ints((2, 2), 0 if opset == "ios17" else -n, n - 1)
            golden.add("gather", {"x": x, "indices": indices, "axis": axis}, np.take(wide(x), indices, axis), opset)
            shape = list(x.shape)
            shape[axis] = 2
            indices = draw.ints(shape, 0, n - 1)
            golden.add("gather_along_axis", {"x": x, "indices": indices, "axis": axis},
                       np.take_along_axis(wide(x), indices, axis), opset)
        golden.add("gather", {"x": x, "indices": np.asarray(1, np.int32), "axis": 1}, wide(x)[:, 1], opset)
        indices = draw.ints((2, 3, 2), 0, 2)
        golden.add("gather_nd", {"x": x, "indices": indices}, wide(x)[indices[..., 0], indices[..., 1]], opset)
        if opset != "ios15":
            indices = draw.ints((3, 2), 0, 3)
            y = np.stack([np.take(wide(x)[b], indices[b], 0) for b in range(3)])
            golden.add("gather", {"x": x, "indices": indices, "axis": 1, "batch_dims": 1}, y, opset)
            golden.add("gather_nd", {"x": x, "indices": indices[..., None], "batch_dims": 1}, y, opset)
        if opset == "ios16":
            continue
        for mode in ("add", "sub", "mul", "div", "max", "min", "update"):
            f = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum,
                 "min": np.minimum, "update": lambda a, b: b}[mode]
            data = draw.floats((3, 2), np.float32)
            updates = draw.floats((2, 2), np.float32, 0.5, 4)
            indices = np.array(draw.generator.permutation(3)[:2], np.int32)
            y = wide(data).copy()
            y[indices] = f(y[indices], wide(updates))
            common = {"data": data, "updates": updates, "mode": mode}
            golden.add("scatter", {**common, "indices": indices, "axis": 0}, y, opset)
            golden.add("scatter_nd", {**common, "indices": indices[:, None]}, y, opset)
            places = np.repeat(indices[:, None], 2, 1)
            golden.add("scatter_along_axis", {**common, "indices": places, "axis": 0}, y, opset,
                       values=mode == "update")  # folded as an update whatever the mode


def blocks(golden, draw):
    for dtype in (np.float16, np.float32):
        x = draw.floats((1, 8, 2, 1), dtype)
        t = torch.from_numpy(wide(x))
        golden.add("pixel_shuffle", {"x": x, "upscale_factor": 2}, F.pixel_shuffle(t, 2).numpy())
        y = wide(x).reshape(1, 2, 2, 2, 2, 1).transpose(0, 3, 4, 1, 5, 2).reshape(1, 2, 4, 2)
        golden.add("depth_to_space", {"x": x, "block_size": 2}, y)
        x = draw.floats((1, 2, 4, 2), dtype)
        factor = np.asarray(2, np.uint32)
        golden.add("pixel_unshuffle", {"x": x, "downscale_factor": factor},
                   F.pixel_unshuffle(torch.from_numpy(wide(x)), 2).numpy(), "ios16")
        y = wide(x).reshape(1, 2, 2, 2, 1, 2).transpose(0, 3, 5, 1, 2, 4).reshape(1, 8, 2, 1)
        golden.add("space_to_depth", {"x": x, "block_size": 2}, y)
        x = draw.floats((1, 1, 3, 4), dtype)
        padded = np.pad(wide(x), ((0, 0), (0, 0), (1, 0), (0, 2)))
        y = padded.reshape(1, 1, 2, 2, 2, 3).transpose(3, 5, 0, 1, 2, 4).reshape(6, 1, 2, 2)
        golden.add("space_to_batch", {"x": x, "block_shape": ints(2, 3),
                                      "paddings": np.array([[1, 0], [0, 2]], np.int32)}, y)
        golden.add("batch_to_space", {"x": y.astype(dtype), "block_shape": ints(2, 3),
                                      "crops": np.array([[1, 0], [0, 2]], np.int32)}, wide(x))


def add_all(golden, draw):
    for family in (shapes, slices, joins, sorts, gathers, blocks):
        family(golden, draw)
