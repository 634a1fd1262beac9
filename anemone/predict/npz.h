#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "anemone/tensor/tensor.h"

// NumPy's files. Source: NumPy Enhancement Proposal 1 and numpy/lib/format.py (npy), numpy.savez
// (npz: a ZIP archive of members NAME.npy).
namespace anemone::predict {

using Arrays = std::map<std::string, Tensor, std::less<>>;

// The bytes of a .npy file: bool, fp16, fp32, fp64, whole-byte integers, text. Types that NumPy
// lacks are widened first (4-bit integers to 8 bits, bf16 to fp32).
std::string npy_bytes(const Tensor& tensor);
// The other way round, for numbers. Fortran order and big-endian numbers are turned; everything
// else (objects, complex numbers, records, text) is refused. Throws Error(kBadInput) that starts
// with `what`.
Tensor parse_npy(std::span<const std::byte> bytes, std::string_view what);

// All arrays of a .npz file (or of what comes down a pipe, up to 1 GB) by name. Throws Error naming
// file, array, found and allowed.
Arrays load_npz(const std::filesystem::path& path);
// Throws Error if no file of that name can be made: to be asked before long work.
void require_writable(const std::filesystem::path& path);
// Writes a .npz file, uncompressed, the same bytes for the same arrays. Nothing is left on failure.
void save_npz(const std::filesystem::path& path, const Arrays& arrays);

}  // namespace anemone::predict
