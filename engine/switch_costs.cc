#include "engine/switch_costs.h"

#include <algorithm>
#include <ctime>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ringway::engine {
namespace {

constexpr char kModel[] = "model", kOther[] = "other";

double Seconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// One kind: `work` is run once and then `rounds` times; `back` undoes it and is not timed.
class Switches {
 public:
  explicit Switches(int rounds) : rounds_(rounds) {}

  template <typename Work, typename Back>
  void Measure(const std::string& from, const std::string& to, Work work, Back back) {
    SwitchCost cost{from, to};
    for (int round = 0; round <= rounds_ && status_.ok(); ++round) {
      if (round > 0) status_ = back();
      if (!status_.ok()) return;
      const double begin = Seconds(CLOCK_MONOTONIC), worked = Seconds(CLOCK_PROCESS_CPUTIME_ID);
      status_ = work();
      const SwitchTime time{Seconds(CLOCK_MONOTONIC) - begin, Seconds(CLOCK_PROCESS_CPUTIME_ID) - worked};
      if (round == 0) cost.first = time;
      if (round <= 1) cost.again = time;
      cost.again.seconds = std::min(cost.again.seconds, time.seconds);
      cost.again.processor_s = std::min(cost.again.processor_s, time.processor_s);
    }
    if (status_.ok()) costs_.push_back(std::move(cost));
  }
  absl::StatusOr<std::vector<SwitchCost>> Finish() {
    if (!status_.ok()) return status_;
    return std::move(costs_);
  }

 private:
  const int rounds_;
  absl::Status status_;
  std::vector<SwitchCost> costs_;
};

// A store of the model and the other one, of which nothing is open yet.
class Store {
 public:
  explicit Store(const SwitchWishes& wishes, const std::string& packed = "") : wishes_(wishes) {
    options_ = wishes.options;
    options_.packed_weights = packed;
  }
  absl::Status Reset() {
    store_.reset();  // what is written to the disk has been written
    const StoredModel& other = wishes_.other.path.empty() ? wishes_.model : wishes_.other;
    auto made = ModelStore::Make({{kModel, wishes_.model}, {kOther, other}}, 0, options_);
    if (!made.ok()) return made.status();
    store_ = *std::move(made);
    return absl::OkStatus();
  }
  absl::Status Ready(const char* name, const PictureRequest& request) {
    const auto engine = store_->Get(name);
    return engine.ok() ? (*engine)->Prepare(request) : engine.status();
  }

 private:
  const SwitchWishes& wishes_;
  EngineOptions options_;
  std::unique_ptr<ModelStore> store_;
};

PictureRequest RequestOf(const SwitchWishes& wishes) {
  PictureRequest request;
  request.width = wishes.width;
  request.height = wishes.height;
  return request;
}

}  // namespace

absl::StatusOr<std::vector<SwitchCost>> MeasureSwitches(const SwitchWishes& wishes) {
  Switches switches(wishes.rounds);
  const PictureRequest request = RequestOf(wishes);
  Store store(wishes);
  if (absl::Status made = store.Reset(); !made.ok()) return made;
  if (absl::Status read = store.Ready(kModel, request); !read.ok()) return read;  // its files, once
  if (absl::Status made = store.Reset(); !made.ok()) return made;
  const auto ready = [&](const char* name, const PictureRequest& wanted) {
    return [&store, name, wanted] { return store.Ready(name, wanted); };
  };
  switches.Measure("checkpoint in host memory", "resident", ready(kModel, request),
                   [&] { return store.Reset(); });
  if (!wishes.packed.empty()) {
    Store packed(wishes, wishes.packed);
    absl::Status written = packed.Reset();
    if (written.ok()) written = packed.Ready(kModel, request);
    if (written.ok()) written = packed.Reset();
    if (!written.ok()) return written;
    switches.Measure(
        "packed file in host memory", "resident", [&] { return packed.Ready(kModel, request); },
        [&] { return packed.Reset(); });
  }
  if (absl::Status other = store.Ready(kOther, request); !other.ok()) return other;
  switches.Measure("another model, resident", "resident", ready(kModel, request), ready(kOther, request));
  if (!wishes.adapter.empty()) {
    PictureRequest adapted = request;
    adapted.adapters = {{wishes.adapter}};
    switches.Measure("no LoRA", "LoRA", ready(kModel, adapted), ready(kModel, request));
    switches.Measure("LoRA", "no LoRA", ready(kModel, request), ready(kModel, adapted));
  }
  PictureRequest wide = request;
  constexpr int kWide = 384, kLow = 256;  // a size that no model is trained on
  wide.width = kWide, wide.height = kLow;
  switches.Measure("one size", absl::StrCat("another, ", kWide, " x ", kLow), ready(kModel, wide),
                   ready(kModel, request));
  return switches.Finish();
}

}  // namespace ringway::engine
