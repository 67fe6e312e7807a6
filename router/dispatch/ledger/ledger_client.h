// A router's side of the slot ledger: which slots it has requested from the leader, and which leases it
// holds.
//
// The leader sits in another process (or in this one; nothing here can tell). The client turns "this job
// wants a slot" into messages, recognises which answers still matter, renews in rounds the leases that have
// outlived one, and gives every lease back exactly once. When the ledger moves to another leader, everything
// is requested again under a new generation and the leases held are presented; answers of a deposed leader
// are void from then on. When the leader falls silent, or there is none, each waiting job is handed back to
// be probed for instead, and a grant that comes too late is given back unused.
//
// Invariants: a job has at most one request open and holds at most one lease; each Begin ends in exactly one
// of SlotGranted, SlotRefused, SlotElsewhere, LineLeft (after Leave) or NoLeader, unless the job is
// abandoned. Complexity: O(1) a call; Follow, Reconnect and each round of renewals O(jobs open). Memory
// follows the highest JobId. Pure; one owner thread.
#ifndef RINGWAY_ROUTER_DISPATCH_LEDGER_LEDGER_CLIENT_H_
#define RINGWAY_ROUTER_DISPATCH_LEDGER_LEDGER_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "core/cache_line.h"
#include "core/ids.h"
#include "core/job.h"
#include "core/lease.h"
#include "core/state.h"
#include "core/tier.h"
#include "core/time.h"
#include "router/dispatch/ledger/messages.h"
#include "router/dispatch/slot_request.h"

namespace ringway::ledger {

using dispatch::LineLeft;
using dispatch::NoSlot;
using dispatch::SlotGranted;
using dispatch::SlotRefused;
using dispatch::SlotRequest;

// Who holds the ledger, as the directory says. An invalid router: nobody.
struct CurrentLeader {
  RouterId router;
  Fence fence;
};

struct ClientSettings {
  // Between two rounds of renewals. A lease is renewed when one to two periods old, and then every two: with
  // a third of the leader's lease_span one renewal in a row may be lost, and most leases need none.
  Duration renew_period = Seconds(4.5);
  Duration silence_max = Milliseconds(500);  // of the leader, before jobs are probed for
  RINGWAY_STATE(renew_period, silence_max)
};

// ---- actions ----
struct TellLeader {
  RouterId leader;
  LedgerEvent event;
};
// There is no leader to ask: find a slot by probing.
struct NoLeader {
  JobId job;
};
// The job's lease is void: it must not start, and stops if it runs. The lease is not held any more.
struct SlotLost {
  JobId job;
  WorkerId worker;
  Lease lease;
};
// RoundDue is the prober's alone: the answers of both sources go through one line.
using ClientAction = std::variant<TellLeader, SlotGranted, SlotRefused, LineLeft, NoLeader, SlotLost,
                                  dispatch::RoundDue, dispatch::SlotElsewhere>;

class LedgerClient {
 public:
  // `started` should rise from one life of the router to the next: generations count up from it. Where the
  // clock was set back, the leader's refusals lift them.
  LedgerClient(RouterId self, Time started, const ClientSettings& settings)
      : self_(self),
        started_generation_(static_cast<std::uint64_t>(ToUnixMicros(started))),
        first_generation_(started_generation_),
        settings_(settings),
        silence_(settings.silence_max + Nanoseconds(1)) {}

  // ---- from the directory and the connection ----
  void Follow(Time now, const CurrentLeader& leader, std::vector<ClientAction>& actions);
  // Any sign of life of the present leader.
  void Heard(Time now) { silent_at_ = now + silence_; }
  // The way to the same leader was broken and is whole again: what was under way may be lost, so say it all
  // once more.
  void Reconnect(Time now, std::vector<ClientAction>& actions);
  bool Reachable(Time now) const { return leader_.router.valid() && now < silent_at_; }

  // ---- from the router's jobs ----
  // The job must have no request open and hold no lease.
  void Begin(Time now, JobId job, const SlotRequest& request, std::vector<ClientAction>& actions);
  // Answered by LineLeft, even if a grant is on its way. The job must have a request open.
  void Leave(Time now, JobId job, std::vector<ClientAction>& actions);
  // As Leave, for a job that ends: no answer is awaited, and the JobId may be used again at once. Does
  // nothing if the job has no request open.
  void Abandon(JobId job, std::vector<ClientAction>& actions);
  // The job's use of its lease is over; does nothing if it holds none.
  void End(JobId job, Outcome outcome, Duration retry_after, std::vector<ClientAction>& actions,
           Contact contact = Contact::kAnswered);
  // Its request is open and unanswered.
  bool Waits(JobId job) const { return entries_.contains(job) && entries_[job].state == State::kRequested; }
  // Of the last Begin.
  const SlotRequest& request(JobId job) const { return requests_[job]; }
  bool HoldsLease(JobId job) const { return entries_.contains(job) && entries_[job].state == State::kHeld; }

