// A job with an idempotency key runs once: the whole protocol, seen from one router.
//
// Before a keyed job is dispatched its claim is recorded by two of the three replicas of its key
// (rendezvous.h), asked one after the other in the order that all routers share. Before its completion is
// delivered, that is recorded by two of the three as well. All of it names one view (membership.h): a replica
// that has promised a later one refuses and tells it. From this follows, for any losses, repetitions, delays,
// partitions and changes of view, as long as no two replicas of a key lose their memory within one repair:
//   * At most one completion of a key is delivered. Two ends would share a replica, and a replica accepts the
//     end of the claim on record only (record_table.h). An end that was found is told when a quorum says that
//     it has accepted it, or after it was recorded as that of a later claim: Paxos' two phases.
//   * At most one request with a key runs at a time. A claim is taken over only when its owner says that it
//     is not running, when its owner has started again since, or when its deadline has passed.
//   * What cannot be known is refused in words: a claim whose owner is silent is not started again before its
//     hold is over, and a completion that cannot be recorded twice is not delivered.
// A request whose key is taken waits for the end and gets the same answer; a key that is done is answered
// from the record. A router without a view starts nothing, and a replica lets nothing pass before it has read
// what was recorded before its view (membership.h).
//
// Bounds: one request for each keyed job; callers_max waiting for one; tries_max rounds for one. Complexity:
// O(routers of the view + log records) for each call. Pure; one owner thread.
#ifndef RINGWAY_ROUTER_ONCE_ONCE_MACHINE_H_
#define RINGWAY_ROUTER_ONCE_ONCE_MACHINE_H_

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/job.h"
#include "core/state.h"
#include "router/dispatch/worker_view.h"
#include "router/once/keyed_request.h"
#include "router/once/membership.h"
#include "router/once/record_replica.h"
#include "router/once/request_table.h"

namespace ringway::router::once {

struct Settings {
  std::string router;      // own name; empty: keys are not looked at
  std::uint64_t life = 1;  // rises when the router starts again
  bool alone = true;       // nobody will say which other routers there are
  TableBounds bounds = {};
  Duration hold_margin = Seconds(2);  // of a claim, beyond its job's deadline
  std::size_t callers_max = 64;       // waiting for one claim
  int tries_max = 16;
};

// ---- what the machine wants done ----
struct SendRequest {
  RouterId to;
  Request request;
};
struct AnswerCall {
  CallId call = 0;
  Reply reply;
};
// The job may run.
struct Granted {
  JobId job;
};
// Another request runs the job; this one waits for its end.
struct Attached {
  JobId job;
};
// The job has been done before.
struct Answered {
  JobId job;
  Result result;
};
struct Refused {
  JobId job;
  Outcome outcome = Outcome::kFailed;
  std::string message;
  Duration retry_after = ZeroDuration();
};
// The completion is on record: it may be delivered.
struct Settled {
  JobId job;
};
// It must not be delivered.
struct Unsettled {
  JobId job;
  std::string message;
};
using OnceAction =
    std::variant<SendRequest, AnswerCall, Granted, Attached, Answered, Refused, Settled, Unsettled>;

struct Counts {
  std::uint64_t granted = 0;
  std::uint64_t attached = 0;
  std::uint64_t answered = 0;  // from the record, or by the one that ran it
  std::uint64_t refused = 0;
  std::uint64_t unsettled = 0;
  std::uint64_t taken_over = 0;
  RINGWAY_STATE(granted, attached, answered, refused, unsettled, taken_over)
};

class OnceMachine {
 public:
  explicit OnceMachine(const Settings& settings);
  bool on() const { return !settings_.router.empty(); }

  // ---- the other routers (once_machine.cc) ----
  // Can be called; who keeps keys is the view's to say.
  void List(Time now, RouterId router, const std::string& name);
  void Unlist(RouterId router) { members_.Unlist(router); }
  // As a controller gave it. An older one changes nothing.
  void UseView(Time now, const ViewPtr& view);
  void SeeEpoch(std::uint64_t epoch) { members_.SeeEpoch(epoch); }
  ViewId view() const { return members_.id(); }

  // ---- keyed jobs (once_claim.cc, once_settle.cc) ----
  void Begin(Time now, JobId job, const std::string& key, std::uint64_t fingerprint, Time deadline);
  // The job that was granted is done.
  void Settle(Time now, JobId job, const Result& result);
  // The job has ended otherwise, or the client has gone. `attempt`: was withdrawn and may still run; 0: none.
  void Drop(Time now, JobId job, dispatch::AttemptId attempt);
  void AttemptOver(Time now, dispatch::AttemptId attempt);

