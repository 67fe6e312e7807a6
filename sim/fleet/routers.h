// The routers of a simulation: production nodes, and the shell around them in virtual time.
//
// The shell does what the daemon's does: gives arriving jobs their ids, carries offers and forwards to their
// targets, relays what a forwarded job's worker says to the router that asked, and tells users how their jobs
// ended. Streams of ledgers are carried by Leaders, watch streams by Registries. A router that dies loses the
// jobs it holds: its users see a broken connection, the workers and routers behind it see the stream close.
//
// Bounds: jobs_max per router; a job beyond it is refused as the daemon refuses it. One owner.
#ifndef RINGWAY_SIM_FLEET_ROUTERS_H_
#define RINGWAY_SIM_FLEET_ROUTERS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/fleet.h"
#include "core/ids.h"
#include "router/router_node.h"
#include "sim/fleet/tap.h"
#include "sim/fleet/workers.h"
#include "sim/kernel/prefetch.h"
#include "sim/stage.h"

namespace ringway::sim {

class Routers {
 public:
  static constexpr std::size_t kJobsMax = 16384;

  Routers(Stage& stage, const Scenario& scenario, const Workers& workers,
          IdVector<RouterId, RegionId> places);

  void OnJob(std::uint32_t detail);
  void OnMessage(std::uint32_t detail);
  void OnNote(std::uint32_t detail);
  void OnWake(RouterId router, Life life);
  // One step of the router, with what it wants done. That never leads to another step at once: what a router
  // is to hear of it is a message. Rest follows when all of a moment has been told.
  template <class Event>
  void Step(RouterId router, const Event& event) {
    Shell shell{*this, router};
    sites_[router].node->Step(stage_.Now(), event, shell);
  }
  // The same with an event of a tier's session.
  template <class Event>
  void StepTier(RouterId router, TierId tier, const Event& event) {
    Shell shell{*this, router};
    sites_[router].node->StepTier(stage_.Now(), tier, event, shell);
  }
  void Rest(RouterId router) {
    Site& site = sites_[router];
    const Time wake = site.node->NextWake();
    if (site.wake.Wants(wake)) stage_.At(wake, Happening::kRouterWakes, router.value(), site.life);
  }
  static std::string NameOf(RouterId router);

  // Hints to the memory: something happens to this job soon; a job arrives soon, and will get the id that was
  // freed last.
  void Foresee(RouterId router, JobId job) const {
    const Site& site = sites_[router];
    if (!site.node) return;
    Prefetch(&site.held[job]);
    Prefetch(&site.node->machine().job(job));
  }
  void ForeseeArrival(RouterId router) const {
    if (!sites_[router].free.empty()) Foresee(router, sites_[router].free.back());
  }

  // Its process is stopped; what happens to it before then waits (Simulation::HeldUntil).
  void Pause(RouterId router, std::int64_t until_ns) { paused_until_ns_[router] = until_ns; }
  std::int64_t paused_until_ns(RouterId router) const { return paused_until_ns_[router]; }
  // From now on, or no longer, nothing is kept that it writes to disk; `wiped`: nor what it has written.
  void LoseWrites(RouterId router, bool lost, bool wiped);
  // The attempt is still wanted by the router that made it.
  bool Wants(const Caller& caller) const;
  // Nothing is heard on the attempt's stream from now on. True: its payload has been sent.
  bool CloseStream(const Caller& caller);
  // What the controller says over any other stream is not heard from now on; 0: none.
  void UseControlStream(RouterId router, std::uint64_t stream) { control_streams_[router] = stream; }
  std::uint64_t control_stream(RouterId router) const { return control_streams_[router]; }
  // Calls f(job, serial, whether another router asked for it) for each job that the router holds.
  template <class F>
  void ForJobs(RouterId router, F f) const {
    const IdVector<JobId, Held>& held = sites_[router].held;
    for (JobId job(0); job != held.end_id(); job = JobId(job.index() + 1)) {
      if (held[job].live) f(job, held[job].payload.serial, held[job].caller.router.valid());
    }
  }
  void Kill(RouterId router);
  void Revive(RouterId router);
  // For tests: each router goes on with another machine, which was made as the present one was and which
  // `exchange` gives what the present one has become.
  using MachineExchange =
      std::function<void(const router::RouterMachine& present, router::RouterMachine& next)>;
  void Exchange(const MachineExchange& exchange);

  const IdVector<RouterId, RegionId>& places() const { return places_; }
  bool alive(RouterId router) const { return sites_[router].node.has_value(); }
  Life life(RouterId router) const { return sites_[router].life; }
  // That it was given last; null: none.
  const RoutingTable* table(RouterId router) const { return sites_[router].table.get(); }
  // By the router's place in its region: its number at the leaders of its ledgers.
  RouterId LocalOf(RouterId router) const { return local_[router]; }
  const router::RouterNode& node(RouterId router) const { return *sites_[router].node; }
  const router::RouterMachine& machine(RouterId router) const { return sites_[router].node->machine(); }
  // Null: the router is dead, or the tier is not in ledger mode.
  const router::LedgerSession* session(RouterId router, TierId tier) const {
    return sites_[router].node ? sites_[router].node->session(tier) : nullptr;
  }
  // For reports of now.
  router::RouterNode& reporter(RouterId router) { return *sites_[router].node; }
  // Observers hear of it if this is a grant.
  void ShowGrant(RouterId router, const ledger::LedgerAction& said);

