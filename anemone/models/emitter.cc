#include "anemone/models/emitter.h"

#include "anemone/base/check.h"

namespace anemone::models {

using mil::Type;
using mil::Value;

Emitter::Emitter(const DecoderConfig& config, const Form& form, DecoderWeights& weights,
                 mil::Function& function, std::int64_t rows)
    : config_(config),
      form_(form),
      weights_(weights),
      rows_(rows),
      b_(function),
      is_bc1s_(form.layout == Layout::kBc1s) {}

Value* Emitter::half(std::string_view name, double value) {
  return b_.constant(name, Tensor::scalar(DType::kF16, value));
}

Value* Emitter::slice(Value* x, std::int64_t axis, std::int64_t begin, std::int64_t end,
                      std::string_view name) {
  std::vector<std::int64_t> begins(x->type.shape.size(), 0);
  std::vector<std::int64_t> ends = x->type.shape;
  begins[static_cast<std::size_t>(axis)] = begin;
  ends[static_cast<std::size_t>(axis)] = end;
  mil::Builder::Bindings bindings = {{"x", x}, {"begin", begins}};
  if (!is_known(x->type.shape)) {
    // An extent that only a call fixes is taken whole.
    const auto open = std::make_unique<bool[]>(ends.size());
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i] != kUnknown) continue;
      open[i] = true;
      ends[i] = 0;
    }
    bindings.push_back({"end_mask", Tensor::bools(std::span(open.get(), ends.size()))});
  }
  bindings.push_back({"end", ends});
  return b_.add("slice_by_index", name, std::move(bindings));
}

Value* Emitter::enter(Value* hidden) {
  if (!is_bc1s_) return hidden;
  Value* turned = b_.add("transpose", "hidden_channels_first",
                         {{"x", hidden}, {"perm", std::vector<std::int64_t>{0, 2, 1}}});
  return b_.add("expand_dims", "hidden_bc1s",
                {{"x", turned}, {"axes", std::vector<std::int64_t>{2}}});
}

Value* Emitter::leave(Value* stream, std::string_view name) {
  if (!is_bc1s_) return b_.add("identity", name, {{"x", stream}});
  Value* flat = b_.add("squeeze", std::string(name) + "_flat",
                       {{"x", stream}, {"axes", std::vector<std::int64_t>{2}}});
  return b_.add("transpose", name, {{"x", flat}, {"perm", std::vector<std::int64_t>{0, 2, 1}}});
}

void Emitter::declare_inputs(Range layers) {
  layers_ = layers;
  const bool wants_position = form_.kv == KvWrite::kSlice || form_.mask == Mask::kPosition ||
                              form_.rotary == Rotary::kTables || reads_prefix_;
  if (wants_position) position_ = b_.input(kPosition, Type::tensor(DType::kI32, {1}));
  if (form_.rotary != Rotary::kTables) declare_rotation();
  const std::int64_t keys = form_.context + (form_.kv == KvWrite::kHost ? rows_ : 0);
  if (form_.mask == Mask::kInput) declare_masks(keys);
  if (form_.kv == KvWrite::kBlend) {
    write_ = b_.input(kWrite, Type::tensor(DType::kF16, {1, 1, form_.context, rows_}));
  }
  declare_states();

  if (form_.mask == Mask::kPosition) position_masks(keys);
  const bool is_grouped = form_.gqa == Gqa::kGrouped;
  if (reads_prefix_) prefix_masks();
  if (is_grouped && config_.group() > 1 && rows_ != 1) group_masks();
  if (form_.rotary == Rotary::kTables) {
    std::vector<std::int64_t> steps(static_cast<std::size_t>(rows_));
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = static_cast<std::int64_t>(i);
    Value* positions = b_.add("add", "positions", {{"x", position_}, {"y", Tensor::ints(steps)}});
    const auto rows_of = [&](std::string_view name, Value* from) {
      Value* rows = b_.add("gather", std::string(name) + "_rows",
                           {{"x", from},
                            {"indices", positions},
                            {"axis", 0},
                            {"batch_dims", 0},
                            {"validate_indices", false}});
      return b_.add("expand_dims", name, {{"x", rows}, {"axes", std::vector<std::int64_t>{0, 1}}});
    };
    cos_ = rows_of("cos_at", rotary_table([](float x) { return std::cos(x); }, "cos_table"));
    sin_ = rows_of("sin_at", rotary_table([](float x) { return std::sin(x); }, "sin_table"));
  } else if (form_.rotary == Rotary::kMatmul) {
    // x times this is concat(-second half, first half).
    const std::int64_t d = config_.head_dim;
    std::vector<double> swap(static_cast<std::size_t>(d * d), 0);
    for (std::int64_t i = 0; i < d / 2; ++i) {
      swap[static_cast<std::size_t>((i + d / 2) * d + i)] = -1;
      swap[static_cast<std::size_t>(i * d + i + d / 2)] = 1;
    }
    swap_ = b_.constant("swap_halves", Tensor::from_doubles(DType::kF16, {d, d}, swap));
  }
}

