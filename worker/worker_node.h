// A worker as a whole: the slot, the attempt in it, results on their way out, and who is told what and when.
//
// The daemon and the simulator run this same class; a shell turns streams into events and actions into
// messages, and keeps the bytes. Decided here, beside what the slot decides (slot.h):
//   * An attempt begins with an offer, and after that only its payload may follow, as long as was stated and
//     no longer than is allowed. What we find wrong ourselves counts more than what the backend says.
//   * Everybody who offered hears one end, or has his stream broken off: when he cancels it, when his result
//     is not fetched in time, or when unfetched results take too much memory, the oldest first.
//   * All watchers are told each change of the state, once a step, and again when they have heard nothing for
//     `heartbeat`; who begins to watch is told at once, as is who drains or fences. What is told is numbered
//     anew, which makes it an announcement to leaders of ledgers, unless all there is to say is that a job
//     has begun that a ledger granted: its leader knows, and the next heartbeat vouches for it.
//   * Stopping drains for good; the worker is quiet, once, when nothing runs and nothing is on its way out.
//
// Invariants: at most one attempt is in the slot and at most one at the backend; each has one end. Whoever
// shells it calls nothing from within an action. Complexity: O(1) a step; O(results on their way) for a
// result. Memory: one entry for each ended attempt whose stream has not closed; the shell bounds the streams.
// Pure: time comes in. One owner thread.
#ifndef RINGWAY_WORKER_WORKER_NODE_H_
#define RINGWAY_WORKER_WORKER_NODE_H_

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/check.h"
#include "core/job.h"
#include "core/state.h"
#include "core/time.h"
#include "worker/slot.h"

namespace ringway {

struct WorkerSettings {
  SlotSettings slot;
  std::uint64_t payload_bytes_max = std::uint64_t{64} << 20;
  std::uint64_t result_bytes_max = std::uint64_t{256} << 20;
  std::uint64_t unsent_bytes_max = std::uint64_t{512} << 20;  // of all results
  Duration delivery_max = Seconds(30);                        // of a result, after its job has ended
  Duration heartbeat = Milliseconds(500);                     // watchers hear something at least so often
};

// Numbered by the shell.
using WatchId = std::uint64_t;

// ---- events; of the slot's: SlotDrain, SlotFenced ----
struct AttemptOffered {
  SlotOffer offer;
  std::uint64_t payload_bytes = 0;  // 0: not stated
};
// A message that is neither a piece of a payload nor an offer to this worker.
struct MessageMalformed {
  AttemptId attempt = 0;
};
struct PayloadArrived {
  AttemptId attempt = 0;
  std::uint64_t bytes = 0;
};
struct UploadEnded {
  AttemptId attempt = 0;
};
// Who offered has left, or the connection broke.
struct AttemptCancelled {
  AttemptId attempt = 0;
};
// Who offered wants it no more, and waits to hear how it ended.
struct AttemptWithdrawn {
  AttemptId attempt = 0;
};
// Its stream is gone: all that was said has been fetched, or is lost.
struct StreamClosed {
  AttemptId attempt = 0;
};
// The backend, about the job that was started last.
struct WorkProgressed {
  std::uint32_t step = 0;
  std::uint32_t steps = 0;
};
struct ResultMade {
  std::uint64_t bytes = 0;
};
struct WorkEnded {
  Outcome outcome = Outcome::kDone;
};
// So much of the attempt's result waits to be fetched.
struct ResultWaits {
  AttemptId attempt = 0;
  std::uint64_t bytes = 0;
};
struct WatchOpened {
  WatchId watch = 0;
};
struct WatchClosed {};
struct StopOrdered {};
struct WorkerWake {};
using WorkerEvent =
    std::variant<AttemptOffered, MessageMalformed, PayloadArrived, UploadEnded, AttemptCancelled,
                 StreamClosed, WorkProgressed, ResultMade, WorkEnded, ResultWaits, WatchOpened, WatchClosed,
                 SlotDrain, SlotFenced, StopOrdered, WorkerWake, AttemptWithdrawn>;

// ---- actions ----
// Say so, and read on.
struct AcceptAttempt {
  AttemptId attempt = 0;
};
// Keep the piece of the payload that has arrived, and read on.
struct KeepPayload {
  AttemptId attempt = 0;
};
enum class EndReason : std::uint8_t {
  kWork,  // as the backend said, or as the outcome says
  kRefused,
  kMalformed,
  kNoHeader,
  kNoJob,
  kNotPayload,
  kPayloadTooLarge,
  kPayloadLength,
  kResultTooLarge,
};
// The last word on it. It may have nobody to hear it any more.
struct EndAttempt {
  AttemptId attempt = 0;
  Outcome outcome = Outcome::kDone;
  EndReason reason = EndReason::kWork;
  Refusal refusal = Refusal::kBusy;  // of one that was refused
  Duration retry_after = {};         // zero: no reason to wait
  std::uint64_t payload_stated = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t result_bytes = 0;
  bool started = false;
  Duration service = {};
};
enum class BreakReason : std::uint8_t { kCancelled, kNotFetched, kTooMuchUnsent };
struct BreakStream {
  AttemptId attempt = 0;
  BreakReason reason = BreakReason::kCancelled;
};
struct StartWork {
  AttemptId attempt = 0;
};
struct CancelWork {};
struct RelayProgress {
  AttemptId attempt = 0;
  WorkProgressed progress;
};
// What was made last; ResultWaits follows.
struct RelayResult {
  AttemptId attempt = 0;
};
// The state, as it is now, numbered so. Shown even if nobody watches.
struct TellWatchers {
  std::uint64_t sequence = 0;
  bool announces = true;  // the number is a new one
};
struct TellWatcher {
  WatchId watch = 0;
  std::uint64_t sequence = 0;
};
// Whoever drained or fenced.
struct TellCaller {
  std::uint64_t sequence = 0;
};
struct ServingChanged {
  bool serving = true;
};
struct WentQuiet {};
using WorkerAction =
    std::variant<AcceptAttempt, KeepPayload, EndAttempt, BreakStream, StartWork, CancelWork, RelayProgress,
                 RelayResult, TellWatchers, TellWatcher, TellCaller, ServingChanged, WentQuiet>;

struct WorkerTotals {
  std::uint64_t done = 0;
  std::uint64_t rejected = 0;  // refused offers
};

// Who performs what a node wants, each action at once and in order. `slot_actions` is a buffer that it lends;
// SlotStepped is called after each step of the slot, with what came of it.
template <class Shell>
concept WorkerShell = requires(Shell& shell, std::vector<SlotAction>& actions) {
  shell.Perform(AcceptAttempt{});
  shell.Perform(EndAttempt{});
  shell.Perform(TellWatchers{});
  shell.SlotStepped(SlotWake{}, actions);
  { shell.slot_actions } -> std::convertible_to<std::vector<SlotAction>&>;
};

class WorkerNode {
 public:
  explicit WorkerNode(const WorkerSettings& settings) : slot_(settings.slot), settings_(settings) {}