  // ---- the wire ----
  // Each call is answered by one AnswerCall, sooner or later.
  void Asked(Time now, CallId call, const Request& request);
  // `reply` is null when none came: the ask may have been performed or not.
  void Replied(Time now, RouterId from, const Request& request, const Reply* reply);

  void Wake(Time now);
  Time NextWake() const;
  // What is to be done; the caller empties it.
  std::vector<OnceAction>& actions() { return actions_; }

  const Counts& counts() const { return counts_; }
  std::size_t records() const { return replica_.records(); }
  std::size_t requests() const { return requests_.size(); }
  // As a replica, for whatever key.
  bool ready() const { return members_.complete(); }

  // A claim that its replica still has is in everybody's way, so giving it up is said again a few times.
  static constexpr int kReleaseTriesMax = 6;
  static constexpr std::size_t kReleasesMax = 4096;
  static constexpr Duration kReleasePause = Milliseconds(200);
  // Before a claim, or an end, that found too few replicas goes round again; grows with its tries.
  static constexpr Duration kClaimPause = Milliseconds(20);
  static constexpr Duration kEndPauseMax = Milliseconds(200);

  RINGWAY_STATE(members_, replica_, requests_, last_serial_, pauses_, releases_, waiting_, local_, counts_)

 private:
  template <class Action>
  void Act(Action action) {
    actions_.emplace_back(std::in_place_type<Action>, std::move(action));
  }

  void Send(const Replica& replica, Request request);
  void RunLocal(Time now);
  void OnReply(Time now, Replica replica, const Request& request, const Reply* reply);
  // What a reply says of views.
  void HearOfViews(Time now, RouterId from, const Request& request, const Reply& reply);
  // After members_ may have changed: pulls that are due, and requests that waited for a view.
  void FollowView(Time now);
  void RunPauses(Time now);

  // Claims.
  void Lead(Time now, KeyedRequest& keyed);
  void StartClaim(Time now, KeyedRequest& keyed, std::uint32_t round);
  void AskNext(Time now, KeyedRequest& keyed);
  void AskToClaim(Time now, KeyedRequest& keyed, const Replica& replica);
  void Pause(Time now, KeyedRequest& keyed);
  void OnClaimReply(Time now, KeyedRequest& keyed, const Replica& replica, const ClaimRequest& request,
                    const Reply* reply);
  void OnTaken(Time now, KeyedRequest& keyed, const Replica& replica, const Reply& reply);
  void OnQuorumMissed(Time now, KeyedRequest& keyed);
  void OnOwnerSilent(Time now, KeyedRequest& keyed);
  void Attach(Time now, KeyedRequest& keyed, const Record& record);
  void TakeOver(Time now, KeyedRequest& keyed, const ClaimId& from);
  // Begins anew with a later round than `round`.
  void Outbid(Time now, KeyedRequest& keyed, std::uint32_t round);
  void OnAttachReply(Time now, KeyedRequest& keyed, const AttachRequest& request, const Reply* reply);
  void GiveUpClaim(KeyedRequest& keyed);
  // As that, for another claim of the same request.
  void Forgo(KeyedRequest& keyed);
  void Refuse(Time now, KeyedRequest& keyed, Outcome outcome, std::string message, Duration retry_after);

  // Ends.
  // Notes the ends that a replica tells. True: the request is over, answered from what stands at a quorum, or
  // refused.
  bool SeeEnds(Time now, KeyedRequest& keyed, const Replica& replica, const Reply& reply);
  // The end that was seen becomes that of the request's claim.
  void Confirm(Time now, KeyedRequest& keyed);
  void RecordEnd(KeyedRequest& keyed);
  void OnEndReply(Time now, KeyedRequest& keyed, const Reply* reply);
  void OnEndMissed(Time now, KeyedRequest& keyed);
  void AnswerFrom(Time now, KeyedRequest& keyed, const Record& record);
  // The request is over. `end`: what came of the key; null: nothing.
  void Close(Time now, KeyedRequest& keyed, const Record* end);

  struct Local {
    Replica replica;
    Request request;
    RINGWAY_STATE(replica, request)
  };

  Settings settings_;
  Membership members_;
  RecordReplica replica_;
  RequestTable requests_;
  std::uint64_t last_serial_ = 0;
  std::multimap<Time, std::uint64_t> pauses_;  // tickets
  std::multimap<Time, Local> releases_;        // to be said again
  bool waiting_ = false;                       // some request, for a view
  std::deque<Local> local_;                    // requests to this router itself
  std::vector<OnceAction> actions_;
  Counts counts_;
};

}  // namespace ringway::router::once

#endif  // RINGWAY_ROUTER_ONCE_ONCE_MACHINE_H_