void Emitter::declare_rotation() {
  const Type rows = Type::tensor(DType::kF16, {1, 1, rows_, config_.head_dim});
  cos_ = b_.input(kCos, rows);
  sin_ = b_.input(kSin, rows);
}

// Rows of the G heads of a group lie one after another: so do as many copies of the mask.
void Emitter::group_masks() {
  for_masks([&](Value* mask, const std::string& prefix) {
    const std::vector<Value*> copies(static_cast<std::size_t>(config_.group()), mask);
    return b_.add("concat", prefix + "group_mask",
                  {{"values", copies}, {"axis", 2}, {"interleave", false}});
  });
}

bool Emitter::has_layer(Range layers, bool is_sliding) const {
  for (std::int64_t i = layers.first; i < layers.first + layers.count; ++i) {
    if (config_.is_sliding(i) == is_sliding) return true;
  }
  return false;
}

Value* Emitter::any_mask() const { return mask_ != nullptr ? mask_ : sliding_mask_; }

void Emitter::declare_masks(std::int64_t keys) {
  const Type type = Type::tensor(DType::kF16, {1, 1, rows_, keys});
  if (has_layer(layers_, false)) mask_ = b_.input(kMask, type);
  if (has_layer(layers_, true)) sliding_mask_ = b_.input(kSlidingMask, type);
}

// Row p, [D], holds `of` every angle at position p; [context, D].
Value* Emitter::rotary_table(float (*of)(float), std::string_view name) {
  const std::int64_t d = config_.head_dim;
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(form_.context * d));
  for (std::int64_t p = 0; p < form_.context; ++p) {
    for (std::int64_t i = 0; i < d; ++i) {
      values.push_back(
          of(static_cast<float>(p) * config_.inv_freq[static_cast<std::size_t>(i % (d / 2))]));
    }
  }
  return b_.constant(name, Tensor::from_floats(DType::kF16, {form_.context, d}, values));
}

// 0 where key j <= position + row (and, in a window, j > position + row - window), kMaskValue
// elsewhere: what the host would have passed.
void Emitter::position_masks(std::int64_t keys) {
  ANEMONE_CHECK(form_.kv != KvWrite::kHost) << "the host's cache comes with the host's mask";
  std::vector<std::int64_t> columns(static_cast<std::size_t>(keys));
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<std::int64_t>(i);
  std::vector<std::int64_t> steps(static_cast<std::size_t>(rows_));
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = static_cast<std::int64_t>(i);
  Value* reach = b_.add("add", "reach",
                        {{"x", position_}, {"y", Tensor::ints(steps).reshaped({1, 1, rows_, 1})}});
  const auto at = [&] { return Tensor::ints(columns).reshaped({1, 1, 1, keys}); };
  Value* seen = b_.add("less_equal", "seen", {{"x", at()}, {"y", reach}});
  Value* open = half("open", 0);
  Value* hidden = half("hidden_key", kMaskValue);
  const auto mask_of = [&](Value* cond, const std::string& name) {
    return b_.add("select", name, {{"cond", cond}, {"a", open}, {"b", hidden}});
  };
  if (has_layer(layers_, false)) mask_ = mask_of(seen, "position_mask");
  if (!has_layer(layers_, true)) return;
  const std::vector<std::int64_t> window = {config_.sliding_window};
  Value* before = b_.add("sub", "sliding_before", {{"x", reach}, {"y", Tensor::ints(window)}});
  Value* is_near = b_.add("greater", "sliding_near", {{"x", at()}, {"y", before}});
  Value* both = b_.add("logical_and", "sliding_seen", {{"x", seen}, {"y", is_near}});
  sliding_mask_ = mask_of(both, "sliding_position_mask");
}