  // Reports and acknowledgements go here; set by whoever plays the controller.
  std::function<void(RouterId, const router::SendReport&)> on_report;
  std::function<void(RouterId, const router::TableDecided&)> on_table_decided;
  // What sessions and the registry want carried; the fleet that it was given.
  std::function<void(RouterId, TierId, router::SessionAction&)> on_session;
  std::function<void(RouterId, const router::RegistryAction&)> on_registry;
  std::function<void(RouterId, const router::NodeAction&)> on_node;
  std::function<void(RouterId, const std::shared_ptr<const Fleet>&)> on_fleet;
  // About idempotency keys: a question for another router, and the answer to one.
  std::function<void(RouterId, const router::AskReplica&)> on_ask;
  std::function<void(RouterId, const router::AnswerOnce&)> on_once_answer;
  // What a worker says over the watch stream of this router.
  std::function<void(RouterId, const RouterMessage&)> on_watched;

 private:
  // A job that a router holds, as its shell sees it.
  struct alignas(64) Held {
    bool live = false;
    bool sent = false;  // the payload, with the last attempt
    UserIndex user = 0;
    JobPayload payload;
    Caller caller;                  // invalid router: a user
    router::AttemptId attempt = 0;  // the last
  };
  struct Site {
    router::NodeSettings settings;
    std::optional<router::RouterNode> node;
    Life life = 1;
    IdVector<JobId, Held> held;
    std::vector<JobId> free;
    // Where the job of an asker is; looked up only, never walked.
    absl::flat_hash_map<std::pair<std::uint32_t, router::AttemptId>, JobId> forwarded;
    absl::flat_hash_map<JobSerial, JobId> of_users;  // where users leave; likewise
    WakeCall wake;
    std::shared_ptr<const RoutingTable> table;  // that was offered last
    // On disk: the last good table, and the highest epoch that was seen.
    std::shared_ptr<const RoutingTable> table_kept;
    Release kept_by = Release::kPresent;  // of which release it was then
    std::uint64_t epoch_kept = 0;
    bool writes_lost = false;
    int revived = 0;
    // Attempts whose streams were closed, or broke, before an end was read; looked up only.
    absl::flat_hash_set<router::AttemptId> closed;

    // Of this attempt; null: the job has another one since.
    Held* HeldBy(JobId job, router::AttemptId attempt) {
      return held[job].attempt == attempt ? &held[job] : nullptr;
    }
  };

  static void Keep(Site& site);
  // What a node's step hands out (router::NodeShell).
  struct Shell {
    Routers& routers;
    RouterId router;
    template <class Event>
    void MachineStepped(Time now, const Event& event, const std::vector<router::RouterAction>& actions) {
      KindCounts& kinds = routers.stage_.kinds;
      kinds.router_events.Count(event);
      for (const router::RouterAction& action : actions) kinds.router_actions.Count(action);
      if (routers.stage_.tap != nullptr) [[unlikely]]
        TellStepped(*routers.stage_.tap, router, now, event, actions);
    }
    template <class Event>
    void SessionStepped(TierId tier, const Event& event, const std::vector<router::SessionAction>& actions) {
      KindCounts& kinds = routers.stage_.kinds;
      kinds.session_events.Count(event);
      for (const router::SessionAction& action : actions) {
        kinds.session_actions.Count(action);
        const auto* tell = std::get_if<router::TellMachine>(&action);
        if (tell != nullptr) routers.SeeAnswer(router, tier, tell->news);
      }
    }
    template <class Event>
    void RegistryStepped(const Event& event, const std::vector<router::RegistryAction>& actions) {
      KindCounts& kinds = routers.stage_.kinds;
      kinds.registry_events.Count(event);
      for (const router::RegistryAction& action : actions) kinds.registry_actions.Count(action);
    }
    void Perform(router::RouterAction& action) { routers.Perform(router, action); }
    void Perform(TierId tier, router::SessionAction& action) { routers.on_session(router, tier, action); }
    void Perform(const router::RegistryAction& action) { routers.on_registry(router, action); }
    void Perform(const router::NodeAction& action) { routers.on_node(router, action); }
  };

  void Create(RouterId router);
  router::NodeSettings SettingsOf(RouterId router) const;
  void SeeAnswer(RouterId router, TierId tier, const router::LedgerNews& news);
  // Steps, and all that follows in this moment.
  template <class Event>
  void Tell(RouterId router, const Event& event) {
    Step(router, event);
    Rest(router);
  }
  void Hear(RouterNote& note);
  void HearOfAttempt(const RouterMessage& message);
  router::once::Result ResultOf(RouterId router, JobId job) const;
  void Refuse(const JobNote& note);
  void Relay(RouterId router, const RouterMessage& message);
  // The job that the other router has asked for; invalid: there is none.
  JobId ForwardedBy(RouterId router, const Caller& caller) const;
  void SendPayload(const RouterMessage& accepted);
  void Perform(RouterId router, router::RouterAction& action);
  void Perform(RouterId router, router::OfferToWorker& offer);
  void Perform(RouterId router, router::ForwardToRouter& forward);
  void Perform(RouterId router, router::WithdrawAttempt& withdraw);
  void Perform(RouterId router, router::EndJob& end);
  void AnswerUser(RouterId router, const Held& held, const router::EndJob& end);

  Stage& stage_;
  const Scenario& scenario_;
  const Workers& workers_;
  IdVector<RouterId, RegionId> places_;
  IdVector<RouterId, RouterId> local_;
  IdVector<RouterId, Site> sites_;
  IdVector<RouterId, std::int64_t> paused_until_ns_;
  IdVector<RouterId, std::uint64_t> control_streams_;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FLEET_ROUTERS_H_
