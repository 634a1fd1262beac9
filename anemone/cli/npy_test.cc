#include "anemone/cli/npy.h"

#include <gtest/gtest.h>

#include "anemone/testing/message_of.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::cli {
namespace {

namespace fs = std::filesystem;
using testing::message_of;
using testing::TempDir;

TEST(Npy, HeaderSaysTypeOrderAndShapeAndFillsALine) {
  const std::string header = npy_header(2, 151936);
  EXPECT_EQ(header.size() % 64, 0u);
  // What numpy 2 writes for np.save of a float32 array of that shape.
  EXPECT_EQ(header, std::string("\x93NUMPY\x01\x00v\x00", 10) +
                        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 151936), }" +
                        std::string(53, ' ') + "\n");
}

TEST(Npy, PutsTheRowsBehindTheHeader) {
  const TempDir dir;
  const fs::path path = dir / "x.npy";
  NpyWriter file(path, 2, 3);
  file.append(std::vector<float>{1, 2, 3});
  EXPECT_FALSE(fs::exists(path));
  file.append(std::vector<float>{4, 5, 6});
  EXPECT_EQ(file.close(), 128u + 24u);
  const std::string text = read_text(path);
  ASSERT_EQ(text.size(), 152u);
  float last = 0;
  std::memcpy(&last, text.data() + 148, 4);
  EXPECT_EQ(last, 6.0f);
}

TEST(Npy, LeavesNothingWithoutClose) {
  const TempDir dir;
  { NpyWriter file(dir / "x.npy", 2, 3); }
  EXPECT_TRUE(fs::is_empty(dir.path()));
}

TEST(Npy, NamesTheFileThatCannotBeWritten) {
  const TempDir dir;
  EXPECT_EQ(message_of([&] { NpyWriter(dir.path(), 1, 1); }),
            "io: " + dir.path().string() + ": is a folder; allowed: a file to write");
  EXPECT_EQ(message_of([&] { NpyWriter(dir / "none/x.npy", 1, 1); }),
            "not-found: " + (dir / "none").string() +
                ": is not a folder, so 'x.npy' cannot be made in it");
}

}  // namespace
}  // namespace anemone::cli
