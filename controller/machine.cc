#include "controller/machine.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/tiers/table_remap.h"
#include "core/leader_epoch.h"

namespace ringway::controller {
namespace {

// Report periods without a word after which a router no longer speaks for its workers.
constexpr double kSilentPeriods = 3;

Note Info(std::string text) { return {Note::Level::kInfo, std::move(text)}; }
Note Warning(std::string text) { return {Note::Level::kWarning, std::move(text)}; }

std::string VersionText(TableVersion version) { return absl::StrCat(version.epoch, ".", version.version); }

// False, and told once: no controller can have had that epoch.
bool Believed(Time now, std::uint64_t own, RouterState& router, std::uint64_t epoch,
              std::vector<ControllerAction>& actions) {
  if (EpochCredible(epoch, std::max(own, EpochAt(now)))) return true;
  if (std::exchange(router.epoch_doubted, epoch) == epoch) return false;
  actions.push_back(Warning(absl::StrCat(
      "router ", router.hello.router, " says that it has seen epoch ", epoch,
      ": not believed, no controller can be more than ", kEpochStepMax, " ahead of this one, epoch ", own,
      ", and of the clock; the router forgets it when it connects, one of an earlier release when its state ",
      "file is removed")));
  return false;
}

}  // namespace

void ControllerMachine::Step(Time now, const ControllerEvent& event, Actions& actions) {
  std::visit([&](const auto& kind) { On(now, kind, actions); }, event);
  if (now >= next_epoch_at_) {
    RunEpoch(now, actions);
  } else if (now >= leaders_.due() && AppointLeaders(now, actions)) {
    RefreshDirectory(now, true, actions);
  }
}

void ControllerMachine::On(Time now, const RouterConnected& event, Actions& actions) {
  const std::optional<StreamId> replaced = view_.Connect(now, event.stream, event.hello);
  if (replaced) actions.push_back(CloseStream{*replaced, "the router connected again"});
  RouterState* router = view_.Find(event.stream);
  if (router == nullptr) {
    actions.push_back(
        CloseStream{event.stream, absl::StrCat("the controller is full: ", kRoutersMax, " routers")});
    return;
  }
  HearEpoch(now, event.stream, event.hello.table, actions);
  leaders_.Disturb(now);
  actions.push_back(SendWelcome{event.stream, epoch_});
  actions.push_back(SendMap{event.stream});
  // The peers as known so far; with the next epoch all hear of each other.
  if (directory_.directory() != nullptr) {
    actions.push_back(SendDirectory{event.stream, event.hello.region, directory_.directory()});
  }
  if (const auto& table = TableFor(*router); table != nullptr) {
    actions.push_back(SendTable{event.stream, table});
    router->sent = table->version;
    router->sent_at = now;
  }
}

void ControllerMachine::On(Time now, const RouterReported& event, Actions& actions) {
  if (!view_.Report(now, event.stream, event.report)) return;  // a stream that was closed meanwhile
  const RouterState& router = *view_.Find(event.stream);
  const RegionId from = router.hello.region;
  trial_.Hear(router, *fleet_, event.report);
  for (const RoundTripSeen& trip : event.report.round_trips) {
    if (trip.to != from) measured_rtt_.Hear(from, trip.to, trip.ms);
  }
  HearEpoch(now, event.stream, std::max(event.report.table, TableVersion{event.report.epoch_seen_max, 0}),
            actions);
  HearOfLater(now, event.stream, event.report, actions);
}

void ControllerMachine::On(Time, const RouterAcked& event, Actions& actions) {
  RouterState* router = view_.Find(event.stream);
  if (router == nullptr) return;
  if (event.active) {
    router->active = std::max(router->active, event.version);
  } else {
    actions.push_back(Warning(absl::StrCat("router ", router->hello.router, " refused table ",
                                           VersionText(event.version), ": ", event.refusal)));
  }
}

void ControllerMachine::On(Time now, const RouterDisconnected& event, Actions& actions) {
  const RouterState* router = view_.Find(event.stream);
  if (router == nullptr) return;
  actions.push_back(Info(absl::StrCat("router ", router->hello.router, " left")));
  view_.Disconnect(now, event.stream);
  leaders_.Disturb(now);
}

void ControllerMachine::On(Time now, const MetricSampled& event, Actions&) {
  if (event.tier.index() < tiers_.size()) tiers_[event.tier.index()].Sample(now, event);
}

void ControllerMachine::On(Time now, const OperatorCommand& event, Actions& actions) {
  std::vector<NamedShortfall> shortfall;
  const bool of_trial = std::holds_alternative<CanaryCommand>(event.what);
  const absl::StatusOr<std::string> outcome =
      of_trial ? OrderTrial(now, event, actions) : Carry(now, event, tiers_, history_, shortfall);
  if (outcome.ok() && std::holds_alternative<RollbackCommand>(event.what) && trial_.trial().open()) {
    EndTrial(now, event.who, event.why, {canary::Phase::kAborted, absl::StrCat("rolled back by ", event.who)},
             actions);
  }
  const std::string message = outcome.ok() ? *outcome : std::string(outcome.status().message());
  actions.push_back(
      AuditEntry{now, event.who, event.why,
                 absl::StrCat(Describe(event), outcome.ok() ? "" : " [refused]", ": ", message)});
  if (outcome.ok()) {
    actions.push_back(SaveState{.now = true});
    Publish(now, actions);  // a rollback shows at once; the rest with the next epoch
  }
  actions.push_back(CommandAnswered{event.request, outcome.ok(), message, std::move(shortfall)});
}

void ControllerMachine::ExpireOrders(Time now, Actions& actions) {
  for (TierLoop& loop : tiers_) {
    for (const PendingOrder& ended : loop.Expire(now)) {
      actions.push_back(AuditEntry{
          now, std::string(kByItself),
          absl::StrCat("ordered by ", ended.term.who, " for ", absl::FormatDuration(ended.term.length)),
          absl::StrCat("expired tier=", loop.tier().name, ended.region.empty() ? "" : " ", ended.region, ": ",
                       ended.what, " -> ", ended.then)});
      actions.push_back(SaveState{.now = true});
    }
  }
}

void ControllerMachine::HearEpoch(Time now, StreamId stream, TableVersion seen, Actions& actions) {
  if (!Believed(now, epoch_, *view_.Find(stream), seen.epoch, actions)) return;
  // Of our own epoch nobody can know a version that we did not make.
  const TableVersion own = table_ != nullptr ? table_->version : TableVersion{epoch_, 0};
  const bool foreign = seen.epoch == epoch_ && seen > own;
  if (seen.epoch < epoch_ || (seen.epoch == epoch_ && !foreign)) return;
  actions.push_back(
      Warning(absl::StrCat("a router has seen table ", VersionText(seen), " while this is epoch ", epoch_,
                           ": claiming epoch ", seen.epoch + 1)));
  epoch_ = seen.epoch + 1;
  actions.push_back(SaveState{.now = true});
  if (table_ != nullptr) PublishAs(now, {epoch_, 1}, actions);
}

// Appointments and views outlive their controllers. Where a router, or a worker of its ledgers, knows of
// later ones than this controller, the state that they were taken over from was an old copy, and nobody would
// listen to what it tells.
void ControllerMachine::HearOfLater(Time now, StreamId stream, const RouterReport& report, Actions& actions) {
  RouterState& router = *view_.Find(stream);
  const RegionId region = router.hello.region;
  const TableVersion view = directory_.view();
  const bool later_view = view.version != 0 && report.view > view;
  std::uint64_t highest = later_view ? report.view.epoch : 0;
  std::vector<TierId> overtaken;
  for (const TierCounts& counts : report.tiers) {
    if (!leaders_.Overtaken(region, counts.tier, counts.appointment)) continue;
    overtaken.push_back(counts.tier);
    highest = std::max(highest, counts.appointment.leader_epoch);
  }
  if ((!later_view && overtaken.empty()) || !Believed(now, epoch_, router, highest, actions)) return;
  // Within our own epoch it cannot be told who has the later number.
  if (highest >= epoch_) {
    HearEpoch(now, stream, {highest, table_ != nullptr ? table_->version.version + 1 : 1}, actions);
  }
  if (later_view) directory_.NumberViewAnew();
  for (const TierId tier : overtaken) leaders_.Renew(region, tier, epoch_);
  actions.push_back(Warning(absl::StrCat(
      "router ", router.hello.router, " knows of ",
      overtaken.empty() ? "a list of routers"
                        : absl::StrCat("leaders in ", fleet_->world.regions[region].name),
      " of epoch ", highest, " that this controller, of epoch ", epoch_,
      ", knows nothing of: the state that it read was an old copy; it gives them later numbers")));
  RefreshDirectory(now, /*appointed=*/true, actions);
}

void ControllerMachine::RunEpoch(Time now, Actions& actions) {
  ExpireOrders(now, actions);
  view_.NoteSilence(now - kSilentPeriods * settings_.report_period);
  view_.CloseWindow(now, settings_.report_period);
  cut_off_ = CutOff(now, actions);
  if (measured_rtt_.Due(now, loaded_fleet_->world.rtt, fleet_->world.rtt)) CorrectMap(now, actions);
  bool settled = true;
  for (TierLoop& loop : tiers_) {
    loop.Observe(now, last_epoch_at_, view_, cut_off_);
    settled = settled && loop.Settled();
  }
  if (settling_ && (settled || now >= settle_until_)) {
    settling_ = false;
    settled_at_ = now;
    actions.push_back(settled ? Info("every region has reported: planning starts")
                              : Warning("not every region has reported: planning starts without"));
  }
  // Before the table, so that a router knows the peers that it is sent to.
  view_.Forget(now - settings_.directory_grace);
  RefreshDirectory(now, AppointLeaders(now, actions), actions);
  if (!settling_ && !cut_off_) {
    bool learnt = false;
    for (TierLoop& loop : tiers_) {
      PlanTier(now, loop, actions);
      learnt = loop.Scale(now) || learnt;
    }
    StepTrial(now, actions);
    Publish(now, actions);
    if (learnt) actions.push_back(SaveState{});
  }
  Resend(now, actions);
  notes_.Forget(now);
  last_epoch_at_ = now;
  // Missed epochs are not made up for.
  const auto missed = Floor(now - next_epoch_at_, settings_.epoch_period);
  next_epoch_at_ += missed + settings_.epoch_period;
  actions.push_back(EpochEnded{});
}

bool ControllerMachine::CutOff(Time now, Actions& actions) {
  const IdVector<RegionId, char> reachable = view_.Reachable();
  for (RegionId id(0); id != reachable.end_id(); id = RegionId(id.index() + 1)) {
    horizon_.See(now, id, reachable[id] != 0);
  }
  const bool cut_off = horizon_.CutOff(now);
  if (cut_off == cut_off_) return cut_off;
  actions.push_back(cut_off ? Warning("more than half of the regions cannot be reached any more: taken for a "
                                      "controller that is cut off, the tables in force stand")
                            : Info("no longer cut off: planning goes on"));
  return cut_off;
}

void ControllerMachine::CorrectMap(Time now, Actions& actions) {
  auto corrected = std::make_shared<Fleet>(*fleet_);
  const auto corrections = measured_rtt_.Correct(now, loaded_fleet_->world.rtt, corrected->world.rtt);
  if (corrections.empty()) return;
  fleet_ = std::move(corrected);
  for (TierLoop& loop : tiers_) loop.UseMap(fleet_);
  actions.push_back(SendMap{std::nullopt});
  actions.push_back(Warning(
      absl::StrCat("plans go by measured round trips: ", DescribeCorrections(corrections, fleet_->world))));
}

void ControllerMachine::PlanTier(Time now, TierLoop& loop, Actions& actions) {
  if (loop.mode() != TierMode::kFrozen) {
    auto snapshot = std::make_shared<const TierSnapshot>(loop.Snapshot(now));
    auto plan = loop.Solve(snapshot);
    trial_.Plan(loop, *snapshot);
    actions.push_back(PlanMade{std::move(snapshot), std::move(plan)});
  }
  loop.PutInForce(loop.Decide());
  NoteFindings(now, loop, actions);
}

void ControllerMachine::NoteFindings(Time now, const TierLoop& loop, Actions& actions) {
  const auto note = [&](const planner::Finding& finding) {
    if (!notes_.Worth(now, loop.id(), finding)) return;
    const std::string_view kind = planner::FindingKindName(finding.kind);
    const std::string region =
        finding.region.valid() ? absl::StrCat(" region ", fleet_->world.regions[finding.region].name) : "";
    actions.push_back(
        Warning(absl::StrCat("tier ", loop.tier().name, region, ": ",
                             absl::string_view(kind.data(), kind.size()), ": ", finding.detail)));
  };
  for (const planner::Finding& finding : loop.findings()) note(finding);
  if (loop.plan() == nullptr || loop.mode() == TierMode::kFrozen) return;
  for (const planner::Finding& finding : loop.plan()->findings) note(finding);
}

void ControllerMachine::Publish(Time now, Actions& actions) {
  bool moved = table_ == nullptr || table_->version.epoch != epoch_ || trial_.Unsent();
  bool ready = true;
  for (const TierLoop& loop : tiers_) {
    ready = ready && loop.in_force() != nullptr;
    moved = moved || (loop.in_force() != nullptr && *loop.in_force() != table_->tiers[loop.id()]);
  }
  if (!ready || !moved) return;
  const bool same_epoch = table_ != nullptr && table_->version.epoch == epoch_;
  PublishAs(now, {epoch_, same_epoch ? table_->version.version + 1 : 1}, actions);
}

void ControllerMachine::PublishAs(Time now, TableVersion version, Actions& actions) {
  const auto on_trial = trial_.Make(version, now, tiers_);
  if (on_trial != nullptr) {
    history_.Add(on_trial);
    actions.push_back(SendTable{std::nullopt, on_trial, trial_.AudienceOf(view_, true)});
    ++version.version;
  }
  auto table = std::make_shared<RoutingTable>();
  table->version = version;
  table->planned_at = now;
  for (const TierLoop& loop : tiers_) table->tiers.push_back(*loop.in_force());
  table_ = std::move(table);
  history_.Add(table_);
  for (auto& [name, router] : view_.routers()) {
    router.sent = TableFor(router)->version;
    router.sent_at = now;
  }
  actions.push_back(
      SendTable{std::nullopt, table_, on_trial != nullptr ? trial_.AudienceOf(view_, false) : nullptr});
  actions.push_back(SaveState{});
}

bool ControllerMachine::AppointLeaders(Time now, Actions& actions) {
  auto changes = leaders_.Refresh(now, *fleet_, view_, epoch_, settings_.report_period);
  const bool any = !changes.empty();
  for (std::string& change : changes) actions.push_back(Info(std::move(change)));
  return any;
}

void ControllerMachine::RefreshDirectory(Time now, bool appointed, Actions& actions) {
  // Began without a state, and not every router has had the time to come back and report.
  const bool knows_few = began_blank_ && (settling_ || now < settled_at_ + 2 * settings_.report_period);
  const DirectoryBuilder::Change change =
      directory_.Refresh(now, *fleet_, view_, leaders_.leaders(), epoch_, knows_few);
  if (!change.any) return;
  // An appointment that a restart forgets could be given a second time.
  actions.push_back(SaveState{.now = appointed});
  for (const auto& [name, router] : view_.routers()) {
    if (router.stream == 0 || !change.Concerns(router.hello.region)) continue;
    actions.push_back(SendDirectory{router.stream, router.hello.region, directory_.directory()});
  }
}

void ControllerMachine::Resend(Time now, Actions& actions) {
  if (table_ == nullptr) return;
  for (auto& [name, router] : view_.routers()) {
    const std::shared_ptr<const RoutingTable>& table = TableFor(router);
    const bool holds = router.active >= table->version && EpochCredible(router.active.epoch, epoch_);
    if (router.stream == 0 || holds) continue;
    if (now - router.sent_at < settings_.resend_after) continue;
    actions.push_back(SendTable{router.stream, table});
    router.sent = table->version;
    router.sent_at = now;
  }
}

}  // namespace ringway::controller
