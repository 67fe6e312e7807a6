// What a canary of a configuration makes the controller do: begin, judge, end; the decisions are in canary/.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/machine.h"

namespace ringway::controller {
namespace {

// Of a window that was late this much counts: what nobody looked at has not been judged.
constexpr double kWindowsMax = 3;
// Report periods without a word after which a router does not count as heard of.
constexpr double kQuietPeriods = 3;
constexpr std::size_t kListedMax = 10;

std::string FirstFew(const std::vector<std::string>& texts, const char* between) {
  const auto end = texts.begin() + static_cast<std::ptrdiff_t>(std::min(texts.size(), kListedMax));
  return absl::StrCat(absl::StrJoin(texts.begin(), end, between),
                      end != texts.end() ? absl::StrCat(" and ", texts.size() - kListedMax, " more") : "");
}

Note TellInfo(std::string text) { return {Note::Level::kInfo, std::move(text)}; }
Note TellWarning(std::string text) { return {Note::Level::kWarning, std::move(text)}; }

}  // namespace

std::string ControllerMachine::NextTrialId() const {
  return absl::StrCat(epoch_, ".", table_ != nullptr ? table_->version.version + 1 : 1);
}

std::shared_ptr<const Fleet> ControllerMachine::TakeFile(const std::shared_ptr<const Fleet>& file,
                                                         Actions& actions) {
  canary::Trial& trial = trial_.trial();
  if (trial.open()) {
    actions.push_back(TellWarning(
        absl::StrCat("canary ", trial.state().id, " is over without a verdict: a file was loaded")));
  }
  trial_.Drop();
  auto in_force = trial.Load(NextTrialId(), *fleet_, file);
  if (!trial.open()) return in_force;
  const std::vector<std::string> others = canary::OtherChanges(*fleet_, *in_force);
  actions.push_back(
      TellWarning(absl::StrCat("canary ", trial.state().id, ": tried on ", 100 * trial.state().spec.share,
                               " % of the routers for ", absl::FormatDuration(trial.state().spec.period),
                               " before all get it: ", FirstFew(trial.state().changes, "; "))));
  if (!others.empty()) {
    actions.push_back(
        TellWarning(absl::StrCat("canary ", trial.state().id,
                                 ": the file also changes what cannot be tried on a part, and that is "
                                 "in force everywhere at once: ",
                                 FirstFew(others, "; "))));
  }
  return in_force;
}

void ControllerMachine::StepTrial(Time now, Actions& actions) {
  canary::Trial& trial = trial_.trial();
  if (!trial.open()) return;
  const bool measured = trial.running();
  const double window_s = ToDoubleSeconds(settings_.epoch_period);
  const double seconds = std::min(ToDoubleSeconds(now - last_epoch_at_), kWindowsMax * window_s);
  const Time heard_since =
      now - std::max(kQuietPeriods * settings_.report_period, 2 * settings_.epoch_period);
  const auto verdict = trial.EndWindow(seconds, window_s, trial_.PresenceIn(view_, heard_since, tiers_),
                                       trial_.Candidates(view_, *fleet_));
  if (!measured && trial.running()) {
    actions.push_back(TellWarning(absl::StrCat(
        "canary ", trial.state().id, ": ", trial.state().chosen.size(), " of ", view_.routers().size(),
        " routers plan by the new settings now: ", FirstFew(trial.state().chosen, ", "))));
    actions.push_back(SaveState{.now = true});
  }
  if (verdict) EndTrial(now, std::string(kByItself), std::string(kCanaryWhy), *verdict, actions);
}

void ControllerMachine::EndTrial(Time now, const std::string& who, const std::string& why,
                                 const canary::Verdict& verdict, Actions& actions) {
  canary::Trial& trial = trial_.trial();
  const bool adopts = verdict.phase == canary::Phase::kPassed || verdict.phase == canary::Phase::kPromoted;
  const std::string phase(canary::PhaseName(verdict.phase));
  const std::string text = absl::StrCat("canary ", trial.state().id, " ", phase, ": ", verdict.reason, "; ",
                                        adopts ? "all routers get the new settings"
                                               : "all routers have the old settings, whatever the file says",
                                        ": ", FirstFew(trial.state().changes, "; "));
  if (adopts) AdoptSettings(now, actions);
  trial.End(verdict);
  trial_.Drop();
  if (who == kByItself) actions.push_back(AuditEntry{now, who, why, text});
  actions.push_back(adopts ? TellInfo(text) : TellWarning(text));
  actions.push_back(SaveState{.now = true});
}

void ControllerMachine::AdoptSettings(Time now, Actions& actions) {
  const bool corrected = fleet_ != loaded_fleet_;
  loaded_fleet_ = trial_.trial().tried();
  if (corrected) {
    auto fleet = std::make_shared<Fleet>(*loaded_fleet_);
    fleet->world.rtt = fleet_->world.rtt;
    fleet_ = std::move(fleet);
  } else {
    fleet_ = loaded_fleet_;
  }
  for (TierLoop& loop : tiers_) {
    auto planned = trial_.Planned(loop.id());
    loop.UseSettings(now, fleet_);
    if (planned != nullptr && loop.mode() == TierMode::kActive) loop.PutInForce(std::move(planned));
  }
  // Routers read some of it themselves: rings, reserves and import caps, for jobs that leave a line.
  actions.push_back(SendMap{std::nullopt});
}

absl::StatusOr<std::string> ControllerMachine::OrderTrial(Time now, const OperatorCommand& order,
                                                          Actions& actions) {
  const canary::Trial& trial = trial_.trial();
  if (order.lasts != ZeroDuration()) {
    return absl::InvalidArgumentError("a canary is not ended for a while: ask without a term");
  }
  if (!trial.open()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "no canary runs", trial.state().id.empty()
                              ? ""
                              : absl::StrCat("; the last one, ", trial.state().id, ", ",
                                             std::string(canary::PhaseName(trial.state().phase)))));
  }
  const bool promote = std::get<CanaryCommand>(order.what).promote;
  const std::string id = trial.state().id;
  EndTrial(now, order.who, order.why,
           {promote ? canary::Phase::kPromoted : canary::Phase::kAborted, absl::StrCat("by ", order.who)},
           actions);
  return absl::StrCat("canary ", id,
                      promote ? " is promoted: all routers get the new settings"
                              : " is aborted: all routers have the old settings");
}

const std::shared_ptr<const RoutingTable>& ControllerMachine::TableFor(const RouterState& router) const {
  const bool own = trial_.table() != nullptr && trial_.trial().Chosen(router.hello.router);
  return own ? trial_.table() : table_;
}

}  // namespace ringway::controller
