// The same weights and inputs as tests/engine/reference/hash_weights.py makes: a hash of name and element
// number.
//
// A HashWeights hands out any tensor that is asked for and remembers names and shapes, so that a test can
// compare them with the reference's own list (by its hash, ListHash) and can write them into a checkpoint of
// the same names. Scales are those of the Python side: sqrt(3 / fan in) for matrices, around 1 for norms,
// small for biases.
#ifndef RINGWAY_TESTS_ENGINE_HASH_WEIGHTS_H_
#define RINGWAY_TESTS_ENGINE_HASH_WEIGHTS_H_

#include <cmath>
#include <map>

#include "engine/networks/weight_source.h"

namespace ringway::engine {

inline std::uint64_t Fnv1a(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return value;
}

// Element `index` of the tensor `name`, uniform in [-1, 1).
inline float HashedUniform(std::uint64_t name_hash, std::uint64_t index) {
  std::uint64_t x = name_hash + (index + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  x ^= x >> 31;
  return static_cast<float>(x >> 40) * 0x1.0p-23f - 1.0f;
}

inline void FillHashed(std::string_view name, std::span<float> values, float scale = 1.0f) {
  const std::uint64_t hash = Fnv1a(name);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = HashedUniform(hash, i) * scale;
}

class HashWeights : public WeightSource {
 public:
  absl::Status Expect(std::string_view name, const std::vector<std::int64_t>& dims) override {
    names_[std::string(name)] = dims;
    return absl::OkStatus();
  }
  absl::Status ReadRows(std::string_view name, std::int64_t first, std::int64_t row_elements,
                        std::span<float> out) const override {
    const std::size_t rank = names_.find(name)->second.size();
    const bool norm = rank < 2 && name.ends_with("weight");
    float scale = norm || !name.ends_with("mix_factor") ? 0.1f : 1.0f;
    if (rank >= 2) scale = std::sqrt(3.0f / static_cast<float>(row_elements));
    const std::uint64_t hash = Fnv1a(seed_ + std::string(name)),
                        begin = static_cast<std::uint64_t>(first * row_elements);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = HashedUniform(hash, begin + i) * scale;
      if (norm) out[i] += 1.0f;
    }
    return absl::OkStatus();
  }
  // The whole tensor.
  absl::StatusOr<std::vector<float>> Take(std::string_view name, const std::vector<std::int64_t>& dims) {
    if (absl::Status status = Expect(name, dims); !status.ok()) return status;
    std::int64_t row = 1;
    for (std::size_t i = 1; i < dims.size(); ++i) row *= dims[i];
    std::vector<float> values(static_cast<std::size_t>(dims.empty() ? 1 : dims[0] * row));
    if (absl::Status status = ReadRows(name, 0, row, values); !status.ok()) return status;
    return values;
  }
  bool Has(std::string_view) const override { return true; }
  // Other numbers under the same names.
  void Seed(const std::string& seed) { seed_ = seed; }

  const std::map<std::string, std::vector<std::int64_t>, std::less<>>& names() const { return names_; }
  // Of the sorted lines "name dim dim ...".
  std::uint64_t ListHash() const {
    std::vector<std::string> lines;
    for (const auto& [name, dims] : names_) {
      lines.push_back(name);
      for (const std::int64_t d : dims) lines.back() += " " + std::to_string(d);
    }
    std::sort(lines.begin(), lines.end());
    std::string all;
    for (const std::string& line : lines) all += (all.empty() ? "" : "\n") + line;
    return Fnv1a(all);
  }

 private:
  std::map<std::string, std::vector<std::int64_t>, std::less<>> names_;
  std::string seed_;
};

// A part of another source: its names stand behind a prefix.
class PrefixedWeights : public WeightSource {
 public:
  PrefixedWeights(WeightSource& all, std::string prefix) : all_(all), prefix_(std::move(prefix)) {}
  bool Has(std::string_view name) const override { return all_.Has(Whole(name)); }
  absl::Status Expect(std::string_view name, const std::vector<std::int64_t>& dims) override {
    return all_.Expect(Whole(name), dims);
  }
  absl::Status ReadRows(std::string_view name, std::int64_t first, std::int64_t row_elements,
                        std::span<float> out) const override {
    return all_.ReadRows(Whole(name), first, row_elements, out);
  }

 private:
  std::string Whole(std::string_view name) const { return prefix_ + std::string(name); }
  WeightSource& all_;
  const std::string prefix_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_HASH_WEIGHTS_H_
