// What happened, as one would tell a colleague: drains, hot regions, spills, leaders, refused tables.
//
// Two sources. Each Step's event and actions are told as they come (operators' orders, refusals, topology);
// what shows only in the state is found by comparing the pictures of two epochs: a region that is hot or cool
// again, whose routers fell silent, a tier that sheds. A region is hot when its own demand would load it
// above the threshold, and cool again below kCoolShare of it; either must hold for kHold, so that noise
// around the threshold is not told. Spills and routers' comings and goings are counted and told together, for
// each region at most every kQuiet.
//
// Bounds: kKept entries, the oldest go first; one counter a (tier, region). Every entry has a number that
// counts up; a reader who misses some can see it. Pure: `wall` and `now` are arguments. One owner.
#ifndef RINGWAY_CONTROLLER_SCREEN_EVENT_LOG_H_
#define RINGWAY_CONTROLLER_SCREEN_EVENT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/machine.h"
#include "controller/screen/picture.h"
#include "core/time.h"

namespace ringway::controller {

enum class EventKind : std::uint8_t {
  kLeader,
  kTopology,
  kPlanning,
  kDrain,
  kUndrain,
  kThreshold,
  kMode,
  kPin,
  kRollback,
  kHot,
  kCool,
  kShed,
  kSpill,
  kRefused,
  kRouters,
  kSilent,
  kHeard,
  kExpired,
  kCanary,
};
inline constexpr std::size_t kEventKinds = static_cast<std::size_t>(EventKind::kCanary) + 1;
std::string_view EventKindName(EventKind kind);

struct LoggedEvent {
  std::uint64_t number = 0;
  Time wall;
  EventKind kind = EventKind::kLeader;
  bool warning = false;
  std::string tier;    // empty: all
  std::string region;  // empty: the whole fleet
  std::string text;    // one sentence
  std::string who;     // of an operator's order
  std::string why;
};

class EventLog {
 public:
  static constexpr std::size_t kKept = 500;
  static constexpr double kCoolShare = 0.97;
  static constexpr Duration kHold = Seconds(5);
  static constexpr Duration kQuiet = Seconds(30);

  // Before anything else: what a former life of the controller told, oldest first. Its last words may not be
  // among them, so that numbers go on kKept later: a reader never takes a new entry for one that it has.
  void Restore(std::deque<LoggedEvent> former);
  // `machine` is as it is after the Step.
  void Take(Time wall, const ControllerEvent& event, const std::vector<ControllerAction>& actions,
            const ControllerMachine& machine);
  // Once an epoch, after its Step.
  void EndEpoch(Time now, Time wall, const ControllerMachine& machine, const FleetPicture& picture);

  const std::deque<LoggedEvent>& entries() const { return entries_; }
  // Of the newest entry; 0: none.
  std::uint64_t last() const { return next_ - 1; }

 private:
  struct Seen {
    bool hot = false;
    Time turning_since = InfiniteFuture();  // hot and cool no longer agree with what was told
    InputHealth health = InputHealth::kFresh;
    std::uint64_t spilled = 0;  // since they were told
    Time spills_told_at = InfinitePast();
  };
  struct RouterCount {
    int came = 0;
    int went = 0;
  };

  LoggedEvent& Log(Time wall, EventKind kind, std::string text);
  void TakeEnds(Time wall, const std::vector<ControllerAction>& actions, const ControllerMachine& machine);
  void TakeOrder(Time wall, const OperatorCommand& order, const std::vector<ControllerAction>& actions);
  void CountReport(const RouterReported& event, const ControllerMachine& machine);
  void CompareTier(Time now, Time wall, const TierLoop& loop, const TierPicture& picture);
  void CompareHeat(Time now, Time wall, const TierLoop& loop, RegionId region, const RegionStatus& status,
                   Seen& seen);
  void CompareRegion(Time wall, const TierLoop& loop, RegionId region, const RegionStatus& status,
                     Seen& seen);
  void TellSpills(Time now, Time wall, const TierLoop& loop, RegionId region, Seen& seen);
  void TellRouters(Time wall);

  std::deque<LoggedEvent> entries_;
  std::uint64_t next_ = 1;
  std::uint64_t epoch_ = 0;
  bool settling_ = true;
  bool canary_runs_ = false;
  std::shared_ptr<const Fleet> fleet_;
  std::map<std::pair<TierId, RegionId>, Seen> seen_;
  std::map<TierId, bool> sheds_;
  std::map<std::string, RouterCount> routers_;  // by region, in this epoch
  std::map<StreamId, std::string> homes_;       // regions of the open streams
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_SCREEN_EVENT_LOG_H_
