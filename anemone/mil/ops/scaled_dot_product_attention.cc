#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::scaled_dot_product_attention {

constexpr InputDef kInputs[] = {
    {.name = "query", .dtypes = kFloats, .min_rank = 3, .domain = 'T'},
    {.name = "key", .dtypes = kFloats, .min_rank = 3, .domain = 'T'},
    {.name = "value", .dtypes = kFloats, .min_rank = 3, .domain = 'T'},
    {.name = "attn_mask", .dtypes = kFloats | kBools, .min_rank = 1, .is_optional = true},
};

// Query [B.., L, E], key [B.., S, E], value [B.., S, V]; batch extents are equal, never stretched.
// Source: coremltools 9.0, mil/ops/defs/iOS18/transformers.py.
std::vector<Type> infer(const Call& call) {
  const Type& query = call.type("query");
  const Shape& key = call.shape("key");
  const Shape& value = call.shape("value");
  const std::size_t rank = query.shape.size();
  bool fits = key.size() == rank && value.size() == rank;
  for (std::size_t i = 0; fits && i + 2 < rank; ++i) {
    fits = may_equal(query.shape[i], key[i]) && may_equal(query.shape[i], value[i]) &&
           may_equal(key[i], value[i]);
  }
  fits = fits && may_equal(query.shape[rank - 1], key[rank - 1]) &&
         may_equal(key[rank - 2], value[rank - 2]);
  if (!fits) {
    call.fail("query, " + anemone::to_string(query.shape) + ", key, " + anemone::to_string(key) +
              ", and value, " + anemone::to_string(value) +
              ", do not meet: expected [B.., L, E], [B.., S, E] and [B.., S, V]");
  }
  if (call.has("attn_mask")) {
    Shape scores(query.shape.begin(), query.shape.end() - 1);
    scores.push_back(key[rank - 2]);
    const Shape& mask = call.shape("attn_mask");
    const auto both = broadcast(mask, scores);
    if (!both || !may_equal(*both, scores)) {
      call.fail("parameter 'attn_mask' has shape " + anemone::to_string(mask) +
                ", which does not broadcast to the scores', " + anemone::to_string(scores));
    }
  }
  Shape shape = query.shape;
  shape.back() = value.back();
  return {Type::tensor(query.dtype, shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const Tensor& query = call.tensor("query");
  const Tensor& key = call.tensor("key");
  const std::vector<double> q = query.to_doubles();
  const std::vector<double> k = key.to_doubles();
  const std::vector<double> v = call.tensor("value").to_doubles();
  const auto width = static_cast<std::size_t>(query.shape().back());
  const auto length = static_cast<std::size_t>(key.shape()[key.shape().size() - 2]);
  const auto out = static_cast<std::size_t>(type.shape.back());
  const auto rows = static_cast<std::size_t>(query.shape()[query.shape().size() - 2]);
  const Tensor* mask = call.find_tensor("attn_mask");
  const std::vector<double> masks = mask ? mask->to_doubles() : std::vector<double>{};
  Shape lines(query.shape().begin(), query.shape().end() - 1);
  Shape scores_shape = lines;
  scores_shape.push_back(key.shape()[key.shape().size() - 2]);
  const Shape mask_strides =
      mask ? stretched_strides(mask->shape(), scores_shape) : Shape(scores_shape.size(), 0);
  std::vector<double> y;
  std::vector<double> scores(length);
  std::size_t line = 0;  // of query, all batches counted
  for_each_index(lines, [&](const Shape& index) {
    const std::size_t batch = line / rows;
    double top = -std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < length; ++s) {
      double sum = 0;
      for (std::size_t e = 0; e < width; ++e) {
        sum += q[line * width + e] * k[(batch * length + s) * width + e];
      }
      sum /= std::sqrt(static_cast<double>(width));
      if (mask != nullptr) {
        const auto at =
            static_cast<std::size_t>(dot(index, std::span(mask_strides).first(index.size())) +
                                     static_cast<std::int64_t>(s) * mask_strides.back());
        if (mask->dtype() != DType::kBool) {
          sum += masks[at];
        } else if (masks[at] == 0) {
          sum = -std::numeric_limits<double>::infinity();
        }
      }
      scores[s] = sum;
      top = std::max(top, sum);
    }
    double total = 0;
    for (double& score : scores) total += score = std::exp(score - top);
    for (std::size_t c = 0; c < out; ++c) {
      double sum = 0;
      for (std::size_t s = 0; s < length; ++s) sum += scores[s] * v[(batch * length + s) * out + c];
      y.push_back(sum / total);
    }
    ++line;
  });
  return {Tensor::from_doubles(type.dtype, type.shape, y)};
}

}  // namespace op::scaled_dot_product_attention

ANEMONE_DEFINE_OP(scaled_dot_product_attention) = {
    .name = "scaled_dot_product_attention",
    .since = Opset::kIos18,
    .says = "y = softmax(query key^T / sqrt(E) + attn_mask) value; a bool mask keeps what is true",
    .inputs = op::scaled_dot_product_attention::kInputs,
    .infer = op::scaled_dot_product_attention::infer,
    .eval = op::scaled_dot_product_attention::eval,
};

}  // namespace anemone::mil
