// A program of somebody else's: writes an ML Program, saves it as a package, loads it again.
#include <cstdio>
#include <cstring>

#include "anemone/base/error.h"
#include "anemone/base/version.h"
#include "anemone/mil/builder.h"
#include "anemone/mil/text.h"
#include "anemone/mil/verify.h"

int main() {
  using namespace anemone;
  if (std::strcmp(kVersion, EXPECTED_VERSION) != 0) {
    std::fprintf(stderr, "the headers are of version %s\n", kVersion);
    return 1;
  }
  try {
    mil::Program program;
    mil::Builder b(program.add_function("main", mil::Opset::kIos18));
    mil::Value* x = b.input("x", mil::Type::tensor(DType::kF16, {1, 8}));
    b.set_outputs({b.add("softmax", "y", {{"x", x}, {"axis", -1}})});
    mil::require_sound(program, "stranger");
    const std::string text = mil::print(program);
    if (mil::print(mil::parse(text, "stranger.mil")) != text) return 1;
    std::fputs(text.c_str(), stdout);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return exit_status(error.code());
  }
  return 0;
}
