#include "anemone/mil/ops/elements.h"

namespace anemone::mil {
namespace op::non_maximum_suppression {

// Up to iOS 16 boxes are [N, B, 4] and scores [N, B, K]; from iOS 17 on [N, 4, B] and [N, K, B],
// there is no score_threshold, and the counts are not given.
constexpr InputDef kInputs[] = {
    {.name = "boxes", .dtypes = kFloats, .min_rank = 3, .max_rank = 3, .domain = 'T'},
    {.name = "scores", .dtypes = kFloats, .min_rank = 3, .max_rank = 3, .domain = 'T'},
    {.name = "iou_threshold", .dtypes = kFloats, .max_rank = 0, .is_const = true, .domain = 'T'},
    {.name = "score_threshold",
     .dtypes = kFloats,
     .max_rank = 0,
     .is_const = true,
     .domain = 'T',
     .until = Opset::kIos16},
    {.name = "max_boxes", .dtypes = kInt32, .max_rank = 0, .is_const = true},
    {.name = "per_class_suppression",
     .dtypes = kBools,
     .max_rank = 0,
     .is_const = true,
     .otherwise = false},
};
constexpr Opset kRevised[] = {Opset::kIos17};

bool boxes_last(const Call& call) { return call.opset() >= Opset::kIos17; }

std::vector<Type> infer(const Call& call) {
  const Type& boxes = call.type("boxes");
  const Type& scores = call.type("scores");
  const std::size_t along = boxes_last(call) ? 2 : 1;
  const std::size_t across = 3 - along;
  if (!may_equal(boxes.shape[0], scores.shape[0]) || !may_equal(boxes.shape[across], 4) ||
      !may_equal(boxes.shape[along], scores.shape[along])) {
    call.fail("boxes, " + anemone::to_string(boxes.shape) + ", and scores, " +
              anemone::to_string(scores.shape) + ", do not meet: expected " +
              (boxes_last(call) ? "[N, 4, B] and [N, K, B]" : "[N, B, 4] and [N, B, K]"));
  }
  const std::int64_t most = call.integer("max_boxes");
  if (most < 1) call.fail("parameter 'max_boxes' is " + std::to_string(most));
  Shape kept_boxes = boxes.shape;
  Shape kept_scores = scores.shape;
  kept_boxes[along] = kept_scores[along] = most;
  kept_boxes[across] = 4;
  std::vector<Type> types = {Type::tensor(boxes.dtype, kept_boxes),
                             Type::tensor(scores.dtype, kept_scores),
                             Type::tensor(DType::kI32, {scores.shape[0], most})};
  if (!boxes_last(call)) types.push_back(Type::tensor(DType::kI32, {scores.shape[0]}));
  return types;
}

// Boxes are [x, y, width, height] around their center.
struct Box {
  double left, right, bottom, top;

  explicit Box(const double* n)
      : left(n[0] - n[2] / 2),
        right(n[0] + n[2] / 2),
        bottom(n[1] - n[3] / 2),
        top(n[1] + n[3] / 2) {}

  double area() const { return (right - left) * (top - bottom); }
};

double overlap(const Box& a, const Box& b) {
  if (a.area() <= 0 || b.area() <= 0) return 0;
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const double height = std::min(a.top, b.top) - std::max(a.bottom, b.bottom);
  const double common = std::max(0.0, width) * std::max(0.0, height);
  return common / (a.area() + b.area() - common);
}

// Where one class suppresses another only if asked to, a box's class is that of its best score.
// With nothing left, the box of the best score is.
// Source: coremltools 9.0, mil/ops/tests/iOS14/test_tensor_operation.py
// (_ref_non_maximum_suppression).
struct Image {
  std::vector<double> boxes;   // [B, 4]
  std::vector<double> scores;  // [B, K]
  std::size_t classes = 0;