Value* Emitter::multiply(Value* x, std::shared_ptr<const Tensor> weight,
                         std::shared_ptr<const Tensor> bias, std::string_view name) {
  mil::Builder::Bindings bindings = {
      {"x", x}, {"weight", b_.constant(std::string(name) + "_weight", std::move(weight))}};
  if (bias != nullptr) {
    bindings.push_back({"bias", b_.constant(std::string(name) + "_bias", std::move(bias))});
  }
  if (!is_bc1s_) return b_.add("linear", name, std::move(bindings));
  bindings.push_back({"strides", std::vector<std::int64_t>{1, 1}});
  bindings.push_back({"pad_type", "valid"});
  bindings.push_back({"pad", std::vector<std::int64_t>{0, 0, 0, 0}});
  bindings.push_back({"dilations", std::vector<std::int64_t>{1, 1}});
  bindings.push_back({"groups", 1});
  return b_.add("conv", name, std::move(bindings));
}

Value* Emitter::project(Value* x, Role role, Role bias, std::int64_t layer, std::string_view name) {
  return multiply(x, weights_.matrix(role, layer, is_bc1s_),
                  weights_.has(bias, layer) ? weights_.vector(bias, layer) : nullptr, name);
}

Emitter::NormOf Emitter::stream_norm(Role gain, std::int64_t layer) const {
  // The stream is 2^-n times the model's own, so its mean square is 2^-2n times.
  return {.gain = gain,
          .layer = layer,
          .axis = is_bc1s_ ? 1 : 2,
          .form = form_.stream_norm.value_or(form_.norm),
          .epsilon = std::ldexp(config_.rms_norm_eps, -2 * form_.scales.residual)};
}

Emitter::NormOf Emitter::head_norm(Role gain, std::int64_t layer, double scale) const {
  return {.gain = gain,
          .layer = layer,
          .axis = 3,
          .form = form_.norm,
          .epsilon = config_.rms_norm_eps,
          .scale = scale};
}