  // `now` does not run backwards. Any event of a WorkerEvent.
  template <class Event, WorkerShell Shell>
  void Step(Time now, const Event& event, Shell& shell) {
    Turn<Shell> turn{now, shell};
    On(turn, event);
    if (turn.changed) Tell(turn);
    if constexpr (std::is_same_v<Event, SlotDrain> || std::is_same_v<Event, SlotFenced>) {
      shell.Perform(TellCaller{slot_.NextSequence()});
    }
    if (stopping_ && !quiet_ && attempt_.id == 0 && leaving_.empty()) {
      quiet_ = true;
      shell.Perform(WentQuiet{});
    }
  }
  // When a WorkerWake must come, even if nothing happens; for the watchers' sake, at the other. Apart, so
  // that a shell of many workers may let them speak together.
  Time NextWake() const { return leaving_.empty() ? slot_.NextWake() : std::min(slot_.NextWake(), LateAt()); }
  Time NextHeartbeat() const { return heartbeat_at_; }

  const Slot& slot() const { return slot_; }
  const WorkerTotals& totals() const { return totals_; }
  // In the slot; 0: none.
  AttemptId attempt() const { return attempt_.id; }

  RINGWAY_STATE(attempt_, slot_, heartbeat_at_, watchers_, serving_, stopping_, quiet_, totals_, leaving_)

 private:
  // What is on its way out of an attempt.
  struct Delivery {
    AttemptId id = 0;               // 0: none
    Time ended = InfiniteFuture();  // the attempt
    std::uint64_t unsent_bytes = 0;
    bool broken = false;  // its stream: nothing passes any more, and it closes soon
    RINGWAY_STATE(id, ended, unsent_bytes, broken)
  };
  struct Attempt : Delivery {
    bool open = true;  // its stream
    bool began = false;
    EndReason verdict = EndReason::kWork;  // ours
    Time started = InfinitePast();
    std::uint64_t payload_stated = 0;
    std::uint64_t payload_bytes = 0;
    std::uint64_t result_bytes = 0;
    bool heard() const { return id != 0 && open && !broken; }
    RINGWAY_STATE(id, ended, unsent_bytes, broken, open, began, verdict, started, payload_stated,
                  payload_bytes, result_bytes)
  };
  template <class Shell>
  struct Turn {
    Time now;
    Shell& shell;
    bool changed = false;  // what watchers see
    bool granted = false;  // it is that a granted job has begun
  };

