// What everybody in a simulation shares: the clock, the event queue, the network, messages on their way, and
// the observers.
//
// The populations (crowd, routers, workers, controllers) never call each other. They post to the stage, and
// the simulation hands each event to the population it is for. So whatever passes between two of them takes
// virtual time and can be lost, as in life.
//
// Messages are kept in pools and referred to by the event's detail. `life` tells an agent from its
// predecessor of the same number: a message for a router that was killed and restarted finds another life and
// is dropped.
//
// Threads: one owner. Memory: pools grow to the largest number of messages ever on their way.
#ifndef RINGWAY_SIM_STAGE_H_
#define RINGWAY_SIM_STAGE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/ids.h"
#include "core/lease.h"
#include "core/time.h"
#include "router/dispatch/ledger/messages.h"
#include "router/router_event.h"
#include "sim/kernel/event_queue.h"
#include "sim/kind_counts.h"
#include "sim/network.h"
#include "sim/scenario.h"

namespace ringway::sim {

class Observer;
class Tap;
class Wire;

// That a process is of. Nothing but a wire makes a difference of it.
enum class Release : std::uint8_t { kPresent, kFormer };
struct Releases {
  Release controller = Release::kPresent;
  IdVector<RouterId, Release> routers;
  IdVector<WorkerId, Release> workers;
};

// Whom an event is for, and what it is.
enum class Happening : std::uint8_t {
  kUserArrives,        // subject: demand stream; detail: its generation
  kUserRetries,        // subject: user
  kUserGivesUp,        // subject: user; detail: the job's serial, its low bits
  kUserLeaves,         // subject: user; detail: the job's serial, its low bits
  kAnswerReaches,      // subject: user; detail: AnswerNote
  kJobReaches,         // detail: JobNote
  kMessageReaches,     // detail: RouterMessage
  kRouterHears,        // detail: RouterNote
  kRouterWakes,        // subject: router; detail: life
  kOfferReaches,       // subject: worker; detail: OfferNote
  kUploadReaches,      // subject: worker; detail: OfferNote
  kWithdrawReaches,    // subject: worker; detail: OfferNote
  kCancelReaches,      // subject: worker; detail: OfferNote, whose stream was closed
  kServiceEnds,        // subject: worker; detail: run
  kWorkerWakes,        // subject: worker
  kFenceReaches,       // subject: worker; detail: FenceNote
  kWatchOpens,         // subject: worker; detail: its pool
  kWatchEnds,          // subject: router; detail: its pool
  kWatchReopens,       // subject: router; detail: its pool
  kWatchFalls,         // subject: worker; detail: the watch, whose end was noticed late
  kLeaderHears,        // subject: endpoint of a router; detail: ToLeader
  kClientHears,        // subject: endpoint of a router; detail: ToClient
  kLinkRetried,        // subject: endpoint; detail: the broken link
  kRegionLinkReaches,  // subject: endpoint; detail: its pool
  kRegionLinkRetried,  // subject: endpoint; detail: its pool
  kAnnouncedReach,     // subject: endpoint; detail: its pool
  kAnnounceRound,
  kAskReaches,        // subject: router; detail: its call
  kReplyReaches,      // subject: router; detail: its call
  kCallEnds,          // subject: router; detail: its call
  kDirectoryReaches,  // subject: router; detail: its pool
  kReportReaches,     // subject: life of the controller; detail: its pool
  kStreamRetried,     // subject: router; detail: its stream
  kStreamSilent,      // subject: router; detail: its stream, which keepalive may give up
  kStreamGreets,      // subject: router; detail: its stream
  kStreamEnded,       // subject: router; detail: its stream, which the controller has ended
  kControllerWakes,   // subject: life
  kControllerEnds,    // subject: life, which was told to end and has done so
  kRouterOrdered,     // subject: router; detail: its pool
  kDrainReaches,      // subject: worker; detail: 1: to drain, 0: to serve again
  kOrdersRecorded,    // subject: router; detail: its pool
  kPoolsChecked,
  kMetricsAsked,
  kScalingRound,
  kWorkerReady,  // subject: worker; detail: the order to start it
  kStepBegins,   // subject: scenario step
  kStepEnds,
  kSecondPasses,
};

using UserIndex = std::uint32_t;
using Life = std::uint32_t;
// For whoever lives there now.
inline constexpr Life kAnyLife = 0;
// One submission of one user, unique in a run: what the observers follow.
using JobSerial = std::uint64_t;

// What travels with a job besides what its routers decide on.
struct JobPayload {
  JobSerial serial = 0;
  std::int64_t service_ns = 0;  // that it will take, known to nobody but the worker
  bool fails = false;           // whoever runs it
  bool large = false;           // a router cannot keep what it would offer a second time
};

// Number of a watch stream, unique in a run; 0: none.
using WatchNumber = std::uint32_t;
// A router that watches a worker.
struct Watcher {
  RouterId router;
  WatchNumber watch = 0;
};

// A router that waits for an answer about one attempt.
struct Caller {
  RouterId router = {};
  Life life = 0;
  JobId job = {};
  router::AttemptId attempt = 0;
  friend bool operator==(const Caller&, const Caller&) = default;
};

// Something that happens seldom.
struct RouterNote {
  RouterId router = {};
  Life life = 0;
  router::RouterEvent event;
  Caller caller = {};        // of JobWithdrawn and ClientGone only: whose job it is
  std::uint64_t stream = 0;  // of the controller, over which it came; 0: over none
  JobSerial serial = 0;      // of ClientGone only: a user's job
};

// A job comes in, from a user or from another router; the receiver gives it its id.
struct JobNote {
  RouterId router = {};
  Life life = 0;
  UserIndex user = 0;
  Caller caller = {};  // invalid router: a user
  JobPayload payload = {};
  router::JobFacts facts;
};

// What a worker, or another router, says to a router in one moment. One message, because two that leave
// together arrive together; the receiver reads it in the order of the fields.
struct RouterMessage {
  enum class OnAttempt : std::uint8_t { kNothing, kAccepted, kEnded };
  RouterId router = {};
  // Of an attempt that the router made; dropped if it has died since.
  OnAttempt on_attempt = OnAttempt::kNothing;
  Outcome outcome = Outcome::kFailed;
  bool answered = false;
  bool may_have_started = true;
  bool import_full = false;
  Life life = 0;
  JobId job = {};
  router::AttemptId attempt = 0;
  RouterId from = {};    // that the job was forwarded to
  WorkerId worker = {};  // of an attempt at a worker, and of the news
  std::int64_t retry_after_ns = 0;
  // Over a watch stream; 0: none.
  WatchNumber watch = 0;
  std::uint32_t told = 0;  // its number at the worker, the low bits
  TierId tier = {};        // of the worker; of a reply to a fence: of the ledger
  dispatch::WorkerNews news;
  std::int64_t busy_ns = 0;
  // For the leader of the worker's ledger: over the watch stream, or in reply to a fence.
  bool has_announcement = false;
  ledger::Announce announcement;
  std::uint64_t fence_connection = 0;  // of a reply: as in the FenceNote

