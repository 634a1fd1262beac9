#include "anemone/base/error.h"
#include "anemone/checkpoint/decode.h"
#include "anemone/checkpoint/fuzz_seeds.h"
#include "anemone/checkpoint/safetensors.h"
#include "anemone/checkpoint/test_files.h"

namespace {

using namespace anemone;

void read_and_decode(std::string_view text) {
  try {
    for (const CheckpointTensor& tensor :
         read_safetensors(checkpoint_test::bytes_of(text), "fuzz").tensors) {
      if (is_readable(tensor.encoding)) scan_f16(tensor);
    }
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::string header =
      R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"BF16","shape":[2,1],"data_offsets":[8,12]},)"
      R"("c":{"dtype":"F16","shape":[],"data_offsets":[12,14]}})";
  const std::string data(14, '\x7f');
  return checkpoint_test::start_from(
      argc, argv, {checkpoint_test::safetensors_text(header, data), '\x0e' + header});
}

// Each input is taken as a file, and again as a header without its length, after a byte that says
// how much data follows it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(input), size);
  read_and_decode(text);
  if (!text.empty()) {
    const std::string data(static_cast<unsigned char>(text[0]), '\x7f');
    read_and_decode(checkpoint_test::safetensors_text(text.substr(1), data));
  }
  return 0;
}