Value* Emitter::norm(Value* x, const NormOf& of, std::string_view name) {
  const std::string base(name);
  const auto axes = std::vector<std::int64_t>{of.axis};
  const auto extent = x->type.shape[static_cast<std::size_t>(of.axis)];
  if (of.form == Norm::kConcat) {
    // The mean of concat(x, -x) is 0 and its variance the mean of x^2, so its layer norm is the RMS
    // norm. Source: Anemll qwen_model.py and CoreML-LLM both ship this form.
    Value* negative = b_.add("mul", base + "_negative", {{"x", x}, {"y", half("minus_one", -1)}});
    Value* both = b_.add("concat", base + "_both",
                         {{"values", std::vector<Value*>{x, negative}},
                          {"axis", static_cast<int>(of.axis)},
                          {"interleave", false}});
    Value* normed = b_.add(
        "layer_norm", base + "_normed",
        {{"x", both},
         {"axes", axes},
         {"gamma", b_.constant(base + "_gamma", weights_.vector(of.gain, of.layer, 2, of.scale))},
         {"epsilon", half("epsilon", of.epsilon)}});
    return slice(normed, of.axis, 0, extent, name);
  }
  Shape gain_shape(x->type.shape.size(), 1);
  gain_shape[static_cast<std::size_t>(of.axis)] = extent;
  const auto flat = weights_.vector(of.gain, of.layer, 1, of.scale);
  Value* gain_value = b_.constant(base + "_gain", flat->reshaped(gain_shape));
  const auto mean_square = [&](Value* v) {
    Value* squared = b_.add("mul", base + "_squared", {{"x", v}, {"y", v}});
    return b_.add("reduce_mean", base + "_mean_square",
                  {{"x", squared}, {"axes", axes}, {"keep_dims", true}});
  };
  const auto inverse_root = [&](Value* v) {
    // MIL adds an epsilon of its own; the smallest fp16 keeps it out of the way.
    return b_.add("rsqrt", base + "_inverse_root",
                  {{"x", v}, {"epsilon", Tensor::scalar(DType::kF16, 5.9604644775390625e-8)}});
  };
  Value* scaled = nullptr;
  if (of.form == Norm::kPlain) {
    Value* shifted = b_.add("add", base + "_shifted",
                            {{"x", mean_square(x)}, {"y", half("epsilon", of.epsilon)}});
    scaled = b_.add("mul", base + "_scaled", {{"x", x}, {"y", inverse_root(shifted)}});
  } else {
    // z = x / m with m the largest magnitude (floored): x / sqrt(mean(x^2) + eps) is
    // z / sqrt(mean(z^2) + eps / m^2), and z^2 cannot overflow.
    Value* magnitude = b_.add("abs", base + "_magnitude", {{"x", x}});
    Value* largest = b_.add("reduce_max", base + "_largest",
                            {{"x", magnitude}, {"axes", axes}, {"keep_dims", true}});
    Value* floored = b_.add("maximum", base + "_floored",
                            {{"x", largest}, {"y", half("smallest_scale", std::ldexp(1, -10))}});
    Value* z = b_.add("real_div", base + "_unit", {{"x", x}, {"y", floored}});
    Value* root_eps = b_.add("real_div", base + "_root_epsilon",
                             {{"x", half("root_epsilon", std::sqrt(of.epsilon))}, {"y", floored}});
    Value* eps = b_.add("mul", base + "_epsilon", {{"x", root_eps}, {"y", root_eps}});
    Value* shifted = b_.add("add", base + "_shifted", {{"x", mean_square(z)}, {"y", eps}});
    // One factor a row, so that x's small elements are not first made smaller.
    Value* factor =
        b_.add("real_div", base + "_factor", {{"x", inverse_root(shifted)}, {"y", floored}});
    scaled = b_.add("mul", base + "_scaled", {{"x", x}, {"y", factor}});
  }
  return b_.add("mul", name, {{"x", scaled}, {"y", gain_value}});
}

// (1, H*D, 1, S) or (1, S, H*D) to (1, H, S, D).
Value* Emitter::to_heads(Value* x, std::int64_t heads, std::string_view name) {
  const std::int64_t d = config_.head_dim;
  const std::string base(name);
  const auto split = is_bc1s_ ? std::vector<std::int64_t>{1, heads, d, rows_}
                              : std::vector<std::int64_t>{1, rows_, heads, d};
  const auto perm =
      is_bc1s_ ? std::vector<std::int64_t>{0, 1, 3, 2} : std::vector<std::int64_t>{0, 2, 1, 3};
  Value* apart = b_.add("reshape", base + "_split", {{"x", x}, {"shape", split}});
  return b_.add("transpose", name, {{"x", apart}, {"perm", perm}});
}

Value* Emitter::from_heads(Value* x, std::string_view name) {
  const std::string base(name);
  const auto perm =
      is_bc1s_ ? std::vector<std::int64_t>{0, 1, 3, 2} : std::vector<std::int64_t>{0, 2, 1, 3};
  const auto joined = is_bc1s_ ? std::vector<std::int64_t>{1, config_.query_size(), 1, rows_}
                               : std::vector<std::int64_t>{1, rows_, config_.query_size()};
  Value* turned = b_.add("transpose", base + "_turned", {{"x", x}, {"perm", perm}});
  return b_.add("reshape", name, {{"x", turned}, {"shape", joined}});
}

Value* Emitter::rotate(Value* heads, std::string_view name) {
  const std::int64_t d = config_.head_dim;
  const std::string base(name);
  Value* swapped = nullptr;
  if (form_.rotary == Rotary::kMatmul) {
    swapped = b_.add("matmul", base + "_swapped",
                     {{"x", heads}, {"y", swap_}, {"transpose_x", false}, {"transpose_y", false}});
  } else {
    Value* first = slice(heads, 3, 0, d / 2, base + "_first");
    Value* second = slice(heads, 3, d / 2, d, base + "_second");
    Value* negative =
        b_.add("mul", base + "_negative", {{"x", second}, {"y", half("minus_one", -1)}});
    swapped = b_.add(
        "concat", base + "_swapped",
        {{"values", std::vector<Value*>{negative, first}}, {"axis", 3}, {"interleave", false}});
  }
  Value* straight = b_.add("mul", base + "_cos", {{"x", heads}, {"y", cos_}});
  Value* crossed = b_.add("mul", base + "_sin", {{"x", swapped}, {"y", sin_}});
  return b_.add("add", name, {{"x", straight}, {"y", crossed}});
}

