// Appoints the holders of the slot ledgers: for each region, and each tier in ledger mode there, one router.
//
// An appointment is fenced by (leader epoch, number within it): the later one is higher, whoever made it, and
// routers and workers obey the highest that they have seen. A leader stays as long as it lives, because a
// change costs a rebuild: it is replaced when its stream has been broken for half a report period, when it
// has been silent for 1.75 of them, or when it comes back as another life of itself (incarnation), whose
// leases would begin at 1 again. After a start of the controller and after a new topology the known leaders
// are given time to connect; their appointments stand with the fence of the epoch that made them, so that a
// restart of the controller disturbs no ledger.
//
// Choice: of the region's connected routers that are not silent, the one with the fewest ledgers; of those
// the first by name. An appointment must be on disk before anybody hears of it (the machine saves first). The
// first of a ledger that nobody can have held is `fresh`.
//
// Bounds: one leader a region and tier. Pure. O(routers + regions x tiers) a Refresh. One owner thread.
#ifndef RINGWAY_CONTROLLER_FLEET_LEADER_REGISTRY_H_
#define RINGWAY_CONTROLLER_FLEET_LEADER_REGISTRY_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "controller/fleet/directory.h"
#include "controller/fleet/fleet_view.h"
#include "core/fleet.h"
#include "core/lease.h"
#include "core/time.h"

namespace ringway::controller {

class LeaderRegistry {
 public:
  using Leaders = IdVector<RegionId, std::vector<LeaderEntry>>;  // by region, in order of tiers

  // What the registry learns from disk, a checkpoint or itself; ids are those of the fleet in use. Nobody who
  // is not connected is given up before `trusted_until`.
  void TakeOver(Leaders leaders, Time trusted_until) {
    leaders_ = std::move(leaders);
    trusted_until_ = trusted_until;
    due_ = trusted_until;
  }

  // Appoints where it is needed. `epoch`: of the leader. Returns what changed, in sentences for people.
  std::vector<std::string> Refresh(Time now, const Fleet& fleet, const FleetView& view, std::uint64_t epoch,
                                   Duration report_period);
  // Whether an appointment of which somebody knows is later than what stands here.
  bool Overtaken(RegionId region, TierId tier, const Fence& known) const;
  // Gives what stands here a later fence.
  void Renew(RegionId region, TierId tier, std::uint64_t epoch);
  // Something happened to a router: look again now.
  void Disturb(Time now) { due_ = now; }
  // When a leader will have been silent for too long if nothing is heard of it.
  Time due() const { return due_; }

  const Leaders& leaders() const { return leaders_; }

  // For checkpoints.
  struct Counters {
    std::uint64_t epoch = 0;  // of the last appointment made here
    std::uint64_t last = 0;   // its number
    Time trusted_until = InfinitePast();
    Time due = InfiniteFuture();
  };
  Counters counters() const { return {epoch_, last_appointment_, trusted_until_, due_}; }
  void Restore(Leaders leaders, const Counters& counters);

 private:
  struct Candidate;
  struct Liveness;
  using Candidates = IdVector<RegionId, std::vector<Candidate>>;
  static Candidates Living(Time now, const Fleet& fleet, const FleetView& view, const Liveness& liveness,
                           const Leaders& leaders);
  static Time StandsUntil(const LeaderEntry& leader, RegionId region, const FleetView& view,
                          const Liveness& liveness);
  const LeaderEntry* LeaderOf(RegionId region, TierId tier) const;
  LeaderEntry Appoint(TierId tier, bool first, std::uint64_t epoch, std::vector<Candidate>& living);
  Fence NextFence(std::uint64_t epoch);

  Leaders leaders_;
  std::uint64_t epoch_ = 0;
  std::uint64_t last_appointment_ = 0;
  Time trusted_until_ = InfinitePast();
  Time due_ = InfiniteFuture();
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_FLEET_LEADER_REGISTRY_H_
