#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "anemone/engine/kernel.h"
#include "anemone/engine/kernels/finish.h"
#include "anemone/engine/product.h"

namespace anemone::engine {

// Where one product of a batch begins, in bytes from the operands.
struct ProductPlace {
  std::int64_t w = 0;
  std::int64_t x = 0;
  std::int64_t y = 0;
};

struct ProductOperands {
  int w = -1;
  int x = -1;
  int bias = -1;  // -1: none
  int scratch = -1;
  int y = -1;
};

// Products of one shape over a batch of places.
class ProductKernel : public Kernel {
 public:
  ProductKernel(const ProductPlan& plan, std::vector<ProductPlace> places,
                const ProductOperands& operands)
      : plan_(plan),
        places_(std::move(places)),
        at_(operands),
        pieces_(plan.pieces()),
        pack_pieces_(plan.pack_pieces()),
        scratch_bytes_(static_cast<std::int64_t>(plan.scratch_bytes())),
        grain_(
            std::max<std::int64_t>(1, kGrainCost / std::max<std::int64_t>(1, plan.piece_cost()))) {}

  // What all places need together.
  static std::size_t scratch_bytes(const ProductPlan& plan, std::size_t places) {
    return plan.scratch_bytes() * places;
  }

  void run(const Run& run) const override { products(run, nullptr); }

  // Rows of a convolution's result lie one after another.
  bool run_then(const Run& run, const Then& then) const override {
    if (plan_.method() != "tile" || plan_.product().y_n != 1 ||
        plan_.product().y_m != plan_.product().n) {
      return false;
    }
    products(run, &then);
    return true;
  }

  // Rows are channels, as a convolution's are.
  bool finish_with(std::span<const FinishStep> steps) override {
    const bool can = plan_.finishes() && plan_.product().y_m == plan_.product().n;
    return can && finish_.take(steps);
  }

  std::string note() const override {
    const Product& p = plan_.product();
    std::string text(plan_.method());
    if (places_.size() > 1) text += " " + std::to_string(places_.size()) + " times";
    return text + " " + std::to_string(p.m) + "x" + std::to_string(p.k) + " by " +
           std::to_string(p.k) + "x" + std::to_string(p.n);
  }

 private:
  void products(const Run& run, const Then* then) const {
    const auto* w = run.in<std::byte>(at_.w);
    const auto* x = run.in<std::byte>(at_.x);
    const float* bias = at_.bias < 0 ? nullptr : run.in<float>(at_.bias);
    auto* y = run.out<std::byte>(at_.y);
    auto* scratch = at_.scratch < 0 ? nullptr : run.out<std::byte>(at_.scratch);
    const auto batch = static_cast<std::int64_t>(places_.size());
    if (pack_pieces_ > 0) {
      over(run, batch, pack_pieces_, kPackGrain,
           [&](std::int64_t b, std::int64_t begin, std::int64_t end, int) {
             plan_.pack(x + place(b).x, scratch + b * scratch_bytes_, begin, end);
           });
    }
    const Finish finish = finish_.at(run, plan_.product().rounds);
    over(run, batch, pieces_, grain_,
         [&](std::int64_t b, std::int64_t begin, std::int64_t end, int thread) {
           float* out = reinterpret_cast<float*>(y + place(b).y);
           const std::byte* packed = scratch == nullptr ? nullptr : scratch + b * scratch_bytes_;
           if (then == nullptr) {
             const Finish here =
                 shifted(finish, place(b).y / static_cast<std::int64_t>(sizeof(float)));
             return plan_.run(w + place(b).w, x + place(b).x, packed, bias, out, begin, end,
                              plan_.finishes() ? &here : nullptr);
           }
           const Product& p = plan_.product();
           const std::int64_t rows = *plan_.piece_rows();
           for (std::int64_t piece = begin; piece < end; ++piece) {
             plan_.run(w + place(b).w, x + place(b).x, packed, bias, out, piece, piece + 1);
             const std::int64_t row = piece * rows;
             (*then)(place(b).y / static_cast<std::int64_t>(sizeof(float)) + row * p.n,
                     std::min(rows, p.m - row) * p.n, thread);
           }
         });
  }

  // For a part of the result that begins at this element.
  static Finish shifted(Finish finish, std::int64_t by) {
    for (std::size_t i = 0; i < finish.count; ++i) {
      if (finish.steps[i].kind == FinishStep::Kind::kAdd) finish.steps[i].data += by;
    }
    return finish;
  }

  static constexpr std::int64_t kGrainCost = 65536;  // multiplications worth a piece
  static constexpr std::int64_t kPackGrain = 4;

  const ProductPlace& place(std::int64_t b) const { return places_[static_cast<std::size_t>(b)]; }

  // Shares out `batch` times `pieces`, calling work(b, begin, end, thread) within one b at a time.
  template <typename Work>
  static void over(const Run& run, std::int64_t batch, std::int64_t pieces, std::int64_t grain,
                   const Work& work) {
    run.share_by_thread(batch * pieces, grain,
                        [&](std::int64_t begin, std::int64_t end, int thread) {
                          while (begin < end) {
                            const std::int64_t b = begin / pieces;
                            const std::int64_t stop = std::min(end, (b + 1) * pieces);
                            work(b, begin - b * pieces, stop - b * pieces, thread);
                            begin = stop;
                          }
                        });
  }

  ProductPlan plan_;
  FinishSteps finish_;
  std::vector<ProductPlace> places_;
  ProductOperands at_;
  std::int64_t pieces_;
  std::int64_t pack_pieces_;
  std::int64_t scratch_bytes_;
  std::int64_t grain_;
};

}  // namespace anemone::engine
