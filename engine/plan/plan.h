// A frozen network: every operation has its kernel, every value its place, and running it allocates nothing.
//
// Freeze optimises the graph, prepares a kernel for each node, plans the memory by liveness (inputs and
// outputs live through the whole plan, reshapes and slices are other views of the same bytes) and binds the
// kernels to their addresses. A plan owns steps and an arena, no weights: it is bound to a WeightSet, which
// packs what is not packed yet, and can be bound to another of the same structure later; both are a matter of
// pointers. Bind takes all weights or none: where one is missing, the plan stays with those that it had. A
// plan is written to through Input, run, and read through Output, by one thread at a time; several plans are
// independent, also of one set. The report says what freezing did, for `ringway engine inspect` and the
// benchmarks.
#ifndef RINGWAY_ENGINE_PLAN_PLAN_H_
#define RINGWAY_ENGINE_PLAN_PLAN_H_

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/graph/canonical.h"
#include "engine/passes/passes.h"
#include "engine/plan/backend.h"
#include "engine/plan/weight_set.h"
#include "engine/tensor/arena.h"

namespace ringway::engine {

struct PlanReport {
  std::size_t steps = 0;
  std::size_t arena_bytes = 0;
  std::size_t liveness_bound_bytes = 0;
  double flops = 0;  // of one run
};

// What makes two plans interchangeable but for their weights.
Hash128 PlanKey(const CanonicalForm& graph, const PassOptions& options, const Backend& backend);

class Plan {
 public:
  // `backend` must outlive the plan. Without a set, the graph may name no weights.
  static absl::StatusOr<std::unique_ptr<Plan>> Freeze(const Graph& graph, const PassOptions& options,
                                                      const Backend& backend,
                                                      std::shared_ptr<WeightSet> weights = nullptr);
  // With a set of its own, read from `weights` before this returns.
  static absl::StatusOr<std::unique_ptr<Plan>> Freeze(const Graph& graph, const PassOptions& options,
                                                      const Backend& backend, const WeightSource& weights);

  // What a plan of the graph would take beside its weights; reads none of them.
  static absl::StatusOr<std::size_t> ArenaBytes(const Graph& graph, const PassOptions& options,
                                                const Backend& backend);

  // Other weights for the same structure. `names` fills the slots of the graph's canonical form.
  absl::Status Bind(std::shared_ptr<WeightSet> weights, std::span<const std::string> names);

  // The weights that it is bound to, by slot.
  std::span<const std::string> names() const { return names_; }

  // The elements of an input or output by its name; empty when there is none of that name and type.
  std::span<float> Input(std::string_view name);
  std::span<std::int32_t> IntegerInput(std::string_view name);
  std::span<const float> Output(std::string_view name) const;
  const Shape& OutputShape(std::string_view name) const;

  void Run();
  // Runs each step `rounds` times and returns the best seconds of each: where the time goes.
  struct StepTime {
    std::string_view op;
    std::string label;
    double seconds = 0;
    double flops = 0;
  };
  std::vector<StepTime> Profile(int rounds);

  const PlanReport& report() const { return report_; }
  const Hash128& key() const { return key_; }

 private:
  // In the arena, or in the set: then Bind says where.
  struct Place {
    std::byte* bytes = nullptr;
    int weight = -1;
  };
  struct Step {
    std::unique_ptr<Kernel> kernel;
    std::string_view op;
    std::string label;
    double flops = 0;
    std::vector<Place> inputs = {};
    std::byte* output = nullptr;
    std::byte* workspace = nullptr;
  };
  struct Port {
    Shape shape;
    DType dtype = DType::kF32;
    Place place;
  };
  friend class PlanFreezer;
  explicit Plan(const Backend& backend) : backend_(backend) {}
  template <typename T, typename Ports>
  std::span<T> ElementsOf(const Ports& ports, std::string_view name) const;
  std::byte* AddressOf(const Place& place) const;

  const Backend& backend_;
  std::unique_ptr<Arena> arena_;
  std::vector<DerivedWeight> weights_;
  std::vector<std::string> names_;  // by slot
  std::shared_ptr<WeightSet> set_;
  std::vector<const std::byte*> addresses_;  // of weights_, in the set
  std::vector<Step> steps_;
  std::map<std::string, Port, std::less<>> inputs_;
  std::map<std::string, Port, std::less<>> outputs_;
  PlanReport report_;
  Hash128 key_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PLAN_PLAN_H_