  // The attempt's part, as long as nothing more is said about it.
  void About(const Caller& caller, OnAttempt what) {
    on_attempt = what;
    outcome = Outcome::kFailed;
    answered = false;
    may_have_started = true;
    import_full = false;
    life = caller.life;
    job = caller.job;
    attempt = caller.attempt;
    from = RouterId();
    worker = WorkerId();
    retry_after_ns = 0;
  }
};

struct OfferNote {
  Caller caller = {};
  JobPayload payload = {};
  Time deadline = {};
  Lease lease = {};  // none: the router probes
};

// A leader raises a worker's fence. `revoke`: the job of exactly this lease is to stop.
struct FenceNote {
  Fence by;
  Lease upto;
  bool revoke = false;
  RouterId leader = {};  // who hears the reply
  Life life = 0;
  std::uint64_t connection = 0;  // that the leader heard the worker over when it called
  TierId tier = {};              // of the ledger
  bool answered = true;          // a call that a proxy repeats is answered once
};

struct AnswerNote {
  JobSerial serial = 0;
  JobSerial done_by = 0;  // the submission whose run this is the result of: another one only by its key
  Outcome outcome = Outcome::kDone;
  RegionId served_in = {};  // where the job was dispatched
  std::uint32_t attempts = 0;
  Duration wait = {};
  Duration delay = {};
  bool spilled = false;  // it left the home line for another region
};

// Messages on their way, by number. They stay where they are until they are freed, so a receiver may read its
// message in place while it sends others. The last freed is the next to be used, because it is in the cache.
template <class T>
class MessagePool {
 public:
  std::uint32_t Put(T message) {
    const std::uint32_t at = New();
    (*this)[at] = std::move(message);
    return at;
  }
  // Says what the last message there said; for messages that are written field by field.
  std::uint32_t New() {
    if (free_count_ == 0) Grow();
    return free_[--free_count_];
  }
  T& operator[](std::uint32_t at) { return chunks_[at / kChunk][at % kChunk]; }
  const T& operator[](std::uint32_t at) const { return chunks_[at / kChunk][at % kChunk]; }
  void Free(std::uint32_t at) { free_[free_count_++] = at; }
  T Take(std::uint32_t at) {
    Free(at);
    return std::move((*this)[at]);
  }
  std::size_t on_their_way() const { return free_.size() - free_count_; }