  // Null: it was never admitted, or is forgotten.
  Delivery* Find(AttemptId id) {
    if (id == attempt_.id) return &attempt_;
    for (Delivery& delivery : leaving_) {
      if (delivery.id == id) return &delivery;
    }
    return nullptr;
  }
  // Of the results on their way out.
  Time LateAt() const;
  // Takes the attempt out of the slot, which has ended it so.
  EndAttempt Leave(Time now, Outcome outcome);

  // ---- the slot ----
  void StepSlot(auto& turn, const auto& event) {
    std::vector<SlotAction>& actions = turn.shell.slot_actions;
    actions.clear();
    slot_.Step(turn.now, event, actions);
    turn.shell.SlotStepped(event, std::as_const(actions));
    for (const SlotAction& action : actions) {
      std::visit([&](const auto& a) { Do(turn, a); }, action);
    }
  }
  void Do(auto& turn, const AdmitAttempt& admit) {
    attempt_ = {};
    attempt_.id = admit.attempt;
    turn.shell.Perform(AcceptAttempt{admit.attempt});
  }
  void Do(auto& turn, const RefuseAttempt& refuse) {
    ++totals_.rejected;
    turn.shell.Perform(
        EndAttempt{.attempt = refuse.attempt,
                   .outcome = refuse.reason == Refusal::kExpired ? Outcome::kTimeout : Outcome::kBusy,
                   .reason = EndReason::kRefused,
                   .refusal = refuse.reason,
                   .retry_after = refuse.retry_after});
  }
  void Do(auto& turn, const StartJob& start) {
    attempt_.began = true;
    attempt_.started = turn.now;
    turn.shell.Perform(StartWork{start.attempt});
  }
  void Do(auto& turn, const StopJob&) { turn.shell.Perform(CancelWork{}); }
  void Do(auto& turn, const AttemptEnded& ended) { turn.shell.Perform(Leave(turn.now, ended.outcome)); }
  void Do(auto& turn, const StateChanged&) { turn.changed = true; }

  // ---- attempts ----
  void On(auto& turn, const AttemptOffered& event) {
    if (Find(event.offer.attempt) != nullptr) return On(turn, MessageMalformed{event.offer.attempt});
    StepSlot(turn, event.offer);
    if (attempt_.id != event.offer.attempt) return;
    attempt_.payload_stated = event.payload_bytes;
    turn.granted = event.offer.grant != Lease{};
  }
  void On(auto& turn, const MessageMalformed& event) {
    if (event.attempt != attempt_.id) return Late(turn, event.attempt, EndReason::kMalformed);
    GiveUp(turn, EndReason::kNotPayload);
  }
  void On(auto& turn, const PayloadArrived& event) {
    if (event.attempt != attempt_.id) return Late(turn, event.attempt, EndReason::kNoHeader);
    attempt_.payload_bytes += event.bytes;
    if (attempt_.payload_bytes > settings_.payload_bytes_max) {
      return GiveUp(turn, EndReason::kPayloadTooLarge);
    }
    turn.shell.Perform(KeepPayload{event.attempt});
  }
  void On(auto& turn, const UploadEnded& event) {
    if (event.attempt != attempt_.id) return Late(turn, event.attempt, EndReason::kNoJob);
    if (attempt_.payload_stated != 0 && attempt_.payload_stated != attempt_.payload_bytes) {
      return GiveUp(turn, EndReason::kPayloadLength);
    }
    StepSlot(turn, SlotPayloadComplete{event.attempt});
  }
  void On(auto& turn, const AttemptCancelled& event) {
    Delivery unknown{.id = event.attempt};
    Delivery* const known = Find(event.attempt);
    Break(turn, known == nullptr ? unknown : *known, BreakReason::kCancelled);
    if (event.attempt == attempt_.id) StepSlot(turn, SlotWithdraw{event.attempt});
  }
  void On(auto& turn, const AttemptWithdrawn& event) {
    if (event.attempt == attempt_.id) StepSlot(turn, SlotWithdraw{event.attempt});
  }
  void On(auto& turn, const StreamClosed& event) {
    if (event.attempt == attempt_.id) {
      attempt_.open = false;
      return StepSlot(turn, SlotWithdraw{event.attempt});
    }
    if (Delivery* const gone = Find(event.attempt)) leaving_.erase(gone);
  }
  // Said on a stream whose attempt is not in the slot: it has ended, or nothing was ever offered.
  void Late(auto& turn, AttemptId id, EndReason reason) {
    if (Find(id) != nullptr) return;
    turn.shell.Perform(EndAttempt{.attempt = id, .outcome = Outcome::kRejected, .reason = reason});
  }
  // Ends the attempt in the slot with our own verdict.
  void GiveUp(auto& turn, EndReason verdict) {
    attempt_.verdict = verdict;
    StepSlot(turn, SlotWithdraw{attempt_.id});
  }

