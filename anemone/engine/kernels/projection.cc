#include "anemone/engine/kernels/product_kernel.h"

// Products with weights: `linear`, and `conv` with a kernel of one element.
namespace anemone::engine {
namespace {

// The weight as a matrix [rows, columns], contiguous along its columns.
View weight_matrix(Lowering& l) {
  View w = l.view("weight");
  if (!w.is_dense()) w = l.dense("weight");
  return w;
}

std::unique_ptr<Kernel> make(Lowering& l, Product p, const View& w, const View& x,
                             std::vector<ProductPlace> places) {
  p.w_stored = w.stored;
  p.x_stored = x.stored;
  p.has_bias = l.has("bias");
  p.rounds = l.rounds();
  const ProductPlan plan(p);
  ProductOperands at;
  at.w = l.read(w);
  at.x = l.read(x);
  if (p.has_bias) at.bias = l.read_dense("bias");
  const std::size_t scratch = ProductKernel::scratch_bytes(plan, places.size());
  if (scratch > 0) at.scratch = l.scratch(scratch);
  at.y = l.write();
  return std::make_unique<ProductKernel>(plan, std::move(places), at);
}

bool are_all(const Lowering& l, std::string_view parameter, std::int64_t wanted) {
  const auto values = l.call().find_integers(parameter);
  return !values || std::all_of(values->begin(), values->end(),
                                [&](std::int64_t value) { return value == wanted; });
}

constexpr std::int64_t kManyPlaces = 256;
constexpr std::int64_t kFewChannels = 8;

std::unique_ptr<Kernel> plan_conv(Lowering& l) {
  const Shape& weight = l.value("weight").type.shape;
  const Shape& out = l.output_type().shape;
  const bool is_pointwise = std::all_of(weight.begin() + 2, weight.end(),
                                        [](std::int64_t extent) { return extent == 1; });
  const bool is_padded = l.call().text("pad_type") == "custom" && !are_all(l, "pad", 0);
  if (!is_pointwise || is_padded || !are_all(l, "strides", 1) || l.call().integer("groups") != 1) {
    return nullptr;
  }
  Product p;
  p.m = weight[0];
  p.k = weight[1];
  p.n = element_count(std::span(out).subspan(2));
  // With many places, packing them piece by piece keeps them in the cache (convolution.cc).
  if (p.n >= kManyPlaces && p.m > kFewChannels) return nullptr;
  p.w_row = p.k;
  p.y_m = p.n;
  p.y_n = 1;
  p.may_split = true;
  // The spatial axes must be one axis; then channels may lie in any way.
  const View& seen = l.view("x");
  auto joined = reshaped(seen, {seen.shape[0], seen.shape[1], p.n});
  const View x = joined ? *joined : *reshaped(l.dense("x"), {seen.shape[0], seen.shape[1], p.n});
  p.x_k = x.strides[1];
  p.x_n = x.strides[2];
  std::vector<ProductPlace> places;
  const std::int64_t x_bytes = width_bits(x.stored) / 8;
  for (std::int64_t b = 0; b < x.shape[0]; ++b) {
    places.push_back(
        {0, b * x.strides[0] * x_bytes, b * p.m * p.n * static_cast<std::int64_t>(sizeof(float))});
  }
  return make(l, p, weight_matrix(l), x, std::move(places));
}

std::unique_ptr<Kernel> plan_linear(Lowering& l) {
  if (!is_float(l.output_type().dtype)) return nullptr;
  const Shape& weight = l.value("weight").type.shape;
  Product p;
  p.m = weight[0];
  p.k = weight[1];
  p.n = element_count(l.output_type().shape) / std::max<std::int64_t>(1, p.m);
  p.w_row = p.k;
  p.y_m = 1;
  p.y_n = p.m;
  const auto rows = reshaped(l.view("x"), {p.n, p.k});
  const View x = rows ? *rows : *reshaped(l.dense("x"), {p.n, p.k});
  p.x_k = x.strides[1];
  p.x_n = x.strides[0];
  return make(l, p, weight_matrix(l), x, {{0, 0, 0}});
}

std::unique_ptr<Kernel> plan(Lowering& l) {
  if (l.padding() != nullptr) return nullptr;
  if (element_count(l.output_type().shape) == 0) return nullptr;
  // From iOS 17 on weights may be integers.
  for (const std::string_view parameter : {"x", "weight", "bias"}) {
    if (l.has(parameter) && !is_float(l.value(parameter).type.dtype)) return nullptr;
  }
  return l.op().type() == "conv" ? plan_conv(l) : plan_linear(l);
}

constexpr std::string_view kOps[] = {"conv", "linear"};

}  // namespace

ANEMONE_DEFINE_KERNEL(projection) = {.name = "projection", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