  // ---- from the leader; all but LeaseLost must come from the router in `from` ----
  void On(Time now, const Grant& grant, std::vector<ClientAction>& actions);
  void On(Time now, const Refuse& refuse, std::vector<ClientAction>& actions);
  void On(Time now, const Withdrawn& withdrawn, std::vector<ClientAction>& actions);
  void On(Time now, const LeaseLost& lost, std::vector<ClientAction>& actions);
  void On(Time now, const Redirect& redirect, std::vector<ClientAction>& actions);

  void Wake(Time now, std::vector<ClientAction>& actions);
  Time NextWake() const { return waiting_ > 0 && silent_at_ < renew_at_ ? silent_at_ : renew_at_; }
  std::size_t open() const { return live_.size(); }
  // Of these, whose request has no answer yet.
  std::size_t waiting() const { return waiting_; }

  // Leases given back and requests given up that are said again after a break. What is lost beyond them comes
  // back when the lease has lapsed, and of a worker that announces nothing after its service bound.
  static constexpr std::size_t kRepeatedMax = 512;

  RINGWAY_STATE(first_generation_, settings_, leader_, silence_, silent_at_, renew_at_, round_, entries_,
                requests_, live_, waiting_, ended_, oldest_ended_)

 private:
  // The last that the leader has to hear of a request. It ignores what it has heard before.
  using LastWord = std::variant<Release, Withdraw>;
  enum class State : std::uint8_t { kNone, kRequested, kLeaving, kHeld };
  // One cache line.
  struct alignas(kCacheLine) Entry {
    Lease lease;  // held, or held last
    WorkerId worker;
    std::uint64_t generation = 0;
    std::uint32_t live_at = 0;  // place in live_, unless kNone
    std::uint32_t round = 0;    // of renewals, when the lease was granted or last renewed
    State state = State::kNone;
    Outcome ended = Outcome::kCancelled;  // how the use of `lease` ended
    RINGWAY_STATE(lease, worker, generation, live_at, round, state, ended)
  };

  RequestKey KeyOf(JobId job) const { return {self_, job.value(), entries_[job].generation}; }
  // The entry that an answer is about, or null if the answer has been overtaken.
  Entry* Answered(const RequestKey& key, State state);
  template <class Event>
  void Tell(const Event& event, std::vector<ClientAction>& actions) const {
    if (!leader_.router.valid()) return;
    auto& tell = std::get<TellLeader>(actions.emplace_back(std::in_place_type<TellLeader>));
    tell.leader = leader_.router;
    tell.event = event;
  }
  // A grant that no open request waits for.
  void Unwanted(const Grant& grant, std::vector<ClientAction>& actions);
  void Lift(Entry& entry);
  void SendRequest(JobId job, const SlotRequest& request, std::vector<ClientAction>& actions) const;
  void Open(JobId job, State state);
  void Close(JobId job);
  // Hands every waiting job back because nobody answers.
  void GiveUp(std::vector<ClientAction>& actions);
  void RenewOld(Time now, std::vector<ClientAction>& actions);
  // Says it, now or when there is somebody to hear it, and again after a break.
  void TellLast(const LastWord& word, std::vector<ClientAction>& actions);
  void RepeatLast(std::vector<ClientAction>& actions) const;

  RouterId self_;
  std::uint64_t started_generation_;
  std::uint64_t
      first_generation_;  // of a slot that has not requested yet: above all that were refused as stale
  ClientSettings settings_;
  CurrentLeader leader_;
  Duration silence_;                 // of the leader, after which it counts as gone
  Time silent_at_ = InfinitePast();  // when that will be if nothing more is heard
  Time renew_at_ = InfiniteFuture();
  std::uint32_t round_ = 0;  // of renewals
  IdVector<JobId, Entry> entries_;
  IdVector<JobId, SlotRequest> requests_;  // apart, because an end does not need them
  std::vector<JobId> live_;
  std::size_t waiting_ = 0;       // of live_, kRequested or kLeaving
  std::vector<LastWord> ended_;   // the newest; a ring once it is full
  std::size_t oldest_ended_ = 0;  // in it, then
};

}  // namespace ringway::ledger

#endif  // RINGWAY_ROUTER_DISPATCH_LEDGER_LEDGER_CLIENT_H_