  std::vector<std::size_t> survivors(double iou, double least, bool per_class,
                                     std::size_t most) const {
    const std::size_t count = boxes.size() / 4;
    std::vector<double> best(count, -std::numeric_limits<double>::infinity());
    std::vector<std::size_t> kind(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < classes; ++k) {
        if (scores[i * classes + k] > best[i]) {
          best[i] = scores[i * classes + k];
          kind[i] = k;
        }
      }
    }
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return best[a] > best[b]; });
    std::vector<std::size_t> kept;
    for (const std::size_t i : order) {
      if (kept.size() == most) break;
      if (!(best[i] > least)) continue;
      const bool hidden = std::any_of(kept.begin(), kept.end(), [&](std::size_t j) {
        return (!per_class || kind[i] == kind[j]) &&
               overlap(Box(&boxes[4 * i]), Box(&boxes[4 * j])) > iou;
      });
      if (!hidden) kept.push_back(i);
    }
    if (kept.empty() && count > 0) kept.push_back(order.front());
    return kept;
  }
};

std::vector<Tensor> eval(const Call& call) {
  const std::vector<Type> types = infer(resolved(call));
  const Tensor& boxes = call.tensor("boxes");
  const Tensor& scores = call.tensor("scores");
  const bool last = boxes_last(call);
  const auto count = static_cast<std::size_t>(scores.shape()[last ? 2 : 1]);
  const auto classes = static_cast<std::size_t>(scores.shape()[last ? 1 : 2]);
  const auto images = static_cast<std::size_t>(scores.shape()[0]);
  const auto most = static_cast<std::size_t>(call.integer("max_boxes"));
  const double least =
      last ? -std::numeric_limits<double>::infinity() : call.number("score_threshold");
  const std::vector<double> all_boxes = boxes.to_doubles();
  const std::vector<double> all_scores = scores.to_doubles();
  // Element `part` of box i of an image, in either layout, of `extent` boxes and `parts` a box.
  const auto place = [&](std::size_t n, std::size_t i, std::size_t part, std::size_t parts,
                         std::size_t extent) {
    return n * parts * extent + (last ? part * extent + i : i * parts + part);
  };
  std::vector<double> kept_boxes(images * most * 4);
  std::vector<double> kept_scores(images * most * classes);
  std::vector<std::int64_t> indices(images * most, -1);
  std::vector<std::int64_t> counts;
  for (std::size_t n = 0; n < images; ++n) {
    Image image;
    image.classes = classes;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < 4; ++k) {
        image.boxes.push_back(all_boxes[place(n, i, k, 4, count)]);
      }
      for (std::size_t k = 0; k < classes; ++k) {
        image.scores.push_back(all_scores[place(n, i, k, classes, count)]);
      }
    }
    const auto kept = image.survivors(call.number("iou_threshold"), least,
                                      call.boolean("per_class_suppression"), most);
    counts.push_back(static_cast<std::int64_t>(kept.size()));
    for (std::size_t to = 0; to < kept.size(); ++to) {
      for (std::size_t k = 0; k < 4; ++k) {
        kept_boxes[place(n, to, k, 4, most)] = image.boxes[4 * kept[to] + k];
      }
      for (std::size_t k = 0; k < classes; ++k) {
        kept_scores[place(n, to, k, classes, most)] = image.scores[kept[to] * classes + k];
      }
      indices[n * most + to] = static_cast<std::int64_t>(kept[to]);
    }
  }
  std::vector<Tensor> outputs = {Tensor::from_doubles(types[0].dtype, types[0].shape, kept_boxes),
                                 Tensor::from_doubles(types[1].dtype, types[1].shape, kept_scores),
                                 Tensor::from_ints(DType::kI32, types[2].shape, indices)};
  if (!last) outputs.push_back(Tensor::from_ints(DType::kI32, types[3].shape, counts));
  return outputs;
}

}  // namespace op::non_maximum_suppression

ANEMONE_DEFINE_OP(non_maximum_suppression) = {
    .name = "non_maximum_suppression",
    .revised = op::non_maximum_suppression::kRevised,
    .says =
        "boxes by falling score without those that overlap a kept one by more than "
        "iou_threshold, their scores and indices (-1 where there are fewer), their number",
    .inputs = op::non_maximum_suppression::kInputs,
    .infer = op::non_maximum_suppression::infer,
    .eval = op::non_maximum_suppression::eval,
};

}  // namespace anemone::mil
