// What each kind of switch costs a model here, measured: from asking to where the first step could run.
//
// Kinds: a model from its checkpoint, from its packed weights on disk, and from among those that are resident
// (model_store.h); a LoRA on and off; another size of picture. No step is taken: what is measured is reading,
// packing, freezing and binding, what a request waits for. Files are read once before, so that they are in
// the page cache: times are of host memory and not of the disk. `first` is the first of its kind, `again` the
// fastest of those after it, when what the first made is still there. Seconds of the processors, all threads
// together, are those that a busy machine takes none away of. Memory: two models at once.
#ifndef RINGWAY_ENGINE_SWITCH_COSTS_H_
#define RINGWAY_ENGINE_SWITCH_COSTS_H_

#include <string>
#include <vector>

#include "engine/model_store.h"

namespace ringway::engine {

struct SwitchWishes {
  StoredModel model;
  StoredModel other;          // to switch to and fro with; an empty path: the model itself, once more
  std::string adapter;        // a LoRA file; empty: is not measured
  std::string packed;         // directory for packed weights; empty: is not measured
  int width = 0, height = 0;  // 0: the model's own size
  int rounds = 3;             // after the first of a kind
  EngineOptions options;
};

struct SwitchTime {
  double seconds = 0, processor_s = 0;
};
struct SwitchCost {
  std::string from, to;  // for people
  SwitchTime first = {}, again = {};
};

// InvalidArgument or NotFound as the engine has them.
absl::StatusOr<std::vector<SwitchCost>> MeasureSwitches(const SwitchWishes& wishes);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_SWITCH_COSTS_H_