// (1, K, n, D) to (1, H, n, D), each kv head G times.
Value* Emitter::repeat_heads(Value* x, std::string_view name) {
  const std::string base(name);
  const std::int64_t k = config_.num_key_value_heads;
  const std::int64_t g = config_.group();
  if (g == 1) return x;
  const std::int64_t n = x->type.shape[2];
  const std::int64_t d = config_.head_dim;
  if (form_.gqa == Gqa::kExpand) {
    Value* rank5 =
        b_.add("expand_dims", base + "_rank5", {{"x", x}, {"axes", std::vector<std::int64_t>{2}}});
    Value* tiled = b_.add("tile", base + "_tiled",
                          {{"x", rank5}, {"reps", std::vector<std::int64_t>{1, 1, g, 1, 1}}});
    return b_.add("reshape", name,
                  {{"x", tiled}, {"shape", std::vector<std::int64_t>{1, k * g, n, d}}});
  }
  std::vector<Value*> heads;
  for (std::int64_t head = 0; head < k; ++head) {
    Value* one = slice(x, 1, head, head + 1, base + "_head_" + std::to_string(head));
    heads.insert(heads.end(), static_cast<std::size_t>(g), one);
  }
  return b_.add("concat", name, {{"values", heads}, {"axis", 1}, {"interleave", false}});
}

Value* Emitter::scores(Value* q, Value* keys, std::string_view name) {
  return b_.add("matmul", name,
                {{"x", q}, {"y", keys}, {"transpose_x", false}, {"transpose_y", true}});
}

Value* Emitter::attend(Value* q, Value* k, Value* v, std::int64_t layer) {
  const std::string base = prefix(layer);
  const std::int64_t d = config_.head_dim;
  Heads cached = form_.kv == KvWrite::kSlice   ? store_by_slice(k, v, layer)
                 : form_.kv == KvWrite::kBlend ? store_by_blend(k, v, layer)
                                               : host_cache(layer);
  const bool is_grouped = form_.gqa == Gqa::kGrouped;
  const bool folds = is_grouped && config_.group() > 1;
  if (folds) {
    q = b_.add("reshape", base + "q_grouped",
               {{"x", q},
                {"shape", std::vector<std::int64_t>{
                              1, config_.num_key_value_heads,
                              rows_ == kUnknown ? kUnknown : config_.group() * rows_, d}}});
  } else if (!is_grouped) {
    cached.keys = repeat_heads(cached.keys, base + "keys_repeated");
    cached.values = repeat_heads(cached.values, base + "values_repeated");
  }
  Value* raw = scores(q, cached.keys, base + "scores");
  if (form_.kv == KvWrite::kHost) {
    if (!is_grouped) {
      k = repeat_heads(k, base + "k_repeated");
      v = repeat_heads(v, base + "v_repeated");
    }
    Value* fresh = scores(q, k, base + "scores_new");
    raw = b_.add("concat", base + "scores_all",
                 {{"values", std::vector<Value*>{raw, fresh}}, {"axis", 3}, {"interleave", false}});
  }
  Value* masked = b_.add("add", base + "scores_masked",
                         {{"x", raw}, {"y", config_.is_sliding(layer) ? sliding_mask_ : mask_}});
  Value* weights = b_.add("softmax", base + "probabilities", {{"x", masked}, {"axis", -1}});
  const auto mix = [&](Value* probabilities, Value* values, const std::string& name) {
    return b_.add(
        "matmul", name,
        {{"x", probabilities}, {"y", values}, {"transpose_x", false}, {"transpose_y", false}});
  };
  Value* mixed = nullptr;
  if (form_.kv == KvWrite::kHost) {
    Value* old = slice(weights, 3, 0, form_.context, base + "probabilities_old");
    Value* fresh =
        slice(weights, 3, form_.context, form_.context + rows_, base + "probabilities_new");
    mixed = b_.add("add", base + "mixed",
                   {{"x", mix(old, cached.values, base + "mixed_old")},
                    {"y", mix(fresh, v, base + "mixed_new")}});
  } else {
    mixed = mix(weights, cached.values, base + "mixed");
  }
  if (folds) {
    mixed =
        b_.add("reshape", base + "mixed_heads",
               {{"x", mixed},
                {"shape", std::vector<std::int64_t>{1, config_.num_attention_heads, rows_, d}}});
  }
  return from_heads(mixed, base + "attention");
}

