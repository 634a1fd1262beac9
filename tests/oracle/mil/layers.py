"""Convolutions, products, pools, images, recurrent layers, attention and compressed weights."""
import numpy as np
import torch
import torch.nn.functional as F

from case import Small, wide


def ints(*values):
    return np.array(values, np.int32)


def t(array):
    return torch.tensor(wide(array))


def products(golden, draw):
    for opset, dtype in (("ios15", np.float32), ("ios15", np.float16), ("ios17", np.float16)):
        x, w, b = draw.floats((2, 2, 3), dtype), draw.floats((4, 3), dtype), draw.floats((4,), dtype)
        if opset == "ios17":
            w, b = w.astype(np.float32), b.astype(np.float32)
        golden.add("linear", {"x": x, "weight": w, "bias": b}, wide(x) @ wide(w).T + wide(b), opset)
        golden.add("linear", {"x": x[0, 0], "weight": w}, wide(x[0, 0]) @ wide(w).T, opset)
    for a, b, ta, tb in (((2, 3), (3, 2), False, False), ((3, 2), (3, 4), True, False), ((2, 1, 2, 3), (3, 4, 3), False, True),
                         ((2, 3, 2), (2, 2, 3), True, True), ((3,), (3, 2), False, False)):
        x, y = draw.floats(a, np.float32), draw.floats(b, np.float32)
        p, q = (np.swapaxes(wide(v), -1, -2) if flag else wide(v) for v, flag in ((x, ta), (y, tb)))
        golden.add("matmul", {"x": x, "y": y, "transpose_x": ta, "transpose_y": tb}, p @ q)
    x, y = draw.floats((2, 3, 1, 2), np.float32), draw.floats((1, 2, 2, 3), np.float32)
    golden.add("einsum", {"values": [x, y], "equation": "nchw,nwhu->nchu"},
               np.einsum("nchw,nwhu->nchu", np.broadcast_to(wide(x), (2, 3, 2, 2)), np.broadcast_to(wide(y), (2, 2, 2, 3))))
    x, y = draw.floats((2, 2, 3), np.float16), draw.floats((3, 2, 1), np.float16)
    golden.add("einsum", {"values": [x, y], "equation": "chw,whr->chr"}, np.einsum("chw,whr->chr", wide(x), wide(y)))


