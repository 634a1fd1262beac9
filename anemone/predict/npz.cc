#include "anemone/predict/npz.h"

#include <unistd.h>
#include <zip.h>

#include <fstream>

#include "anemone/base/error.h"
#include "anemone/base/files.h"

namespace anemone::predict {
namespace {
namespace fs = std::filesystem;

// More than this in one array is no input of any model; a small archive may claim it.
constexpr std::uint64_t kMaxArrayBytes = std::uint64_t{1} << 34;

// Of a pipe, which is held in memory.
constexpr std::uint64_t kMaxPipedBytes = std::uint64_t{1} << 30;

struct DiscardZip {
  void operator()(zip_t* zip) const { zip_discard(zip); }
};
using Zip = std::unique_ptr<zip_t, DiscardZip>;

struct CloseFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

std::string words(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

// An archive is read from its end, which a pipe does not have until all of it is here.
zip_t* open_piped(const fs::path& path, std::string& bytes, int& code) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(1 << 16);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0) {
    bytes.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (bytes.size() > kMaxPipedBytes) {
      throw Error(Code::kLimit, path.string() + ": more than " + std::to_string(kMaxPipedBytes) +
                                    " bytes; allowed from what is no file");
    }
  }
  code = ZIP_ER_NOZIP;
  if (bytes.empty()) return nullptr;  // which libzip takes for an archive of nothing
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  zip_t* zip = source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error);
  if (zip == nullptr) {
    code = zip_error_code_zip(&error);
    if (source != nullptr) zip_source_free(source);
  }
  zip_error_fini(&error);
  return zip;
}

}  // namespace

Arrays load_npz(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    throw Error(Code::kNotFound, path.string() + ": there is no such file");
  }
  int code = 0;
  std::string piped;  // as long as the archive is open
  const Zip zip(fs::is_regular_file(path, ignored) ? zip_open(path.c_str(), ZIP_RDONLY, &code)
                                                   : open_piped(path, piped, code));
  if (zip == nullptr) {
    throw Error(code == ZIP_ER_OPEN || code == ZIP_ER_READ ? Code::kIo : Code::kBadInput,
                path.string() + ": is no .npz file: " + words(code));
  }
  Arrays arrays;
  const zip_int64_t entries = zip_get_num_entries(zip.get(), 0);
  for (zip_int64_t i = 0; i < entries; ++i) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    if (zip_stat_index(zip.get(), static_cast<zip_uint64_t>(i), 0, &stat) != 0 ||
        (stat.valid & ZIP_STAT_NAME) == 0 || (stat.valid & ZIP_STAT_SIZE) == 0) {
      throw Error(Code::kBadInput, path.string() + ": member " + std::to_string(i) + " is damaged");
    }
    std::string member = stat.name;
    const std::string what = path.string() + ": '" + member + "'";
    if (!member.ends_with(".npy")) {
      throw Error(Code::kBadInput, what + " is no array (.npy)");
    }
    member.resize(member.size() - 4);
    if (stat.size > kMaxArrayBytes) {
      throw Error(Code::kLimit, what + " takes " + std::to_string(stat.size) +
                                    " bytes; allowed: " + std::to_string(kMaxArrayBytes));
    }
    const std::unique_ptr<zip_file_t, CloseFile> file(
        zip_fopen_index(zip.get(), static_cast<zip_uint64_t>(i), 0));
    // Grown as bytes arrive: the size is only what the archive claims.
    std::vector<std::byte> bytes;
    constexpr std::size_t kStep = 1 << 24;
    while (file != nullptr && bytes.size() < stat.size) {
      const std::size_t before = bytes.size();
      bytes.resize(std::min<std::size_t>(before + kStep, stat.size));
      const zip_int64_t got = zip_fread(file.get(), bytes.data() + before, bytes.size() - before);
      bytes.resize(before + static_cast<std::size_t>(std::max<zip_int64_t>(got, 0)));
      if (got <= 0) break;
    }
    char beyond = 0;
    if (file == nullptr || bytes.size() != stat.size || zip_fread(file.get(), &beyond, 1) != 0) {
      const char* why = file == nullptr ? zip_strerror(zip.get()) : zip_file_strerror(file.get());
      throw Error(Code::kBadInput, what + " cannot be unpacked: " + why);
    }
    if (!arrays.emplace(member, parse_npy(bytes, what)).second) {
      throw Error(Code::kBadInput, what + " stands twice");
    }
  }
  return arrays;
}

void require_writable(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    throw Error(Code::kIo, path.string() + ": is a folder; allowed: a file to write");
  }
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(parent, ignored)) {
    throw Error(Code::kNotFound, parent.string() + ": is not a folder, so '" +
                                     path.filename().string() + "' cannot be made in it");
  }
}

void save_npz(const fs::path& path, const Arrays& arrays) {
  require_writable(path);
  std::error_code ignored;
  const fs::path partial = path.string() + ".partial-" + std::to_string(::getpid());
  const auto fail = [&](const std::string& why) {
    fs::remove(partial, ignored);
    throw Error(Code::kIo, path.string() + ": cannot be written: " + why);
  };
  int code = 0;
  Zip zip(zip_open(partial.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (zip == nullptr) fail(words(code));
  std::vector<std::string> contents;  // until the archive is closed
  contents.reserve(arrays.size());
  for (const auto& [name, tensor] : arrays) {
    const std::string& bytes = contents.emplace_back(npy_bytes(tensor));
    zip_source_t* source = zip_source_buffer(zip.get(), bytes.data(), bytes.size(), 0);
    const std::string member = name + ".npy";
    const zip_int64_t at =
        source == nullptr ? -1 : zip_file_add(zip.get(), member.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (at < 0) {
      if (source != nullptr) zip_source_free(source);
      fail(zip_strerror(zip.get()));
    }
    const auto index = static_cast<zip_uint64_t>(at);
    // Stored, with ZIP's first date, so that equal arrays make equal files.
    zip_set_file_compression(zip.get(), index, ZIP_CM_STORE, 0);
    zip_file_set_dostime(zip.get(), index, 0, (1 << 5) | 1, 0);
  }
  if (arrays.empty()) {
    // libzip writes no empty archive; this is one. Source: PKWARE APPNOTE.TXT 4.3.16.
    std::string end("PK\x05\x06", 4);
    end.resize(22, '\0');
    zip.reset();
    write_file(partial, std::string_view(end));
  } else if (zip_close(zip.get()) == 0) {
    (void)zip.release();
  } else {
    fail(zip_strerror(zip.get()));
  }
  std::error_code failed;
  fs::rename(partial, path, failed);
  if (failed) fail(failed.message());
}

}  // namespace anemone::predict