  // ---- the backend ----
  void On(auto& turn, const WorkProgressed& event) {
    StepSlot(turn, SlotProgress{attempt_.id, event.step, event.steps});
    if (attempt_.heard()) turn.shell.Perform(RelayProgress{attempt_.id, event});
  }
  void On(auto& turn, const ResultMade& event) {
    attempt_.result_bytes += event.bytes;
    if (attempt_.result_bytes > settings_.result_bytes_max) {
      GiveUp(turn, EndReason::kResultTooLarge);
    } else if (attempt_.heard()) {
      turn.shell.Perform(RelayResult{attempt_.id});
    }
  }
  void On(auto& turn, const WorkEnded& event) { StepSlot(turn, SlotFinished{attempt_.id, event.outcome}); }

  // ---- results on their way out ----
  void On(auto& turn, const ResultWaits& event) {
    Delivery* const waits = Find(event.attempt);
    if (waits == nullptr || waits->broken) return;
    waits->unsent_bytes = event.bytes;
    std::uint64_t unsent = attempt_.unsent_bytes;
    for (const Delivery& delivery : leaving_) unsent += delivery.unsent_bytes;
    const auto bound = [&](Delivery& delivery) {
      if (unsent <= settings_.unsent_bytes_max) return;
      unsent -= delivery.unsent_bytes;
      if (delivery.unsent_bytes > 0) Break(turn, delivery, BreakReason::kTooMuchUnsent);
    };
    for (Delivery& delivery : leaving_) bound(delivery);
    bound(attempt_);
  }
  void Break(auto& turn, Delivery& delivery, BreakReason reason) {
    delivery.broken = true;
    delivery.unsent_bytes = 0;
    turn.shell.Perform(BreakStream{delivery.id, reason});
  }

  // ---- watchers, orders, time ----
  void Tell(auto& turn) {
    const std::uint64_t sequence = turn.granted ? slot_.sequence() : slot_.NextSequence();
    turn.shell.Perform(TellWatchers{sequence, !turn.granted});
    if (watchers_ > 0) heartbeat_at_ = turn.now + settings_.heartbeat;
    const bool serving = !slot_.draining() && !slot_.resting(turn.now);
    if (serving != std::exchange(serving_, serving)) turn.shell.Perform(ServingChanged{serving});
  }
  void On(auto& turn, const WatchOpened& event) {
    if (watchers_++ == 0) heartbeat_at_ = turn.now + settings_.heartbeat;
    turn.shell.Perform(TellWatcher{event.watch, slot_.NextSequence()});
  }
  void On(auto&, const WatchClosed&) {
    RINGWAY_CHECK(watchers_ > 0);
    if (--watchers_ == 0) heartbeat_at_ = InfiniteFuture();
  }
  // A worker that was told to end stays in its drain.
  void On(auto& turn, const SlotDrain& event) {
    if (!stopping_) StepSlot(turn, event);
  }
  void On(auto& turn, const SlotFenced& event) { StepSlot(turn, event); }
  void On(auto& turn, const StopOrdered&) {
    stopping_ = true;
    StepSlot(turn, SlotDrain{});
  }
  void On(auto& turn, const WorkerWake&) {
    if (slot_.NextWake() <= turn.now) StepSlot(turn, SlotWake{});
    for (Delivery& delivery : leaving_) {
      const bool late = turn.now >= delivery.ended + settings_.delivery_max;
      if (late && !delivery.broken) Break(turn, delivery, BreakReason::kNotFetched);
    }
    turn.changed = turn.changed || heartbeat_at_ <= turn.now;
  }

  // In the order of use: what every job touches comes first.
  Attempt attempt_;  // in the slot
  Slot slot_;
  Time heartbeat_at_ = InfiniteFuture();
  std::uint32_t watchers_ = 0;
  bool serving_ = true;  // as was said last
  bool stopping_ = false;
  bool quiet_ = false;
  WorkerTotals totals_;
  absl::InlinedVector<Delivery, 1> leaving_;  // ended, and the stream still open; the oldest first
  WorkerSettings settings_;
};

}  // namespace ringway

#endif  // RINGWAY_WORKER_WORKER_NODE_H_