 private:
  static constexpr std::size_t kChunk = 256;
  [[gnu::noinline]] void Grow() {
    chunks_.push_back(std::make_unique<T[]>(kChunk));
    free_.resize(chunks_.size() * kChunk);
    for (std::size_t i = free_.size(); i-- > free_.size() - kChunk;) Free(static_cast<std::uint32_t>(i));
  }
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::vector<std::uint32_t> free_;  // the first free_count_; has room for all
  std::size_t free_count_ = 0;
};

class Stage {
 public:
  // Its clock starts at `begins_ns`.
  explicit Stage(const Scenario& scenario, std::int64_t begins_ns = 0, Tap* tap = nullptr);

  // The next event by then, and the clock at its time. False: there is none.
  bool Next(std::int64_t end_ns, SimEvent& event) {
    if (!queue.PopBy(end_ns, event)) return false;
    if (event.at_ns != now_ns_) {
      now_ns_ = event.at_ns;
      now_ = Date(now_ns_);
    }
    return true;
  }
  Time Now() const { return now_; }
  // Virtual time zero is the epoch.
  static Time Date(std::int64_t ns) { return FromUnixNanos(ns); }
  static std::int64_t Ns(Time date) { return ToUnixNanos(date); }

  void After(std::int64_t ns, Happening what, std::uint32_t subject = 0, std::uint32_t detail = 0) {
    RINGWAY_CHECK(ns >= 0);
    queue.Push(queue.now_ns() + ns, static_cast<std::uint8_t>(what), subject, detail);
  }
  void AtNs(std::int64_t date_ns, Happening what, std::uint32_t subject = 0, std::uint32_t detail = 0) {
    queue.Push(std::max(date_ns, queue.now_ns()), static_cast<std::uint8_t>(what), subject, detail);
  }
  void At(Time date, Happening what, std::uint32_t subject = 0, std::uint32_t detail = 0) {
    AtNs(Ns(date), what, subject, detail);
  }
  void TellRouter(std::int64_t after_ns, RouterNote note) {
    const std::uint32_t router = note.router.value();
    After(after_ns, Happening::kRouterHears, router, to_router.Put(std::move(note)));
  }
  // A job to this router, all else to be filled in at once.
  JobNote& SendJob(std::int64_t after_ns, RouterId router) {
    const std::uint32_t at = jobs.New();
    After(after_ns, Happening::kJobReaches, router.value(), at);
    JobNote& note = jobs[at];
    note.router = router;
    return note;
  }
  // A word without content to this router, to be filled in at once.
  RouterMessage& Say(std::int64_t after_ns, RouterId router) {
    const std::uint32_t at = messages.New();
    After(after_ns, Happening::kMessageReaches, router.value(), at);
    RouterMessage& message = messages[at];
    message.router = router;
    message.on_attempt = RouterMessage::OnAttempt::kNothing;
    message.watch = 0;
    message.has_announcement = false;
    return message;
  }
  // About an attempt, to the router that made it.
  RouterMessage& TellCaller(std::int64_t after_ns, const Caller& caller, RouterMessage::OnAttempt what) {
    RouterMessage& message = Say(after_ns, caller.router);
    message.About(caller, what);
    return message;
  }

  EventQueue queue;
  Network network;
  MessagePool<JobNote> jobs;
  MessagePool<RouterMessage> messages;
  MessagePool<RouterNote> to_router;
  MessagePool<OfferNote> to_worker;
  MessagePool<AnswerNote> to_user;
  MessagePool<FenceNote> to_fence;
  std::vector<Observer*> observers;
  KindCounts kinds;
  // What messages between processes become on their way (sim/fleet/wire.h); null: they stay values.
  Wire* wire = nullptr;
  Releases releases;
  // Who is told what the machines live through (sim/fleet/tap.h); null: nobody.
  Tap* const tap;
  // From then on no process is stopped, as far as is known: nothing that happens has to wait for one.
  std::int64_t stopped_until_ns = 0;

 private:
  std::int64_t now_ns_ = 0;
  Time now_ = UnixEpoch();
};

// The wake-up that a machine has asked for. Asking for a later one than is scheduled costs nothing; when an
// event comes that another has overtaken, Due says no.
class WakeCall {
 public:
  // True: schedule an event at `wake`.
  bool Wants(Time wake) {
    if (wake >= at_) return false;
    at_ = wake;
    return true;
  }
  bool Due(Time now) {
    if (now < at_) return false;
    at_ = InfiniteFuture();
    return true;
  }
  void Reset() { at_ = InfiniteFuture(); }

 private:
  Time at_ = InfiniteFuture();
};

// When a peer that went silent is given up: gRPC keepalive of the daemons, 10 s between pings and 5 s for the
// answer.
inline constexpr std::int64_t kSilenceNs = 15'000'000'000;

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_STAGE_H_
