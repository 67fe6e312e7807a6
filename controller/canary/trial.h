// One canary from the file that asks for it to its verdict: measure, choose, compare, decide.
//
//   new file -> measuring: all have the old settings; how much is lost at rest, at which routers jobs enter
//            -> running: the chosen routers have the new ones, the others the old
//            -> passed | reverted | promoted or aborted (an operator)
//
// What passes has been compared for the whole period. Only time counts in which three quarters of the chosen
// routers and three quarters of the others report, and a tier that is planned; and each tier needs kJobsMin
// jobs of both groups. Whoever is not heard of says nothing: then the canary waits, and after kPatience
// periods it reverts for that reason. It never passes by ignorance.
//
// What was reverted stays known by its shape: a restart with the same file goes on with the old settings. A
// file that is loaded on purpose is tried again, from the beginning; so is any other one that comes while a
// canary runs. A file without `canary` is in force at once, as it is.
//
// The caller plans with both settings and sends the tables (trial_plans.h); here is who gets which, for how
// long, and what it is judged by. False reverts: kFalseRevert a canary, under the assumptions of evidence.h.
// Value with a state that survives restarts; pure; O(routers + regions x tiers) a window.
#ifndef RINGWAY_CONTROLLER_CANARY_TRIAL_H_
#define RINGWAY_CONTROLLER_CANARY_TRIAL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "controller/canary/choice.h"
#include "controller/canary/evidence.h"
#include "controller/canary/shape.h"
#include "core/fleet.h"
#include "core/table.h"

namespace ringway::canary {

inline constexpr double kFalseRevert = 1e-4;
inline constexpr double kJobsMin = 100;
inline constexpr double kPatience = 3;

enum class Phase : std::uint8_t { kNone, kMeasuring, kRunning, kPassed, kPromoted, kReverted, kAborted };
std::string_view PhaseName(Phase phase);
std::optional<Phase> ParsePhase(std::string_view name);

struct TrialState {
  Phase phase = Phase::kNone;
  std::string id;
  std::string reason;
  Shape in_force;  // empty: the file asks for no canary
  Shape tried;
  std::vector<std::string> changes;
  CanarySpec spec;
  double elapsed_s = 0;                      // in this phase
  std::set<std::string> entered_at;          // routers at which jobs entered while it measured
  std::vector<std::string> chosen;           // sorted
  std::map<std::string, Evidence> evidence;  // by tier; those that differ
  TableVersion first;  // of the first table that was sent to the chosen routers, in this epoch; 0/0: none yet
  TableVersion table;  // of their last
};

// Who could tell, and who does.
struct Presence {
  int chosen = 0;
  int chosen_heard = 0;
  int rest = 0;
  int rest_heard = 0;
  std::vector<std::string> resting;  // tiers that are not planned
};

struct Verdict {
  Phase phase = Phase::kReverted;
  std::string reason;
};

class Trial {
 public:
  // A file is loaded where `before` was in force. Returns what is in force now.
  std::shared_ptr<const Fleet> Load(std::string id, const Fleet& before, std::shared_ptr<const Fleet> file);
  // The same at the start of a controller, which knows of `before` only what it has kept.
  std::shared_ptr<const Fleet> Start(std::string id, TrialState kept, std::shared_ptr<const Fleet> file);

  bool open() const { return state_.phase == Phase::kMeasuring || state_.phase == Phase::kRunning; }
  bool running() const { return state_.phase == Phase::kRunning; }
  const TrialState& state() const { return state_; }
  // The whole file, as it would be in force; null where nothing is tried.
  const std::shared_ptr<const Fleet>& tried() const { return tried_; }
  bool Chosen(std::string_view router) const;
  // A table with both settings is out. `version`: that of the chosen routers' one.
  void Sent(TableVersion version);
  // From a checkpoint, after Start.
  void RestoreSent(TableVersion first, TableVersion last) {
    state_.first = first;
    state_.table = last;
  }

  // ---- what is heard ----
  void Entered(const std::string& router) {
    if (state_.phase == Phase::kMeasuring) state_.entered_at.insert(router);
  }
  // `table`: that the router had when it reported.
  void Hear(const std::string& router, const std::string& region, const std::string& tier, TableVersion table,
            const JobCount& jobs);

  // ---- what is decided ----
  // True: `routers` is needed at the end of the next window.
  bool WantsRouters() const;
  // Once an epoch, while `open`, after `seconds`. A verdict is for the caller to carry out, and to End.
  std::optional<Verdict> EndWindow(double seconds, double window_s, const Presence& presence,
                                   const std::vector<RouterPlace>& routers);
  void End(const Verdict& verdict);
  // What a verdict waits for, beside time; empty: nothing.
  const std::string& waits_for() const { return waits_for_; }

 private:
  std::shared_ptr<const Fleet> Try(std::string id, std::shared_ptr<const Fleet> held,
                                   std::shared_ptr<const Fleet> file);
  double MeasureFor() const;
  std::string WhatIsMissing(const Presence& presence) const;
  std::optional<Verdict> Judge(double window_s) const;

  TrialState state_;
  std::shared_ptr<const Fleet> tried_;
  std::string waits_for_;
};

// "412 of 2150 jobs that entered at chosen routers were lost, 12.1 expected", for each tier.
std::string Figures(const std::string& tier, const Evidence& evidence);

}  // namespace ringway::canary

#endif  // RINGWAY_CONTROLLER_CANARY_TRIAL_H_
