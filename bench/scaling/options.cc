#include "bench/scaling/options.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "absl/strings/numbers.h"

namespace ringway::bench {
namespace {

// Constants were chosen on days of even seeds.
constexpr std::uint64_t kJudged[] = {1, 3, 5};
constexpr std::uint64_t kTuned = 2;

DaysSpec Made(bool spikes, std::uint64_t seed) {
  return {.name = spikes ? "spikes" : "smooth", .spikes = spikes, .seed = seed};
}

std::vector<DaysSpec> MadeDays(bool quick, bool tune) {
  if (tune) return {Made(true, kTuned)};
  if (quick) {
    DaysSpec spec = Made(true, 1);
    spec.regions = 4;
    return {spec};
  }
  std::vector<DaysSpec> all;
  for (const std::uint64_t seed : kJudged) {
    for (const bool spikes : {false, true}) all.push_back(Made(spikes, seed));
  }
  return all;
}

class Reader {
 public:
  Reader(int argc, char** argv) : words_(argv + 1, argv + argc) {}

  std::optional<ScalingOptions> Read() {
    while (at_ < words_.size()) {
      if (!ReadOne(words_[at_++])) return std::nullopt;
    }
    if (kind_.empty() != !seed_ || (!recorded_.file.empty() && (seed_ || quick_))) return std::nullopt;
    if (!recorded_.file.empty()) {
      for (const std::uint64_t seed : kJudged) AddRecorded(seed);
      if (options_.tune) options_.recorded.clear(), AddRecorded(kTuned);
    } else if (seed_) {
      options_.made = {Made(kind_ == "spikes", *seed_)};
    } else {
      options_.made = MadeDays(quick_, options_.tune);
    }
    return options_;
  }

 private:
  bool ReadOne(std::string_view option) {
    if (option == "--quick") return quick_ = true;
    if (option == "--brief") return options_.brief = true;
    if (option == "--tune") return options_.tune = true;
    if (at_ == words_.size()) return false;
    const std::string value = words_[at_++];
    if (option == "--only") return kind_ = value, value == "smooth" || value == "spikes";
    if (option == "--seed") return absl::SimpleAtoi(value, &seed_.emplace());
    if (option == "--recorded") return recorded_.file = value, true;
    if (option == "--time") return recorded_.time_column = value, true;
    if (option == "--service") return recorded_.service_column = value, true;
    if (option == "--sites") return absl::SimpleAtoi(value, &recorded_.sites) && recorded_.sites > 0;
    return false;
  }
  void AddRecorded(std::uint64_t seed) {
    options_.recorded.push_back(recorded_);
    options_.recorded.back().seed = seed;
  }

  const std::vector<std::string> words_;
  std::size_t at_ = 0;
  ScalingOptions options_;
  bool quick_ = false;
  std::string kind_;
  std::optional<std::uint64_t> seed_;
  RecordedSpec recorded_;
};

}  // namespace

std::optional<ScalingOptions> ReadScalingOptions(int argc, char** argv) {
  auto options = Reader(argc, argv).Read();
  if (!options) {
    std::fputs(
        "usage: bench_scaling [--quick] [--brief] [--tune]\n"
        "       bench_scaling --only smooth|spikes --seed N\n"
        "       bench_scaling --recorded FILE [--time COLUMN] [--service COLUMN] [--sites N] [--tune]\n",
        stderr);
  }
  return options;
}

}  // namespace ringway::bench
