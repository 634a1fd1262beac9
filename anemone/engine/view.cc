#include "anemone/engine/view.h"

#include "anemone/base/check.h"

namespace anemone::engine {

bool View::is_dense() const {
  std::int64_t expected = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

std::int64_t View::offset_bytes() const {
  ANEMONE_DCHECK(width_bits(stored) % 8 == 0);
  return offset * (width_bits(stored) / 8);
}

View dense_view(int memory, DType stored, Shape shape) {
  Shape strides = row_major_strides(shape);
  return {memory, stored, std::move(shape), std::move(strides), 0};
}

std::optional<View> reshaped(const View& view, const Shape& shape) {
  ANEMONE_CHECK(element_count(shape) == view.count())
      << anemone::to_string(view.shape) << " as " << anemone::to_string(shape);
  View out = view;
  out.shape = shape;
  if (view.is_dense()) {
    out.strides = row_major_strides(shape);
    return out;
  }
  out.strides.assign(shape.size(), 0);
  // Groups of axes of equal product on both sides; inside a group the old axes must be one run.
  std::size_t from = 0;
  std::size_t to = 0;
  while (from < view.shape.size() || to < shape.size()) {
    std::int64_t have = 1;
    std::int64_t want = 1;
    const std::size_t from_begin = from;
    const std::size_t to_begin = to;
    if (from < view.shape.size()) have = view.shape[from++];
    if (to < shape.size()) want = shape[to++];
    while (have != want) {
      if (have < want) {
        have *= view.shape[from++];
      } else {
        want *= shape[to++];
      }
    }
    std::int64_t stride = 0;
    std::optional<std::int64_t> run;  // the stride that the next axis outwards must have
    for (std::size_t i = from; i-- > from_begin;) {
      if (view.shape[i] == 1) continue;
      if (!run) {
        stride = view.strides[i];
      } else if (view.strides[i] != *run) {
        return std::nullopt;
      }
      run = view.strides[i] * view.shape[i];
    }
    for (std::size_t i = to; i-- > to_begin;) {
      out.strides[i] = stride;
      stride *= shape[i];
    }
  }
  return out;
}

View transposed(const View& view, std::span<const std::int64_t> perm) {
  View out = view;
  for (std::size_t i = 0; i < perm.size(); ++i) {
    out.shape[i] = view.shape[static_cast<std::size_t>(perm[i])];
    out.strides[i] = view.strides[static_cast<std::size_t>(perm[i])];
  }
  return out;
}

View expanded(const View& view, std::size_t at) {
  View out = view;
  out.shape.clear();
  out.strides.clear();
  for (std::size_t i = 0; i <= view.shape.size(); ++i) {
    if (i == at) {
      out.shape.push_back(1);
      out.strides.push_back(0);
    }
    if (i < view.shape.size()) {
      out.shape.push_back(view.shape[i]);
      out.strides.push_back(view.strides[i]);
    }
  }
  return out;
}

View sliced(const View& view, std::span<const std::int64_t> begins,
            std::span<const std::int64_t> extents, std::span<const std::int64_t> steps) {
  View out = view;
  for (std::size_t i = 0; i < view.shape.size(); ++i) {
    if (extents[i] > 0) {
      const std::int64_t last = begins[i] + (extents[i] - 1) * steps[i];
      ANEMONE_CHECK(begins[i] >= 0 && begins[i] < view.shape[i] && last >= 0 &&
                    last < view.shape[i])
          << anemone::to_string(view.shape);
      out.offset += begins[i] * view.strides[i];
    }
    out.shape[i] = extents[i];
    out.strides[i] = view.strides[i] * steps[i];
  }
  return out;
}

View sliced(const View& view, std::size_t axis, std::int64_t begin, std::int64_t extent) {
  ANEMONE_CHECK(begin >= 0 && extent >= 0 && extent <= view.shape[axis] - begin)
      << anemone::to_string(view.shape);
  View out = view;
  out.shape[axis] = extent;
  if (extent > 0) out.offset += begin * view.strides[axis];
  return out;
}

Shape stretched(const View& view, const Shape& shape) {
  ANEMONE_CHECK(view.shape.size() <= shape.size());
  Shape strides(shape.size(), 0);
  const std::size_t ahead = shape.size() - view.shape.size();
  for (std::size_t i = 0; i < view.shape.size(); ++i) {
    ANEMONE_CHECK(view.shape[i] == shape[ahead + i] || view.shape[i] == 1);
    if (view.shape[i] != 1) strides[ahead + i] = view.strides[i];
  }
  return strides;
}

Walk merged_walk(const Shape& shape, std::span<const View* const> views) {
  std::vector<Shape> strides;
  for (const View* view : views) strides.push_back(stretched(*view, shape));
  Walk walk;
  walk.strides.resize(views.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    bool merges = !walk.extents.empty();
    for (std::size_t v = 0; v < views.size() && merges; ++v) {
      merges = walk.strides[v].back() == strides[v][axis] * shape[axis];
    }
    if (merges) {
      walk.extents.back() *= shape[axis];
      for (std::size_t v = 0; v < views.size(); ++v) walk.strides[v].back() = strides[v][axis];
    } else {
      walk.extents.push_back(shape[axis]);
      for (std::size_t v = 0; v < views.size(); ++v) walk.strides[v].push_back(strides[v][axis]);
    }
  }
  if (walk.extents.empty()) {
    walk.extents.push_back(1);
    for (Shape& own : walk.strides) own.push_back(0);
  }
  return walk;
}

std::string to_string(const View& view) {
  std::string text = anemone::to_string(view.shape);
  if (view.offset != 0) text += " at " + std::to_string(view.offset);
  if (view.is_dense()) return text;
  text += " by ";
  for (std::size_t i = 0; i < view.strides.size(); ++i) {
    text += (i == 0 ? "[" : ", ") + std::to_string(view.strides[i]);
  }
  return text + "]";
}

}  // namespace anemone::engine