Value* Emitter::feed_forward(Value* x, std::int64_t layer) {
  const std::string base = prefix(layer);
  Value* gate = project(x, Role::kGate, Role::kGateBias, layer, base + "gate_proj");
  Value* up = project(x, Role::kUp, Role::kUpBias, layer, base + "up_proj");
  Value* active = nullptr;
  if (form_.silu == Silu::kNative) {
    active = b_.add("silu", base + "silu", {{"x", gate}});
  } else {
    Value* opened = b_.add("sigmoid", base + "sigmoid", {{"x", gate}});
    active = b_.add("mul", base + "silu", {{"x", gate}, {"y", opened}});
  }
  Value* gated = b_.add("mul", base + "gated", {{"x", active}, {"y", up}});
  return project(gated, Role::kDown, Role::kDownBias, layer, base + "down_proj");
}

Value* Emitter::layer(Value* stream, std::int64_t layer) {
  const std::string base = prefix(layer);
  Value* x = norm(stream, stream_norm(Role::kInputNorm, layer), base + "input_norm");
  Value* q = to_heads(project(x, Role::kQ, Role::kQBias, layer, base + "q_proj"),
                      config_.num_attention_heads, base + "q_heads");
  Value* k = to_heads(project(x, Role::kK, Role::kKBias, layer, base + "k_proj"),
                      config_.num_key_value_heads, base + "k_heads");
  Value* v = to_heads(project(x, Role::kV, Role::kVBias, layer, base + "v_proj"),
                      config_.num_key_value_heads, base + "v_heads");
  // The attention's 1 / sqrt(D) goes where it costs nothing: into the gain of the queries' norm.
  const double scale = 1 / std::sqrt(static_cast<double>(config_.head_dim));
  if (config_.qk_norm) {
    q = norm(q, head_norm(Role::kQNorm, layer, scale), base + "q_norm");
    k = norm(k, head_norm(Role::kKNorm, layer, 1), base + "k_norm");
  }
  q = rotate(q, base + "q");
  k = rotate(k, base + "k");
  if (!config_.qk_norm) {
    q = b_.add("mul", base + "q_scaled", {{"x", q}, {"y", half("attention_scale", scale)}});
  }
  fresh_.insert(fresh_.end(), {k, v});
  Value* mixed = attend(q, k, v, layer);
  Value* attention = project(mixed, Role::kO, Role::kOBias, layer, base + "o_proj");
  stream = b_.add("add", base + "after_attention", {{"x", stream}, {"y", attention}});
  Value* y = norm(stream, stream_norm(Role::kPostNorm, layer), base + "post_attention_norm");
  return b_.add("add", base + "out", {{"x", stream}, {"y", feed_forward(y, layer)}});
}

Value* Emitter::final_norm(Value* stream) {
  return norm(stream, stream_norm(Role::kFinalNorm, 0), "final_norm");
}

Value* Emitter::logits(Value* stream, Range tile, std::string_view name) {
  const std::string base(name);
  const auto weight = weights_.rows(weights_.head_role(), tile.first, tile.count, is_bc1s_);
  if (!is_bc1s_) return multiply(stream, weight, nullptr, name);
  Value* columns = multiply(stream, weight, nullptr, base + "_columns");
  Value* flat =
      b_.add("squeeze", base + "_flat", {{"x", columns}, {"axes", std::vector<std::int64_t>{2}}});
  return b_.add("transpose", name, {{"x", flat}, {"perm", std::vector<std::int64_t>{0, 2, 1}}});
}

}  // namespace anemone::models
