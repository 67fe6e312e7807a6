#include "sim/step_times.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <variant>

#include "sim/kernel/event_queue.h"

namespace ringway::sim {
namespace {

constexpr std::uint8_t kBegins = 0;
constexpr std::uint8_t kEnds = 1;

struct Instance {
  std::size_t step = 0;
  std::int64_t begun_ns = 0;
  std::int64_t ends_ns = kNeverNs;
  std::size_t begin_order = 0, end_order = 0;  // among all moments that are over
  bool over = false;
};

bool NothingStays(const Fault& fault) {
  return std::holds_alternative<BreakStreams>(fault) || std::holds_alternative<FailJobs>(fault);
}

// Plays the script as sim/faults.cc does, so that moments of one instant come in the same order.
class Script {
 public:
  explicit Script(const Scenario& scenario) : scenario_(scenario), open_(scenario.steps.size()) {
    for (std::size_t i = 0; i < scenario.steps.size(); ++i) Push(Ns(scenario.steps[i].at_s), kBegins, i);
  }

  void PlayTo(std::int64_t at_ns) {
    while (!queue_.empty() && queue_.NextTime() < at_ns) {
      const SimEvent event = queue_.Pop();
      if (event.kind() == kBegins) {
        Begin(event);
      } else {
        End(event);
      }
    }
  }

  std::vector<StepMoment> ToCome() {
    std::vector<StepMoment> moments;
    while (!queue_.empty()) {
      const SimEvent event = queue_.Pop();
      const bool begins = event.kind() == kBegins;
      moments.push_back({event.at_ns, event.subject, begins, begins ? event.at_ns : Closed(event).begun_ns});
    }
    return moments;
  }

  std::vector<Instance>& instances() { return instances_; }

 private:
  static std::int64_t Ns(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }
  void Push(std::int64_t at_ns, std::uint8_t kind, std::size_t step) {
    queue_.Push(at_ns, kind, static_cast<std::uint32_t>(step));
  }

  void Begin(const SimEvent& event) {
    const ScenarioStep& step = scenario_.steps[event.subject];
    Instance instance{.step = event.subject, .begun_ns = event.at_ns, .begin_order = order_++};
    if (std::isfinite(step.lasts_s)) {
      instance.ends_ns = event.at_ns + Ns(step.lasts_s);
      Push(instance.ends_ns, kEnds, event.subject);
      open_[event.subject].push_back(instances_.size());
    }
    instances_.push_back(instance);
    if (step.every_s > 0) Push(event.at_ns + Ns(step.every_s), kBegins, event.subject);
  }

  void End(const SimEvent& event) {
    Instance& instance = Closed(event);
    instance.over = true;
    instance.end_order = order_++;
  }

  // Repetitions of a step last equally long, so they end in the order of their begins.
  Instance& Closed(const SimEvent& event) {
    std::deque<std::size_t>& open = open_[event.subject];
    Instance& instance = instances_[open.front()];
    open.pop_front();
    return instance;
  }

  const Scenario& scenario_;
  EventQueue queue_;
  std::vector<Instance> instances_;
  std::vector<std::deque<std::size_t>> open_;  // by step
  std::size_t order_ = 0;
};

struct Ordered {
  std::size_t order;
  StepMoment moment;
};

}  // namespace

StepsAt StepsAround(const Scenario& scenario, std::int64_t at_ns) {
  Script script(scenario);
  script.PlayTo(at_ns);
  std::int64_t oldest_ns = kNeverNs;  // begin of what is in force
  for (const Instance& instance : script.instances()) {
    if (!instance.over && !NothingStays(scenario.steps[instance.step].fault)) {
      oldest_ns = std::min(oldest_ns, instance.begun_ns);
    }
  }
  std::vector<Ordered> kept;
  std::vector<bool> seen(scenario.steps.size(), false);  // a repetition that is over hides those before it
  for (std::size_t i = script.instances().size(); i-- > 0;) {
    const Instance& instance = script.instances()[i];
    if (NothingStays(scenario.steps[instance.step].fault)) continue;
    if (instance.over && (seen[instance.step] || instance.ends_ns <= oldest_ns)) continue;
    kept.push_back(
        {instance.begin_order, {instance.begun_ns, instance.step, /*begins=*/true, instance.begun_ns}});
    if (!instance.over) continue;
    seen[instance.step] = true;
    kept.push_back(
        {instance.end_order, {instance.ends_ns, instance.step, /*begins=*/false, instance.begun_ns}});
  }
  std::sort(kept.begin(), kept.end(), [](const Ordered& a, const Ordered& b) { return a.order < b.order; });
  StepsAt steps;
  for (const Ordered& one : kept) steps.replay.push_back(one.moment);
  steps.to_come = script.ToCome();
  return steps;
}

}  // namespace ringway::sim
