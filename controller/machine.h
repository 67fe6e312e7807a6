// The controller as one state machine: reports and commands in, tables and answers out, once an epoch.
//
//   epoch: close the view's window -> each tier: observe, solve, decide -> publish -> directory -> resend
//
// Leader epochs without an election: a controller starts with the time as its epoch, or with the one on its
// disk plus one if that is higher (core/leader_epoch.h), and whenever a
// router has seen an epoch that is higher, or equal and not its own, it claims the next one above; a number
// that no controller can have reached is not believed (core/leader_epoch.h), and the router is served all the
// same. Tables are versioned (epoch, version) as a whole and routers take the higher pair only, so a deposed
// controller cannot push. The claim is saved before anything is sent with it.
//
// Leaders of slot ledgers are appointed when it is needed (leader_registry.h), and saved before anybody hears
// of them. Cut off from more than half of the regions at once, the controller lets the tables stand
// (standing.h). Measured round trips correct the map (measured_rtt.h). Where the file asks for it, settings
// that shape tables go to a share of the routers first (canary/trial.h): then two tables are in force, and
// table() is that of the many.
//
// After a start or a new topology the tables in force stand, under the new version, until every region with
// workers has been heard of (or settle_max has passed): half a picture must not move traffic.
//
// Invariants: what is pushed is the last table of history(), or, to the routers of a canary, the one before;
// versions only rise; every OperatorCommand gets exactly one CommandAnswered and one AuditEntry, and one more
// when its term is over; every table's rows sum to 1. Pure: no clock, no I/O. One owner thread. A Step is
// O(1) plus, once an epoch, O(tiers x (regions + workers)) and the planner.
#ifndef RINGWAY_CONTROLLER_MACHINE_H_
#define RINGWAY_CONTROLLER_MACHINE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "controller/durable_state.h"
#include "controller/events.h"
#include "controller/fleet/directory_builder.h"
#include "controller/fleet/fleet_view.h"
#include "controller/fleet/leader_registry.h"
#include "controller/fleet/measured_rtt.h"
#include "controller/fleet/standing.h"
#include "controller/orders/commands.h"
#include "controller/settings.h"
#include "controller/tiers/finding_notes.h"
#include "controller/tiers/table_history.h"
#include "controller/tiers/tier_loop.h"
#include "controller/tiers/trial_plans.h"
#include "core/fleet.h"
#include "core/time.h"

namespace ringway::controller {

class ControllerMachine {
 public:
  // Claims the epoch after `durable.epoch`; save Durable() before the first Step.
  ControllerMachine(ControllerSettings settings, std::shared_ptr<const Fleet> fleet,
                    const DurableState& durable, Time now);

  void Step(Time now, const ControllerEvent& event, std::vector<ControllerAction>& actions);
  Time NextWake() const { return std::min(next_epoch_at_, leaders_.due()); }

  // ---- views, for screens and for the shell ----
  DurableState Durable() const;
  const ControllerSettings& settings() const { return settings_; }
  // With the round trips as they are measured.
  const std::shared_ptr<const Fleet>& fleet() const { return fleet_; }
  // As the topology says.
  const std::shared_ptr<const Fleet>& loaded_fleet() const { return loaded_fleet_; }
  const MeasuredRtt& measured_rtt() const { return measured_rtt_; }
  const FleetView& view() const { return view_; }
  const TierLoops& tiers() const { return tiers_; }
  const TableHistory& history() const { return history_; }
  std::uint64_t epoch() const { return epoch_; }
  // Null: none yet.
  const std::shared_ptr<const RoutingTable>& table() const { return table_; }
  const std::shared_ptr<const Directory>& directory() const { return directory_.directory(); }
  // Of the last file that asked for one.
  const canary::Trial& trial() const { return trial_.trial(); }
  const LeaderRegistry::Leaders& leaders() const { return leaders_.leaders(); }
  bool settling() const { return settling_; }
  Time last_epoch_at() const { return last_epoch_at_; }

 private:
  friend class Checkpointer;  // reads and writes the whole state (checkpoint.h)
  using Actions = std::vector<ControllerAction>;

  void On(Time, const Tick&, Actions&) {}
  void On(Time now, const RouterConnected& event, Actions& actions);
  void On(Time now, const RouterReported& event, Actions& actions);
  void On(Time now, const RouterAcked& event, Actions& actions);
  void On(Time now, const RouterDisconnected& event, Actions& actions);
  void On(Time now, const TopologyLoaded& event, Actions& actions);
  void On(Time now, const MetricSampled& event, Actions& actions);
  void On(Time now, const OperatorCommand& event, Actions& actions);

  void RunEpoch(Time now, Actions& actions);
  // Orders whose term is over revert, once an epoch.
  void ExpireOrders(Time now, Actions& actions);
  void PlanTier(Time now, TierLoop& loop, Actions& actions);
  // Looks which regions can be reached; true: it is this controller that cannot be.
  bool CutOff(Time now, Actions& actions);
  // Goes by the round trips that are measured.
  void CorrectMap(Time now, Actions& actions);
  void NoteFindings(Time now, const TierLoop& loop, Actions& actions);
  // Puts a new table in force if any tier's moved, and sends it to all.
  void Publish(Time now, Actions& actions);
  void PublishAs(Time now, TableVersion version, Actions& actions);
  // True: somebody was appointed.
  bool AppointLeaders(Time now, Actions& actions);
  void RefreshDirectory(Time now, bool appointed, Actions& actions);
  void Resend(Time now, Actions& actions);
  // Claims a higher epoch if what the router of `stream` has seen demands it.
  void HearEpoch(Time now, StreamId stream, TableVersion seen, Actions& actions);
  // Gives later numbers to what the router knows later ones of.
  void HearOfLater(Time now, StreamId stream, const RouterReport& report, Actions& actions);

  // ---- canaries (trial_steps.cc) ----
  std::string NextTrialId() const;
  // What is in force of a new file.
  std::shared_ptr<const Fleet> TakeFile(const std::shared_ptr<const Fleet>& file, Actions& actions);
  void StepTrial(Time now, Actions& actions);
  void EndTrial(Time now, const std::string& who, const std::string& why, const canary::Verdict& verdict,
                Actions& actions);
  void AdoptSettings(Time now, Actions& actions);
  absl::StatusOr<std::string> OrderTrial(Time now, const OperatorCommand& order, Actions& actions);
  const std::shared_ptr<const RoutingTable>& TableFor(const RouterState& router) const;

  void Settle(Time now);
  void BuildTiers(Time now, const std::vector<DurableTier>& durable);
  void TakeOverTable(const DurableState& durable, Time now);
  void TakeOverDirectory(const DurableState& durable, Time now);

  ControllerSettings settings_;
  TrialPlans trial_;
  std::shared_ptr<const Fleet> loaded_fleet_;
  std::shared_ptr<const Fleet> fleet_;
  MeasuredRtt measured_rtt_;
  FleetView view_;
  TierLoops tiers_;
  TableHistory history_;
  DirectoryBuilder directory_;
  LeaderRegistry leaders_;
  FindingNotes notes_;
  Horizon horizon_;
  bool cut_off_ = false;
  std::uint64_t epoch_;
  std::shared_ptr<const RoutingTable> table_;
  Time last_epoch_at_;  // of planning, not of leadership
  Time next_epoch_at_;
  Time settle_until_;
  bool settling_ = true;
  Time settled_at_ = InfinitePast();
  bool began_blank_ = false;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_MACHINE_H_
