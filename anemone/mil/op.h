#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "anemone/mil/program.h"

namespace anemone::mil {

// Sets of dtypes, for InputDef. `kFloats | bit(DType::kI32)`.
using DTypeSet = std::uint32_t;
constexpr DTypeSet bit(DType dtype) { return DTypeSet{1} << static_cast<int>(dtype); }
inline constexpr DTypeSet kFloats = bit(DType::kF16) | bit(DType::kF32);
inline constexpr DTypeSet kInt32 = bit(DType::kI32);
inline constexpr DTypeSet kSmallInts =
    bit(DType::kI8) | bit(DType::kU8) | bit(DType::kI16) | bit(DType::kU16);
inline constexpr DTypeSet kNumbers = kFloats | kInt32;
inline constexpr DTypeSet kBools = bit(DType::kBool);
inline constexpr DTypeSet kStrings = bit(DType::kString);
inline constexpr DTypeSet kAnyDType = ~DTypeSet{0};

// Kinds of values, for InputDef.
using KindSet = std::uint8_t;
constexpr KindSet bit(Type::Kind kind) { return static_cast<KindSet>(1 << static_cast<int>(kind)); }
inline constexpr KindSet kTensors = bit(Type::Kind::kTensor);
inline constexpr KindSet kStates = bit(Type::Kind::kState);
inline constexpr KindSet kLists = bit(Type::Kind::kList);
inline constexpr KindSet kAnyKind = 0xff;

// A parameter's value when nothing is bound to it. monostate: there is none.
using Default = std::variant<std::monostate, bool, std::int64_t, double, std::string_view>;

struct InputDef {
  std::string_view name = {};
  DTypeSet dtypes = kAnyDType;
  int min_rank = 0;
  int max_rank = 5;  // Core ML tensors have at most rank 5. Source: coremltools 9.0, mil/block.py.
  bool is_const = false;     // must be known before any call
  bool is_optional = false;  // may be left out (a default makes it so too)
  bool is_variadic = false;
  char domain = 0;  // parameters with the same letter have the same dtype
  Default otherwise = {};
  KindSet kinds = kTensors;
  // What later generations changed: the opsets in which the parameter exists, and its dtypes and
  // letter from iOS 17 on (0: no change).
  Opset since = Opset::kIos15;
  Opset until = Opset::kIos26;
  DTypeSet ios17_dtypes = 0;
  char ios17_domain = 0;

  bool exists(Opset opset) const { return opset >= since && opset <= until; }
  DTypeSet dtypes_in(Opset opset) const {
    return opset >= Opset::kIos17 && ios17_dtypes != 0 ? ios17_dtypes : dtypes;
  }
  char domain_in(Opset opset) const {
    return opset >= Opset::kIos17 && ios17_domain != 0 ? ios17_domain : domain;
  }
};

struct Argument {
  Type type;
  const Tensor* value = nullptr;  // null while only the type is known
  bool is_folded = false;         // no value at hand, yet fixed before any call (constexpr_* ops)
};

// One application of an op as inference and eval see it: parameters by name, each with type and,
// where known, value. Every accessor that cannot give what it promises throws Error(kBadInput)
// naming op, parameter, found and allowed.
class Call {
 public:
  Call(const OpDef& def, Opset opset, std::string op_name);

  void bind(std::string_view parameter, std::vector<Argument> arguments);
  // Gives every argument with a value the type that the value has, in place of the declared one.
  void resolve();

  const OpDef& def() const { return *def_; }
  Opset opset() const { return opset_; }

  bool has(std::string_view parameter) const;
  std::span<const Argument> arguments(std::string_view parameter) const;
  const Type& type(std::string_view parameter) const;
  const Shape& shape(std::string_view parameter) const { return type(parameter).shape; }
  DType dtype(std::string_view parameter) const { return type(parameter).dtype; }
  // The value; throws if it is not known.
  const Tensor& tensor(std::string_view parameter) const;
  // The value or null.
  const Tensor* find_tensor(std::string_view parameter) const;

  // Scalars and vectors, with the catalogue's default when nothing is bound.
  std::int64_t integer(std::string_view parameter) const;
  double number(std::string_view parameter) const;
  bool boolean(std::string_view parameter) const;
  std::string text(std::string_view parameter) const;
  std::vector<std::int64_t> integers(std::string_view parameter) const;  // a scalar gives one
  // Absent when nothing is bound.
  std::optional<std::vector<std::int64_t>> find_integers(std::string_view parameter) const;

  // An axis parameter, made non-negative and checked against `rank`.
  std::int64_t axis(std::string_view parameter, std::int64_t rank) const;

  // How many outputs the op declares; ops with a variable number (split) check it.
  [[noreturn]] void fail(const std::string& why) const;
  // "op 'name' (softmax)"
  std::string where() const;

  // Set before infer on ops with blocks (cond, while_loop): what each block's outputs are.
  std::vector<std::vector<Type>> block_outputs;

 private:
  const InputDef& parameter(std::string_view name) const;

  struct Bound {
    std::string_view name;
    std::vector<Argument> arguments;
  };
  const OpDef* def_;
  Opset opset_;
  std::string op_name_;
  std::vector<Bound> bound_;
};

// How an op touches states. Nothing merges, moves or drops ops with effects.
enum class Effect : std::uint8_t { kNone, kReadsState, kWritesState, kRandom };

// All that is true of an op wherever it runs. One file each in ops/.
struct OpDef {
  std::string_view name = {};
  Opset since = Opset::kIos15;
  std::span<const Opset> revised = {};  // later opsets in which parameters or dtypes changed
  std::string_view says = {};           // one line: the definition, as a formula where there is one
  std::span<const InputDef> inputs = {};
  // Output types from input types and known values. Throws Error(kBadInput) through Call::fail.
  std::vector<Type> (*infer)(const Call& call) = nullptr;
  // The outputs from known inputs: slow and exact (sums in double, one rounding at the end). The
  // oracle of every kernel, and what constant folding uses. Null where an op has no value of its
  // own (states, control flow).
  std::vector<Tensor> (*eval)(const Call& call) = nullptr;
  Effect effect = Effect::kNone;
  int blocks = 0;         // nested blocks it holds
  bool unranked = false;  // infer also takes tensors of unknown rank

  const InputDef* find_input(std::string_view parameter) const;
  // The opset that last changed it, no later than `opset`.
  Opset revision(Opset opset) const;
};

// ANEMONE_DEFINE_OP(softmax) = {.name = "softmax", ...}; once, at the end of the op's file.
#define ANEMONE_DEFINE_OP(stem) \
  extern const OpDef op_##stem; \
  constinit const OpDef op_##stem

// Null if there is no such op.
const OpDef* find_op(std::string_view name);
std::span<const OpDef* const> all_ops();

// The call that `op` makes, with the types and known constants of its inputs.
Call call_of(const Op& op, Opset opset);
// Checks what is bound against the catalogue (presence, dtype, rank, constness, domains), infers,
// and checks that every output shape is one that memory could hold.
std::vector<Type> checked_infer(const Call& call);

}  // namespace anemone::mil
