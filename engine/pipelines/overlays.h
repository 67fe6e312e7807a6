// Adapters that requests name, and the overlays that they make of a model's weights.
//
// An adapter's file is read when it is named for the first time, or has changed since; an overlay, which is
// the packed weights of one part that some adapters at some strengths touch, is made when a plan is bound to
// it. Both are kept for the next request, together at most `bytes_max`; what was asked for the longest ago
// goes first, but a plan keeps what it is bound to. The model's own packed weights are part of none of it, so
// a request without adapters, and one beside it, see them as they were. One thread at a time.
#ifndef RINGWAY_ENGINE_PIPELINES_OVERLAYS_H_
#define RINGWAY_ENGINE_PIPELINES_OVERLAYS_H_

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "engine/adapters/adapted_weights.h"
#include "engine/picture_engine.h"
#include "engine/plan/weight_set.h"

namespace ringway::engine {

struct ComponentWeights {
  std::shared_ptr<StoredWeights> source;
  std::shared_ptr<WeightSet> set;
};

// Adapters that are open, with what tells this choice from others; none: the model itself.
struct AdapterChoices {
  std::string key;
  std::vector<ChosenAdapter> adapters;
};

class Overlays {
 public:
  static constexpr std::size_t kAdaptersMax = 16;  // of one request

  explicit Overlays(std::size_t bytes_max = std::size_t{2} << 30) : bytes_max_(bytes_max) {}

  // Opens all of them, or none: the first mistake is the answer.
  absl::StatusOr<AdapterChoices> Choose(const std::vector<AdapterFile>& files,
                                        const std::vector<AdaptedPart>& parts);
  // The part's own set where the adapters leave it alone.
  absl::StatusOr<std::shared_ptr<WeightSet>> SetOf(const std::string& part, const ComponentWeights& weights,
                                                   const AdapterChoices& choices);
  std::size_t bytes() const;

 private:
  struct OpenAdapter {
    std::string key;  // path and identity
    std::shared_ptr<const Adapter> adapter;
  };
  struct Overlay {
    std::string key;  // part, its set, and choices
    std::shared_ptr<WeightSet> set;
  };
  absl::StatusOr<OpenAdapter> Find(const AdapterFile& file, const std::vector<AdaptedPart>& parts);
  void MakeRoom();

  std::size_t bytes_max_;
  std::list<OpenAdapter> adapters_;  // the longest unused first, as are the overlays
  std::list<Overlay> overlays_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_OVERLAYS_H_
