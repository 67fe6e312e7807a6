// A checkpoint of bf16 on disk with the names and shapes that a network asks for, and random numbers.
#ifndef RINGWAY_BENCH_ENGINE_RANDOM_FILE_H_
#define RINGWAY_BENCH_ENGINE_RANDOM_FILE_H_

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "bench/engine/random_weights.h"

namespace ringway::bench {

inline constexpr std::int64_t kRowsAtOnce = 64;

// Remembers what a network asks for.
class AskedWeights : public RandomWeights {
 public:
  absl::Status Expect(std::string_view name, const std::vector<std::int64_t>& dims) override {
    asked_[std::string(name)] = dims;
    return absl::OkStatus();
  }
  const std::map<std::string, std::vector<std::int64_t>>& asked() const { return asked_; }

 private:
  std::map<std::string, std::vector<std::int64_t>> asked_;
};

struct Stored {
  std::int64_t rows = 1, row = 1;
  std::int64_t elements() const { return rows * row; }
};
inline Stored StoredAs(const std::vector<std::int64_t>& dims) {
  Stored stored;
  for (std::size_t i = 0; i < dims.size(); ++i) (i == 0 ? stored.rows : stored.row) *= dims[i];
  return stored;
}

// A checkpoint of bf16 on disk, written row by row, removed at the end.
class RandomFile {
 public:
  explicit RandomFile(const AskedWeights& weights)
      : path_(std::filesystem::temp_directory_path() /
              absl::StrFormat("ringway-opening-%d.safetensors", static_cast<int>(getpid()))) {
    std::string header = "{";
    std::int64_t end = 0;
    for (const auto& [name, dims] : weights.asked()) {
      std::string shape;
      for (const std::int64_t d : dims) shape += (shape.empty() ? "" : ",") + std::to_string(d);
      const std::int64_t bytes = 2 * StoredAs(dims).elements();
      header += absl::StrFormat(R"(%s"%s":{"dtype":"BF16","shape":[%s],"data_offsets":[%d,%d]})",
                                end > 0 ? "," : "", name, shape, end, end + bytes);
      end += bytes;
    }
    header += "}";
    std::ofstream file(path_, std::ios::binary);
    const std::uint64_t size = header.size();
    file.write(reinterpret_cast<const char*>(&size), sizeof(size));
    file << header;
    for (const auto& [name, dims] : weights.asked()) Write(weights, name, StoredAs(dims), file);
    RINGWAY_CHECK(file.good());
  }
  ~RandomFile() {
    std::error_code error;
    std::filesystem::remove(path_, error);
  }
  RandomFile(const RandomFile&) = delete;
  RandomFile& operator=(const RandomFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  static void Write(const AskedWeights& weights, const std::string& name, const Stored& stored,
                    std::ofstream& file) {
    std::vector<float> values;
    std::vector<engine::BFloat16> narrow;
    for (std::int64_t first = 0; first < stored.rows; first += kRowsAtOnce) {
      values.resize(static_cast<std::size_t>(std::min(kRowsAtOnce, stored.rows - first) * stored.row));
      RINGWAY_CHECK(weights.ReadRows(name, first, stored.row, values).ok());
      narrow.resize(values.size());
      std::transform(values.begin(), values.end(), narrow.begin(), engine::ToBFloat16);
      file.write(reinterpret_cast<const char*>(narrow.data()),
                 static_cast<std::streamsize>(narrow.size() * sizeof(narrow[0])));
    }
  }
  std::filesystem::path path_;
};

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_ENGINE_RANDOM_FILE_H_