def convolutions(golden, draw):
    convs = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
    backs = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}
    for n in (1, 1, 2, 2, 2, 3):
        for pad_type in ("valid", "custom", "same", "same_lower"):
            groups = draw.one_of([1, 2])
            kernel, strides, dilations = draw.shape(n, 1, 2), draw.shape(n, 1, 2), draw.shape(n, 1, 2)
            x = draw.floats((1, 2) + draw.shape(n, 3, 4 if n < 3 else 3), draw.float_dtype())
            w = draw.floats((2, 2 // groups) + kernel, x.dtype)
            b = draw.floats((2,), x.dtype)
            pads = [0] * (2 * n)
            if pad_type == "custom":
                pads = [int(v) for v in draw.ints((2 * n,), 0, 2)]
            elif pad_type != "valid":
                for i in range(n):
                    e = x.shape[i + 2]
                    reach = (kernel[i] - 1) * dilations[i] + 1
                    total = max(0, (-(-e // strides[i]) - 1) * strides[i] + reach - e)
                    low = total // 2 if pad_type == "same" else total - total // 2
                    pads[2 * i:2 * i + 2] = low, total - low
            padded = F.pad(t(x), [p for i in reversed(range(n)) for p in pads[2 * i:2 * i + 2]])
            if any(padded.shape[i + 2] < (kernel[i] - 1) * dilations[i] + 1 for i in range(n)):
                continue
            y = convs[n](padded, t(w), t(b), strides, 0, dilations, groups).numpy()
            inputs = {"x": x, "weight": w, "bias": b, "strides": ints(*strides), "dilations": ints(*dilations),
                      "groups": groups, "pad_type": pad_type}
            if pad_type == "custom":
                inputs["pad"] = ints(*pads)
            golden.add("conv", inputs, y, "ios16" if pad_type == "same_lower" else draw.one_of(["ios15", "ios17"]))
        w = draw.floats((2, 1) + kernel, x.dtype)
        cut = draw.one_of([0, 1]) if min(x.shape[2:]) > 2 else 0
        y = backs[n](t(x), t(w), None, strides, 0, 0, groups, dilations).numpy()
        crop = tuple(slice(cut, e - cut) for e in y.shape[2:])
        if all(e > 2 * cut for e in y.shape[2:]):
            golden.add("conv_transpose", {"x": x, "weight": w, "strides": ints(*strides), "dilations": ints(*dilations),
                                          "groups": groups, "pad_type": "custom", "pad": ints(*([cut] * 2 * n))},
                       y[(slice(None), slice(None)) + crop], draw.one_of(["ios15", "ios17"]))


def pools(golden, draw):
    for n in (1, 2, 2, 3):
        for ceil in (False, True) if n < 3 else (False,):
            kernel, strides = draw.shape(n, 2, 3), draw.shape(n, 1, 2)
            x = draw.floats((1, 2) + draw.shape(n, 4, 5 if n < 3 else 4), draw.float_dtype())
            pad = [1] * n
            common = {"x": x, "kernel_sizes": ints(*kernel), "strides": ints(*strides), "pad_type": "custom",
                      "pad": ints(*([1] * 2 * n)), "ceil_mode": ceil}
            maximum = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}[n]
            average = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}[n]
            golden.add("max_pool", common, maximum(t(x), kernel, strides, pad, ceil_mode=ceil).numpy())
            for exclude in (False, True):
                y = average(t(x), kernel, strides, pad, ceil, not exclude).numpy()
                golden.add("avg_pool", {**common, "exclude_padding_from_average": exclude}, y)
            if n < 3 and not ceil:
                squares = average(t(x) ** 2, kernel, strides, pad, ceil, True).numpy() * np.prod(kernel)
                golden.add("l2_pool", common, np.sqrt(squares))
    x = draw.floats((1, 1, 5), np.float32)
    padded = np.pad(wide(x), ((0, 0), (0, 0), (1, 1)), constant_values=-np.inf)
    golden.add("max_pool", {"x": x, "kernel_sizes": ints(3), "strides": ints(2), "pad_type": "same"},
               F.max_pool1d(torch.from_numpy(padded), 3, 2).numpy())


def images(golden, draw):
    for size in ((3, 5), (2, 2), (1, 4), (6, 3)):
        x = draw.floats((1, 2, 3, 3), draw.float_dtype())
        common = {"x": x, "target_size_height": size[0], "target_size_width": size[1]}
        if 1 not in size:
            golden.add("resize_bilinear", {**common, "sampling_mode": "STRICT_ALIGN_CORNERS"},
                       F.interpolate(t(x), size, mode="bilinear", align_corners=True).numpy())
        y = F.interpolate(t(x), size, mode="bilinear", align_corners=False).numpy()
        golden.add("resize_bilinear", {**common, "sampling_mode": "UNALIGN_CORNERS"}, y)
        golden.add("resize", {"x": x, "shape": ints(*size), "resized_dims": np.asarray(2, np.uint32),
                              "sampling_mode": "UNALIGN_CORNERS"}, y, "ios17")
        golden.add("resize_nearest_neighbor", common, F.interpolate(t(x), size, mode="nearest").numpy())
        # The DEFAULT grid: i in / out, kept inside.
        rows, columns = (np.minimum(np.arange(n) * 3 / n, 2) for n in size)
        grid = np.stack(np.meshgrid(columns, rows), -1)[None] - 1
        y = F.grid_sample(t(x), torch.from_numpy(grid), align_corners=True).numpy()
        golden.add("resize_bilinear", common, y)
        rounded = np.ix_(np.floor(rows + 0.5).astype(int), np.floor(columns + 0.5).astype(int))
        golden.add("resize", {"x": x, "shape": ints(*size), "resized_dims": np.asarray(2, np.uint32),
                              "interpolation_mode": "NEAREST_NEIGHBOR"}, wide(x)[:, :, rounded[0], rounded[1]], "ios17")
    for scale in ((2, 3), (1, 2)):
        x = draw.floats((1, 1, 2, 3), draw.float_dtype())
        common = {"x": x, "scale_factor_height": scale[0], "scale_factor_width": scale[1]}
        golden.add("upsample_nearest_neighbor", common, F.interpolate(t(x), scale_factor=scale, mode="nearest").numpy())
        for align in (False, True):
            y = F.interpolate(t(x), scale_factor=scale, mode="bilinear", align_corners=align).numpy()
            golden.add("upsample_bilinear", {**common, "align_corners": align}, y)
    x = draw.floats((1, 2, 4, 3), np.float32)
    golden.add("crop", {"x": x, "crop_height": ints(1, 2), "crop_width": ints(0, 1)}, wide(x)[:, :, 1:2, :2])
    paddings = {"constant": "zeros", "border": "border", "reflection": "reflection", "symmetric": "reflection"}
    for padding, name in paddings.items():
        for sampling in ("bilinear", "nearest"):
            # PyTorch's reflection is about the pixels' centers if corners are aligned, else about edges.
            align = padding != "symmetric" and (padding == "reflection" or draw.one_of([False, True]))
            x, at = draw.floats((2, 1, 3, 3), np.float32), draw.floats((2, 2, 3, 2), np.float32, -1.75, 1.75)
            y = F.grid_sample(t(x), t(at), mode=sampling, padding_mode=name, align_corners=align).numpy()
            golden.add("resample", {"x": x, "coordinates": at, "sampling_mode": sampling, "padding_mode": padding,
                                    "padding_value": np.asarray(0, np.float32),
                                    "coordinates_mode": "normalized_minus_one_to_one", "align_corners": align}, y)
    for _ in range(3):
        x, m = draw.floats((2, 1, 3, 3), np.float32), draw.floats((2, 6), np.float32, -1, 1)
        grid = F.affine_grid(t(m).reshape(2, 2, 3), (2, 1, 2, 4), align_corners=True)
        golden.add("affine", {"x": x, "transform_matrix": m, "output_height": 2, "output_width": 4,
                              "sampling_mode": "bilinear", "padding_mode": "constant",
                              "padding_value": np.asarray(0, np.float32),
                              "coordinates_mode": "normalized_minus_one_to_one", "align_corners": True},
                   F.grid_sample(t(x), grid, align_corners=True).numpy())
    for _ in range(3):
        x, low = draw.floats((1, 1, 4, 4), np.float32), draw.floats((2, 2), np.float32, 0, 1.5)
        boxes = np.concatenate([low, low + draw.floats((2, 2), np.float32, 0.5, 1.5)], 1)
        y = []
        for top, left, bottom, right in wide(boxes):
            rows, columns = np.linspace(top, bottom, 3), np.linspace(left, right, 2)
            grid = np.stack(np.meshgrid(columns, rows), -1)[None] / 1.5 - 1
            y.append(F.grid_sample(t(x), torch.from_numpy(grid), align_corners=True).numpy()[0])
        golden.add("crop_resize", {"x": x, "boxes": boxes, "box_indices": ints(0, 0), "target_height": 3,
                                   "target_width": 2, "sampling_mode": "STRICT_ALIGN_CORNERS"}, np.stack(y), "ios17")


def reordered(weights, order):
    """Gates along the first axis in another order."""
    parts = np.split(weights, len(order))
    return np.concatenate([parts[i] for i in order])


def recurrent(golden, draw):
    for opset, dtype in (("ios15", np.float32), ("ios17", np.float16)):
        for sequence in (False, True):
            x, h, c = draw.floats((3, 2, 2), dtype), draw.floats((2, 4), dtype), draw.floats((2, 4), dtype)
            shapes = {"weight_ih": (8, 2), "weight_hh": (8, 2), "bias": (8,)}
            weights = {k + s: draw.floats(v, dtype, -1, 1) for s in ("", "_back") for k, v in shapes.items()}
            layer = torch.nn.LSTM(2, 2, bidirectional=True, dtype=torch.float64)
            with torch.no_grad():
                for suffix, mine in (("_l0", ""), ("_l0_reverse", "_back")):
                    for theirs, name in (("weight_ih", "weight_ih"), ("weight_hh", "weight_hh"), ("bias_ih", "bias")):
                        # MIL orders gates i, f, o, z; PyTorch i, f, z, o.
                        getattr(layer, theirs + suffix).copy_(t(reordered(weights[name + mine], (0, 1, 3, 2))))
                    getattr(layer, "bias_hh" + suffix).zero_()
                sides = lambda s: torch.stack([t(s[:, :2]), t(s[:, 2:])])
                y, (hn, cn) = layer(t(x), (sides(h), sides(c)))
            join = lambda s: torch.cat([s[0], s[1]], 1).numpy()
            y = y.numpy() if sequence else join(hn)[None]
            golden.add("lstm", {"x": x, "initial_h": h, "initial_c": c, "direction": "bidirectional",
                                "output_sequence": sequence, **weights}, [y, join(hn), join(cn)], opset)
            flip = draw.one_of([False, True])
            layer = torch.nn.RNN(2, 3, dtype=torch.float64)
            w, r, b, h = (draw.floats(s, dtype, -1, 1) for s in ((3, 2), (3, 3), (3,), (2, 3)))
            with torch.no_grad():
                for name, value in (("weight_ih_l0", w), ("weight_hh_l0", r), ("bias_ih_l0", b)):
                    getattr(layer, name).copy_(t(value))
                layer.bias_hh_l0.zero_()
                y, hn = layer(t(x).flip(0) if flip else t(x), t(h)[None])
            golden.add("rnn", {"x": x, "initial_h": h, "weight_ih": w, "weight_hh": r, "bias": b,
                               "direction": "reverse" if flip else "forward", "output_sequence": sequence},
                       [y.numpy() if sequence else hn.numpy(), hn[0].numpy()], opset)
            # reset_after is PyTorch's GRU; gates are r, o, z here and r, z, n there.
            w, r = draw.floats((9, 2), np.float32, -1, 1), draw.floats((9, 3), np.float32, -1, 1)
            b, a = draw.floats((9,), np.float32, -1, 1), draw.floats((9,), np.float32, -1, 1)
            x32, h32 = x.astype(np.float32), h.astype(np.float32)
            layer = torch.nn.GRU(2, 3, dtype=torch.float64)
            with torch.no_grad():
                for name, value in (("weight_ih_l0", w), ("weight_hh_l0", r), ("bias_ih_l0", a), ("bias_hh_l0", b)):
                    getattr(layer, name).copy_(t(reordered(value, (0, 2, 1))))
                y, hn = layer(t(x32), t(h32)[None])
            golden.add("gru", {"x": x32, "initial_h": h32, "weight_ih": w, "weight_hh": r, "bias": b, "input_bias": a,
                               "reset_after": True, "output_sequence": sequence},
                       [y.numpy() if sequence else hn.numpy(), hn[0].numpy()], "ios18")
            state, steps = wide(h32), []
            sigmoid = lambda v: 1 / (1 + np.exp(-v))
            (wr, wo, wz), (rr, ro, rz), (br, bo, bz) = (np.split(wide(v), 3) for v in (w, r, b))
            for step in wide(x32):
                z, gate = sigmoid(step @ wz.T + state @ rz.T + bz), sigmoid(step @ wr.T + state @ rr.T + br)
                state = (1 - z) * np.tanh(step @ wo.T + (gate * state) @ ro.T + bo) + z * state
                steps.append(state)
            golden.add("gru", {"x": x32, "initial_h": h32, "weight_ih": w, "weight_hh": r, "bias": b,
                               "output_sequence": sequence},
                       [np.stack(steps) if sequence else state[None], state], "ios15")


def attention(golden, draw):
    for dtype in (np.float16, np.float32):
        for mask in (None, "bool", "float"):
            q, k, v = (draw.floats(s, dtype) for s in ((1, 2, 2, 4), (1, 2, 3, 4), (1, 2, 3, 2)))
            m = None if mask is None else draw.bools((2, 3)) if mask == "bool" else draw.floats((2, 1, 3), dtype)
            if mask == "bool":
                m[:, 0] = True  # a row without any would be NaN
            bias = None if m is None else torch.from_numpy(m) if mask == "bool" else t(m)
            inputs = {"query": q, "key": k, "value": v}
            if m is not None:
                inputs["attn_mask"] = m
            golden.add("scaled_dot_product_attention", inputs,
                       F.scaled_dot_product_attention(t(q), t(k), t(v), bias).numpy(), "ios18")


def boxes(golden, draw):
    for _ in range(3):
        centers, sizes = draw.floats((6, 2), np.float32, 0, 6), draw.floats((6, 2), np.float32, 1, 4)
        scores = (draw.generator.permutation(6).reshape(6, 1) / 8).astype(np.float32)
        b = np.concatenate([centers, sizes], 1)
        low, high = wide(centers) - wide(sizes) / 2, wide(centers) + wide(sizes) / 2
        kept = []
        for i in np.argsort(-scores[:, 0]):
            def overlap(j):
                side = np.maximum(0, np.minimum(high[i], high[j]) - np.maximum(low[i], low[j]))
                both = side.prod()
                return both / (wide(sizes)[i].prod() + wide(sizes)[j].prod() - both)
            if all(overlap(j) <= 0.25 for j in kept):
                kept.append(int(i))
        kept = kept[:4]
        fill = 4 - len(kept)
        out_b, out_s = np.pad(wide(b)[kept], ((0, fill), (0, 0))), np.pad(wide(scores)[kept], ((0, fill), (0, 0)))
        index = np.array(kept + [-1] * fill)
        limit = np.asarray(0.25, np.float32)
        golden.add("non_maximum_suppression",
                   {"boxes": b[None], "scores": scores[None], "iou_threshold": limit,
                    "score_threshold": np.asarray(-1, np.float32), "max_boxes": 4},
                   [out_b[None], out_s[None], index[None], np.array([len(kept)])], "ios15")
        golden.add("non_maximum_suppression",
                   {"boxes": b.T[None], "scores": scores.T[None], "iou_threshold": limit, "max_boxes": 4},
                   [out_b.T[None], out_s.T[None], index[None]], "ios17")


def quantized(golden, draw):
    for dtype, low, high in ((np.int8, -128, 127), (np.uint8, 0, 255)):
        for axis in (None, 0, -1):
            x = draw.floats((3, 3), np.float32, -60, 60)
            shape = () if axis is None else (3,)
            scale, zero = draw.floats(shape, np.float32, 0.25, 2), draw.ints(shape, 0, 9, dtype)
            wider = lambda v: wide(v) if axis is None else np.expand_dims(wide(v), 1 if axis == 0 else 0)
            at = {} if axis is None else {"axis": axis}
            y = np.clip(np.round(wide(x) / wider(scale)) + wider(zero), low, high).astype(np.int64)
            golden.add("quantize", {"input": x, "scale": scale, "zero_point": zero, **at,
                                    "output_dtype": np.dtype(dtype).name}, y, "ios17")
            q = draw.ints((3, 3), low, high, dtype)
            y = wider(scale) * (q.astype(np.float64) - wider(zero))
            golden.add("dequantize", {"input": q, "scale": scale, "zero_point": zero, **at}, y, "ios17")
            golden.add("constexpr_affine_dequantize", {"quantized_data": q, "zero_point": zero, "scale": scale,
                                                       "axis": axis or 0}, y, "ios16", value_tolerance=1e-2)


def packed(values, bits):
    """Little end first, as the forms before iOS 18 store them."""
    flat = (np.asarray(values).reshape(-1)[:, None] >> np.arange(bits)) & 1
    return np.packbits(flat.astype(np.uint8).reshape(-1), bitorder="little")


def compressed(golden, draw):
    for bits in (1, 2, 4, 6, 8):
        index = draw.ints((3, 5), 0, 2 ** bits - 1, np.uint8)
        lut = draw.floats((2 ** bits,), np.float16)
        if bits < 8:  # 256 numbers say no more than 64
            golden.add("constexpr_lut_to_dense", {"indices": packed(index, bits), "lut": lut,
                                                  "shape": np.array([3, 5], np.uint32)}, wide(lut)[index], "ios16")
    for bits, vector, axis in ((1, 1, None), (2, 1, None), (3, 1, None), (4, 2, 0), (2, 3, -1), (1, 2, 1)):
        index = draw.ints((4, 2), 0, 2 ** bits - 1, np.uint8)
        lut = draw.floats((2, 1, 2 ** bits, vector), np.float16)
        y = np.stack([wide(lut)[i // 2, 0, index[i]] for i in range(4)])  # [4, 2, vector]
        mask = draw.bools((4, 2)).astype(np.uint8)
        kept = np.repeat(mask[..., None], vector, 2)
        place = lambda a: a[..., 0] if axis is None else np.moveaxis(a, 2, axis % 2 + 1).reshape(
            [n * (vector if i == axis % 2 else 1) for i, n in enumerate(index.shape)])
        at = {} if axis is None else {"vector_axis": axis}
        golden.add("constexpr_lut_to_dense", {"indices": Small(f"uint{bits}", index), "lut": lut, **at}, place(y), "ios18")
        golden.add("constexpr_lut_to_sparse", {"indices_mask": Small("uint1", mask), "lut": lut, **at,
                                               "indices_nonzero_data": Small(f"uint{bits}", index[mask != 0])},
                   [place(kept), place(y)[place(kept) != 0]], "ios18")
    mask = draw.bools((3, 4)).astype(np.uint8)
    data = draw.floats((int(mask.sum()),), np.float16)
    y = np.zeros((3, 4))
    y[mask != 0] = data
    golden.add("constexpr_sparse_to_dense", {"nonzero_data": data, "mask": Small("uint1", mask)}, y, "ios18")
    golden.add("constexpr_sparse_to_dense", {"nonzero_data": data, "mask": packed(mask, 1),
                                             "shape": np.array([3, 4], np.uint32)}, y, "ios16")
    for name, low, high in (("int4", -8, 7), ("uint4", 0, 15), ("int8", -128, 127)):
        for blocks in ((1, 1), (4, 1), (2, 3)):
            values = draw.ints((4, 6), low, high, np.int8 if low else np.uint8)
            scale, offset = draw.floats(blocks, np.float16, 0.25, 2), draw.ints(blocks, low // 2, high // 2, values.dtype)
            as_input = (lambda a: a) if name == "int8" else (lambda a: Small(name, a))
            spread = lambda a: np.repeat(np.repeat(wide(a).astype(np.float64), 4 // blocks[0], 0), 6 // blocks[1], 1)
            y = spread(scale) * (values.astype(np.float64) - spread(offset))
            golden.add("constexpr_blockwise_shift_scale", {"data": as_input(values), "scale": scale,
                                                           "offset": as_input(offset)}, y, "ios18", values=False)
        mask = draw.bools((4, 6)).astype(np.uint8)
        golden.add("constexpr_sparse_blockwise_shift_scale",
                   {"data_mask": Small("uint1", mask), "nonzero_data": as_input(values[mask != 0]), "scale": scale,
                    "offset": as_input(offset)}, [mask, y[mask != 0]], "ios18", values=False)
    x = draw.floats((2, 3), np.float16)
    golden.add("constexpr_cast", {"source_val": x, "output_dtype": "fp32"}, wide(x), "ios16")


def add_all(golden, draw):
    for family in (products, convolutions, pools, images, recurrent, attention, boxes, quantized, compressed):
        family(golden, draw)
