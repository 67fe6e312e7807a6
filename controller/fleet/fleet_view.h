// What the controller knows of routers and workers: who is there, what they said last, how long ago.
//
// One entry a router, by name. A router that connects again replaces its former stream. Counts between two
// epochs are summed with the time that they cover, and taken together once every router of the region has
// reported, so that a region's counts speak of one time whatever the periods are and use every report exactly
// once; until then the last rates stand. A router that is overdue by a period is not waited for. A worker
// that two routers report counts once, as the one that spoke last says. When a router is gone, the directory
// names another of its region for each of its workers (directory_builder.h); from that one's first report on
// the worker is its own, and what the gone router said of it last is forgotten.
//
// A router that left is forgotten by Forget(), but not those of its workers that no other router has named
// since: a worker outlives its router, and may be down or out of reach when its router goes. They are kept
// for kGoneKept, as the gone router's, for others to be asked to look for them (gone()). When the router
// comes back they are its own again, before its first report. A router that starts anew knows nothing of what
// it had adopted: what nobody names then is kept like that, too.
//
// Bounds: kRoutersMax routers, each with one report's worth of workers, and as many that are gone. Pure: time
// is an argument, iteration is in order of names. One owner thread. A report that names the same workers as
// the one before writes over what is measured. The order in which Collect reads a tier's workers is kept from
// one call to the next while the listing stands, so it is O(routers + workers) then, and where routers name
// their workers in order; else O(workers log workers).
#ifndef RINGWAY_CONTROLLER_FLEET_FLEET_VIEW_H_
#define RINGWAY_CONTROLLER_FLEET_FLEET_VIEW_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/fleet/aggregate.h"
#include "controller/fleet/report.h"
#include "controller/fleet/rps_matrix.h"
#include "core/fleet.h"
#include "core/time.h"

namespace ringway::controller {

// One connection of one router; numbered by the shell, never reused.
using StreamId = std::uint64_t;

// What one router sees of one tier; as counts in a window, or as rates per second.
struct TierFlow {
  PerPriority<double> entered{};
  RpsRow sent;
  double ran = 0;  // left workers that the router had asked itself
  friend bool operator==(const TierFlow&, const TierFlow&) = default;
};

struct RouterState {
  StreamId stream = 0;  // 0: not connected
  bool silent = false;  // connected, and has not reported for too long (NoteSilence)
  RouterHello hello;
  Time left_at = InfinitePast();      // when the stream broke
  Time reported_at = InfinitePast();  // last report
  TableVersion active;                // as acknowledged or reported
  std::uint64_t epoch_doubted = 0;    // that it claimed last, and was not believed
  TableVersion sent;                  // as pushed last
  Time sent_at = InfinitePast();
  std::vector<WorkerSeen> workers;  // of the last report
  double period_s = 1;              // of the last report
  double window_s = 0;              // time that `window` covers
  Time window_at = InfinitePast();  // of its first report
  double taken_s = 0;               // time that `rates` cover, if they were taken in the last CloseWindow
  IdVector<TierId, TierFlow> window;
  IdVector<TierId, TierFlow> rates;
  // Whether it speaks for its workers; else another router of the region is asked to.
  bool present() const { return stream != 0 && !silent; }
};

// One region's part of one tier, summed over the routers that can be believed.
struct RegionTraffic {
  Time reported_at = InfinitePast();  // newest report from the region, believed or not
  bool fresh = false;                 // some router reported recently: the rest is meaningful
  bool reachable = false;             // some router is connected and speaks
  PerPriority<double> demand_rps{};
  RpsRow sent_rps;
  double ran_rps = 0;  // left its workers, however they ended
  int alive = 0;       // distinct healthy workers that are not draining
  double busy = 0;     // of all workers, by the share of the last report's time; draining ones too
  // Time over which rates and busy shares were counted, where they are news; 0: they are not.
  double counted_s = 0;
  std::vector<std::vector<MetricValue>>
      values;  // by metric of the tier, one entry a living worker that has it
};

class FleetView {
 public:
  // As long as a machine may take to be repaired; whoever is asked to look for its workers dials them as
  // long.
  static constexpr Duration kGoneKept = Hours(1);

  explicit FleetView(const Fleet& fleet)
      : tiers_(fleet.tiers.size()), regions_(fleet.world.regions.size()), rolls_(fleet.tiers.size()) {}

  // The stream that the router used before, if any: to be closed. None also when the view is full; then
  // Find(stream) is null.
  std::optional<StreamId> Connect(Time now, StreamId stream, RouterHello hello);
  void Disconnect(Time now, StreamId stream);
  // False: no such stream.
  bool Report(Time now, StreamId stream, const RouterReport& report);
  RouterState* Find(StreamId stream);
  const RouterState* Find(StreamId stream) const { return const_cast<FleetView*>(this)->Find(stream); }

  // Turns the counts of regions whose routers have all reported into rates. Once an epoch, before Collect.
  void CloseWindow(Time now, Duration report_period);
  // Whether some router of each region is connected and speaks.
  IdVector<RegionId, char> Reachable() const;
  IdVector<RegionId, RegionTraffic> Collect(const Fleet& fleet, TierId tier, Time now,
                                            Duration stale_after) const;
  // Marks the routers that connected before `before` and have not reported since.
  void NoteSilence(Time before);
  // Drops routers that left before `before`. Their workers, where others have been connected in the region
  // since before `before` and nobody has heard them, are unwell from now on.
  void Forget(Time before);

  // Rises whenever a directory of the routers and their workers may have changed.
  std::uint64_t listing() const { return listing_; }
  const std::map<std::string, RouterState>& routers() const { return routers_; }
  std::map<std::string, RouterState>& routers() { return routers_; }
  // Forgotten routers by name, for the sake of workers that nobody has named since.
  const std::map<std::string, RouterState>& gone() const { return gone_; }
  // Puts a known state in place, streams included; for the start from a checkpoint or an older fleet.
  void Restore(RouterState state);
  // Of a router that is gone. None that is known, nor more than kRoutersMax.
  void RestoreGone(RouterState state);

 private:
  // A worker by the places of its router, in the order of names, and of itself in that one's report.
  struct LivingWorker {
    std::uint32_t router;
    std::uint32_t worker;
    bool alive;  // healthy and not draining; the others may still be busy
  };
  // The workers of one tier by region and name, each once.
  struct Roll {
    std::uint64_t listing = 0;   // that it was made of; 0: it has to be made anew
    std::vector<bool> believed;  // by router
    std::vector<LivingWorker> living;
    bool twice = false;  // two routers named one of the workers
  };
  // The routers in the order of names; those of whom nothing is believed are null.
  using Believed = std::vector<const RouterState*>;

  // The first report of a stream: what its router had adopted, and does not name any more.
  void KeepForgotten(Time now, const RouterState& router, const RouterReport& report);
  void HandOver(const RouterState& to);
  void HandOverGone(const RouterState& to);
  void AgeGone(Time before);
  const std::vector<LivingWorker>& Living(TierId tier, std::size_t regions, const Believed& routers) const;
  static Roll MakeRoll(TierId tier, std::size_t regions, const Believed& routers);

  std::size_t tiers_;
  std::size_t regions_;
  std::map<std::string, RouterState> routers_;  // by name
  std::map<std::string, RouterState> gone_;     // by name; none is in routers_, each has workers
  std::map<StreamId, std::string> streams_;
  std::uint64_t listing_ = 1;
  mutable IdVector<TierId, Roll> rolls_;  // of the last Collect
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_FLEET_FLEET_VIEW_H_
