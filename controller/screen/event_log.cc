#include "controller/screen/event_log.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "controller/orders/commands.h"

namespace ringway::controller {
namespace {

// A tier sheds when it gives up more than this share of its demand, and has stopped below half of it.
constexpr double kShedShare = 0.001;

EventKind KindOf(const OperatorCommand& order) {
  struct Visitor {
    EventKind operator()(const DrainCommand& c) const {
      return c.drain ? EventKind::kDrain : EventKind::kUndrain;
    }
    EventKind operator()(const ThresholdCommand&) const { return EventKind::kThreshold; }
    EventKind operator()(const ModeCommand&) const { return EventKind::kMode; }
    EventKind operator()(const PinCommand&) const { return EventKind::kPin; }
    EventKind operator()(const RollbackCommand&) const { return EventKind::kRollback; }
    EventKind operator()(const CanaryCommand&) const { return EventKind::kCanary; }
  };
  return std::visit(Visitor(), order.what);
}

std::string RegionOf(const OperatorCommand& order) {
  if (const auto* drain = std::get_if<DrainCommand>(&order.what)) return drain->region;
  if (const auto* pin = std::get_if<PinCommand>(&order.what)) return pin->region;
  return "";
}

std::string RoutersText(int count, const std::string& region, const char* did) {
  return absl::StrCat(count, count == 1 ? " router of " : " routers of ", region, " ", did);
}

}  // namespace

std::string_view EventKindName(EventKind kind) {
  static constexpr std::string_view kNames[kEventKinds] = {
      "leader",  "topology", "planning", "drain",   "undrain", "threshold", "mode",
      "pin",     "rollback", "hot",      "cool",    "shed",    "spill",     "refused",
      "routers", "silent",   "heard",    "expired", "canary"};
  return kNames[static_cast<std::size_t>(kind)];
}

LoggedEvent& EventLog::Log(Time wall, EventKind kind, std::string text) {
  entries_.push_back({.number = next_++,
                      .wall = wall,
                      .kind = kind,
                      .warning = false,
                      .tier = {},
                      .region = {},
                      .text = std::move(text),
                      .who = {},
                      .why = {}});
  if (entries_.size() > kKept) entries_.pop_front();
  return entries_.back();
}

void EventLog::Restore(std::deque<LoggedEvent> former) {
  entries_ = std::move(former);
  while (entries_.size() > kKept) entries_.pop_front();
  if (!entries_.empty()) next_ = entries_.back().number + kKept + 1;
}

void EventLog::Take(Time wall, const ControllerEvent& event, const std::vector<ControllerAction>& actions,
                    const ControllerMachine& machine) {
  if (const auto* order = std::get_if<OperatorCommand>(&event)) TakeOrder(wall, *order, actions);
  TakeEnds(wall, actions, machine);
  if (const auto* report = std::get_if<RouterReported>(&event)) CountReport(*report, machine);
  if (const auto* ack = std::get_if<RouterAcked>(&event); ack != nullptr && !ack->active) {
    const auto home = homes_.find(ack->stream);
    LoggedEvent& entry = Log(wall, EventKind::kRefused,
                             absl::StrCat("a router refused table ", ack->version.epoch, ".",
                                          ack->version.version, ": ", ack->refusal));
    entry.warning = true;
    if (home != homes_.end()) entry.region = home->second;
  }
  if (const auto* connected = std::get_if<RouterConnected>(&event)) {
    const std::string& region = machine.fleet()->world.regions[connected->hello.region].name;
    if (homes_.size() < kRoutersMax) homes_[connected->stream] = region;
    ++routers_[region].came;
  }
  if (const auto* left = std::get_if<RouterDisconnected>(&event)) {
    if (const auto home = homes_.find(left->stream); home != homes_.end()) {
      ++routers_[home->second].went;
      homes_.erase(home);
    }
  }
  if (std::holds_alternative<TopologyLoaded>(event)) {
    Log(wall, EventKind::kTopology,
        absl::StrCat("a new topology is in force: world ", machine.fleet()->world.name, ", ",
                     machine.fleet()->world.regions.size(), " regions",
                     machine.trial().open() ? "; what shapes tables is tried first, as canary " : "",
                     machine.trial().open() ? machine.trial().state().id : ""));
  }
}

// What ended by itself: orders whose term was over, and canaries, which also begin without an order.
void EventLog::TakeEnds(Time wall, const std::vector<ControllerAction>& actions,
                        const ControllerMachine& machine) {
  const canary::TrialState& canary = machine.trial().state();
  const bool runs = machine.trial().running();
  if (runs && !std::exchange(canary_runs_, runs)) {
    Log(wall, EventKind::kCanary,
        absl::StrCat("canary ", canary.id, ": ", canary.chosen.size(), " routers plan by new settings"));
  }
  canary_runs_ = runs;
  for (const ControllerAction& action : actions) {
    const auto* entry = std::get_if<AuditEntry>(&action);
    if (entry == nullptr || entry->who != kByItself) continue;
    const bool of_canary = entry->why == kCanaryWhy;
    LoggedEvent& ended = Log(wall, of_canary ? EventKind::kCanary : EventKind::kExpired, entry->action);
    ended.warning = of_canary && canary.phase == canary::Phase::kReverted;
    ended.who = entry->who;
    ended.why = entry->why;
  }
}

void EventLog::TakeOrder(Time wall, const OperatorCommand& order,
                         const std::vector<ControllerAction>& actions) {
  for (const ControllerAction& action : actions) {
    const auto* answer = std::get_if<CommandAnswered>(&action);
    if (answer == nullptr) continue;
    LoggedEvent& entry =
        Log(wall, KindOf(order), answer->done ? answer->message : absl::StrCat("refused: ", answer->message));
    entry.warning = !answer->done;
    entry.tier = TierOf(order);
    entry.region = RegionOf(order);
    entry.who = order.who;
    entry.why = order.why;
  }
}

void EventLog::CountReport(const RouterReported& event, const ControllerMachine& machine) {
  const auto home = homes_.find(event.stream);
  if (home == homes_.end()) return;
  const auto region = machine.fleet()->world.FindRegion(home->second);
  if (!region) return;
  for (const TierCounts& counts : event.report.tiers) {
    if (counts.spilled > 0) seen_[{counts.tier, *region}].spilled += counts.spilled;
  }
}

void EventLog::EndEpoch(Time now, Time wall, const ControllerMachine& machine, const FleetPicture& picture) {
  if (fleet_ != machine.loaded_fleet()) {
    fleet_ = machine.loaded_fleet();
    seen_.clear();
    sheds_.clear();
  }
  if (machine.epoch() != epoch_) {
    Log(wall, EventKind::kLeader,
        absl::StrCat(machine.settings().name, epoch_ == 0 ? " leads in epoch " : " claimed epoch ",
                     machine.epoch()));
    epoch_ = machine.epoch();
  }
  TellRouters(wall);
  if (settling_ && !machine.settling()) Log(wall, EventKind::kPlanning, "planning has started");
  settling_ = machine.settling();
  if (machine.settling()) return;
  for (const TierLoop& loop : machine.tiers()) CompareTier(now, wall, loop, picture[loop.id().index()]);
}

void EventLog::TellRouters(Time wall) {
  for (const auto& [region, count] : routers_) {
    if (count.came > count.went) {
      Log(wall, EventKind::kRouters, RoutersText(count.came - count.went, region, "joined")).region = region;
    } else if (count.went > count.came) {
      LoggedEvent& entry =
          Log(wall, EventKind::kRouters, RoutersText(count.went - count.came, region, "left"));
      entry.region = region;
      entry.warning = true;
    }
  }
  routers_.clear();
}

void EventLog::CompareTier(Time now, Time wall, const TierLoop& loop, const TierPicture& picture) {
  for (RegionId id(0); id != picture.regions.end_id(); id = RegionId(id.index() + 1)) {
    Seen& seen = seen_[{loop.id(), id}];
    CompareHeat(now, wall, loop, id, picture.regions[id], seen);
    CompareRegion(wall, loop, id, picture.regions[id], seen);
    TellSpills(now, wall, loop, id, seen);
  }
  bool& sheds = sheds_[loop.id()];
  const double share = picture.demand_rps > 0 ? picture.shed_rps / picture.demand_rps : 0;
  const bool now_sheds = share > (sheds ? kShedShare / 2 : kShedShare);
  if (now_sheds == sheds) return;
  sheds = !sheds;
  LoggedEvent& entry =
      Log(wall, EventKind::kShed,
          sheds ? absl::StrFormat("demand is above all that can be reached: %.1f%% is shed", share * 100)
                : std::string("nothing is shed any more"));
  entry.warning = sheds;
  entry.tier = loop.tier().name;
}

void EventLog::CompareHeat(Time now, Time wall, const TierLoop& loop, RegionId region,
                           const RegionStatus& status, Seen& seen) {
  const double threshold = loop.tier().route.overload_threshold;
  const bool hot = status.home_load > (seen.hot ? threshold * kCoolShare : threshold);
  if (hot == seen.hot) {
    seen.turning_since = InfiniteFuture();
    return;
  }
  seen.turning_since = std::min(seen.turning_since, now);
  if (now - seen.turning_since < kHold) return;
  seen.turning_since = InfiniteFuture();
  seen.hot = hot;
  const std::string& name = loop.fleet().world.regions[region].name;
  LoggedEvent& entry =
      Log(wall, hot ? EventKind::kHot : EventKind::kCool,
          hot ? absl::StrFormat("%s is hot: its own demand would load it to %.2f of a threshold of %.2f",
                                name, status.home_load, threshold)
              : absl::StrCat(name, " is no longer hot"));
  entry.warning = hot;
  entry.tier = loop.tier().name;
  entry.region = name;
}

void EventLog::CompareRegion(Time wall, const TierLoop& loop, RegionId region, const RegionStatus& status,
                             Seen& seen) {
  const std::string& name = loop.fleet().world.regions[region].name;
  const auto log = [&](EventKind kind, bool warning, std::string text) {
    LoggedEvent& entry = Log(wall, kind, std::move(text));
    entry.warning = warning;
    entry.tier = loop.tier().name;
    entry.region = name;
  };
  if (status.workers == 0 && status.health == InputHealth::kMissing) return;  // nobody to be heard of
  if (status.health != InputHealth::kFresh && seen.health == InputHealth::kFresh) {
    log(EventKind::kSilent, true, absl::StrCat(name, " has not reported lately: its last numbers stand"));
  } else if (status.health == InputHealth::kMissing && seen.health == InputHealth::kStale) {
    log(EventKind::kSilent, true, absl::StrCat(name, " is missing: it takes no traffic from others"));
  } else if (status.health == InputHealth::kFresh && seen.health != InputHealth::kFresh) {
    log(EventKind::kHeard, false, absl::StrCat(name, " reports"));
  }
  seen.health = status.health;
}

void EventLog::TellSpills(Time now, Time wall, const TierLoop& loop, RegionId region, Seen& seen) {
  if (seen.spilled == 0 || now - seen.spills_told_at < kQuiet) return;
  const std::string& name = loop.fleet().world.regions[region].name;
  LoggedEvent& entry = Log(wall, EventKind::kSpill,
                           absl::StrCat(seen.spilled, seen.spilled == 1 ? " job" : " jobs", " of ", name,
                                        " waited too long and went to another region"));
  entry.tier = loop.tier().name;
  entry.region = name;
  seen.spilled = 0;
  seen.spills_told_at = now;
}

}  // namespace ringway::controller
