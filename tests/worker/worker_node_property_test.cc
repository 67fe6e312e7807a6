// Random lives of a worker's node, watched by a checker that keeps its own tables from events and actions.
#include <algorithm>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "core/rng.h"
#include "gtest/gtest.h"
#include "tests/worker/recording_shell.h"
#include "worker/worker_node.h"

namespace ringway {
namespace {

constexpr int kLives = 2000;
constexpr int kEventsPerLife = 250;
constexpr std::uint64_t kPayloadMax = 100;
constexpr std::uint64_t kResultMax = 300;
constexpr std::uint64_t kUnsentMax = 400;
constexpr Duration kDeliveryMax = Seconds(6);
constexpr Duration kHeartbeat = Milliseconds(900);

// One Run call, as its transport sees it.
struct Stream {
  bool accepted = false;
  bool ended = false;  // its last word was said
  bool broken = false;
  bool closed = false;
  bool cancelled = false;
  bool bad = false;  // the payload or the result breaks a rule
  Time ended_at;
  std::uint64_t stated = 0;
  std::uint64_t kept = 0;
  std::uint64_t made = 0;
  std::uint64_t waits = 0;
};

class NodeLife {
 public:
  explicit NodeLife(std::uint64_t seed) : rng_(seed) {}

  void Run() {
    for (int i = 0; i < kEventsPerLife && !::testing::Test::HasFailure(); ++i) {
      now_ += Milliseconds(rng_.Below(400));
      Wake();
      Draw();
    }
    Finish();
  }

 private:
  void Wake() {
    if (std::min(node_.NextWake(), node_.NextHeartbeat()) > now_) return;
    Step(WorkerWake{});
    ASSERT_GT(node_.NextWake(), now_) << "a node that has just been woken must not ask again";
    ASSERT_GT(node_.NextHeartbeat(), now_);
  }

  AttemptId About() { return rng_.Chance(0.7) || last_ == 0 ? node_.attempt() : 1 + rng_.Below(last_); }

  void Draw() {
    const double u = rng_.Uniform();
    if (u < 0.25) return Offer(++last_);
    if (u < 0.50) return DrawStream(About());
    if (u < 0.75) return DrawBackend();
    if (u < 0.80) return Watch();
    if (u < 0.83) {
      Step(SlotDrain{rng_.Chance(0.3), rng_.Chance(0.5) ? Seconds(2) : InfiniteDuration()});
      EXPECT_EQ(shell_.Count<TellCaller>(), 1u);
      return;
    }
    if (u < 0.85) {
      Step(SlotFenced{.by = {rng_.Below(3), 0}, .upto = {{rng_.Below(3), 0}, rng_.Below(9)}, .revoke = true});
      EXPECT_EQ(shell_.Count<TellCaller>(), 1u);
      return;
    }
    if (u < 0.852) {
      stopping_ = true;
      return Step(StopOrdered{});
    }
    if (u < 0.90) return Step(MessageMalformed{++last_});
    if (u < 0.92) return Step(UploadEnded{++last_});
    if (u < 0.94) return Step(PayloadArrived{++last_, 1});
    Settle(1 + rng_.Below(last_ + 1));
  }

  void Offer(AttemptId id) {
    AttemptOffered offered{{.attempt = id, .lease = {}, .grant = {}}, 0};
    if (rng_.Chance(0.2)) offered.offer.deadline = now_ + Milliseconds(rng_.Below(3000));
    if (rng_.Chance(0.3)) offered.offer.grant = {{rng_.Below(3), 0}, rng_.Below(20)};
    if (rng_.Chance(0.5)) streams_[id].stated = offered.payload_bytes = 1 + rng_.Below(kPayloadMax);
    granted_ = offered.offer.grant != Lease{};
    Step(offered);
    EXPECT_EQ(shell_.Count<AcceptAttempt>() + shell_.Count<EndAttempt>(), 1u) << "an offer gets one answer";
  }

  void DrawStream(AttemptId id) {
    if (id == 0 || streams_[id].closed) return;
    Stream& stream = streams_[id];
    const double u = rng_.Uniform();
    const bool in_slot = id == node_.attempt();
    if (u < 0.35 && stream.accepted && !started_) {
      const std::uint64_t left = stream.stated - std::min(stream.stated, stream.kept);
      const std::uint64_t bytes = rng_.Chance(0.7) && left > 0 ? left : rng_.Below(kPayloadMax);
      stream.bad |= in_slot && stream.kept + bytes > kPayloadMax;
      arriving_ = bytes;
      Step(PayloadArrived{id, bytes});
    } else if (u < 0.70 && stream.accepted && !started_) {
      stream.bad |= in_slot && stream.stated != 0 && stream.stated != stream.kept;
      Step(UploadEnded{id});
    } else if (u < 0.75 && stream.accepted && !started_) {
      stream.bad |= in_slot;
      rng_.Chance(0.5) ? Step(MessageMalformed{id}) : Step(AttemptOffered{{.attempt = id}, 0});
    } else if (u > 0.90) {
      Cancel(id);
    } else if (u > 0.85) {
      Step(AttemptWithdrawn{id});
      EXPECT_EQ(shell_.Count<BreakStream>(), 0u);
    }
  }
  void Cancel(AttemptId id) {
    streams_[id].cancelled = true;
    Step(AttemptCancelled{id});
    EXPECT_TRUE(streams_[id].broken);
  }

  void DrawBackend() {
    if (!started_) return;
    const AttemptId id = node_.attempt();
    Stream& stream = streams_[id];
    const double u = rng_.Uniform();
    if (u < 0.3) {
      Step(WorkProgressed{static_cast<std::uint32_t>(rng_.Below(5)), 4});
    } else if (u < 0.6) {
      const std::uint64_t bytes = rng_.Below(kResultMax / 2);
      stream.made += bytes;
      stream.bad |= stream.made > kResultMax;
      Step(ResultMade{bytes});
      if (shell_.Count<RelayResult>() == 0) return;
      stream.waits += bytes;
      Step(ResultWaits{id, stream.waits});
    } else {
      said_ = u < 0.8 ? Outcome::kDone : stopped_ ? Outcome::kCancelled : Outcome::kFailed;
      backend_ended_ = true;
      Step(WorkEnded{said_});
      EXPECT_EQ(shell_.Count<EndAttempt>(), 1u);
    }
  }

  void Watch() {
    if (watchers_ == 0 || rng_.Chance(0.6)) {
      ++watchers_;
      Step(WatchOpened{5});
      EXPECT_EQ(shell_.Count<TellWatcher>(), 1u);
    } else {
      --watchers_;
      Step(WatchClosed{});
    }
  }

  // A peer fetches all, or the transport is done with it.
  void Settle(AttemptId id) {
    Stream& stream = streams_[id];
    if (stream.closed) return;
    if (!stream.broken && stream.waits > 0) {
      stream.waits = 0;
      return Step(ResultWaits{id, 0});
    }
    if (!stream.ended && !stream.broken) return;
    stream.closed = true;
    Step(StreamClosed{id});
  }

  // Everything ends when nothing more comes.
  void Finish() {
    stopping_ = true;
    Step(StopOrdered{});
    if (held_ != 0) Cancel(held_);
    if (started_) {
      backend_ended_ = true;
      said_ = Outcome::kCancelled;
      Step(WorkEnded{said_});
    }
    for (auto& [id, stream] : streams_) {
      if (stream.accepted) {
        EXPECT_TRUE(stream.ended) << id;
      }
      if (std::exchange(stream.closed, true)) continue;
      Step(StreamClosed{id});
    }
    EXPECT_EQ(quiet_, 1);
  }

  template <class Event>
  void Step(const Event& event) {
    shell_.actions.clear();
    const bool busy = node_.slot().busy(), draining = node_.slot().draining();
    const bool resting = node_.slot().resting(now_);
    admitted_ = false;
    node_.Step(now_, event, shell_);
    for (const WorkerAction& action : shell_.actions) {
      std::visit([&](const auto& a) { Check(a); }, action);
    }
    const bool changed = busy != node_.slot().busy() || draining != node_.slot().draining() ||
                         resting != node_.slot().resting(now_);
    EXPECT_GE(shell_.Count<TellWatchers>(), changed ? 1u : 0u) << "a change that nobody hears of";
    EXPECT_LE(shell_.Count<TellWatchers>(), 1u);
    EXPECT_EQ(serving_, !node_.slot().draining() && !node_.slot().resting(now_));
    EXPECT_EQ(node_.attempt(), held_);
    EXPECT_EQ(node_.slot().busy(), held_ != 0);
    std::uint64_t unsent = 0;
    for (const auto& [id, stream] : streams_) {
      if (!stream.broken && !stream.closed) unsent += stream.waits;
    }
    EXPECT_LE(unsent, kUnsentMax);
    EXPECT_TRUE(watchers_ == 0 || node_.NextHeartbeat() <= now_ + kHeartbeat);
    EXPECT_EQ(node_.NextHeartbeat() == InfiniteFuture(), watchers_ == 0);
  }

  bool Open(AttemptId id) { return !streams_[id].broken && !streams_[id].closed; }

  void Check(const AcceptAttempt& accept) {
    EXPECT_EQ(held_, 0u) << "two jobs in one slot";
    EXPECT_FALSE(stopping_) << "accepted while stopping";
    held_ = accept.attempt;
    admitted_ = true;
    streams_[held_].accepted = true;
  }
  void Check(const KeepPayload& keep) {
    EXPECT_EQ(keep.attempt, held_);
    streams_[held_].kept += arriving_;
    EXPECT_LE(streams_[held_].kept, kPayloadMax);
  }
  void Check(const EndAttempt& end) {
    Stream& stream = streams_[end.attempt];
    EXPECT_FALSE(stream.ended) << "two ends";
    stream.ended = true;
    stream.ended_at = now_;
    EXPECT_EQ(stream.accepted, end.attempt == held_);
    if (!stream.accepted) {
      EXPECT_FALSE(end.outcome == Outcome::kDone || end.started);
      return;
    }
    EXPECT_TRUE(!started_ || backend_ended_) << "freed under a running backend";
    EXPECT_EQ(end.started, started_);
    EXPECT_EQ(end.result_bytes, stream.made);
    EXPECT_EQ(end.outcome == Outcome::kDone, started_ && said_ == Outcome::kDone && !stream.bad);
    EXPECT_EQ(end.reason != EndReason::kWork, stream.bad) << "what we found wrong counts";
    done_ += end.outcome == Outcome::kDone;
    EXPECT_EQ(node_.totals().done, done_);
    held_ = 0;
    started_ = stopped_ = backend_ended_ = false;
  }
  void Check(const BreakStream& broken) {
    Stream& stream = streams_[broken.attempt];
    EXPECT_EQ(stream.cancelled, broken.reason == BreakReason::kCancelled);
    EXPECT_TRUE(broken.reason == BreakReason::kCancelled || Open(broken.attempt)) << "broken twice";
    if (broken.reason == BreakReason::kNotFetched) {
      EXPECT_GE(now_, stream.ended_at + kDeliveryMax);
    }
    if (broken.reason == BreakReason::kTooMuchUnsent) {
      EXPECT_GT(stream.waits, 0u);
      for (const auto& [id, older] : streams_) {
        const bool gone = older.waits == 0 || older.broken || older.closed;
        EXPECT_TRUE(id >= broken.attempt || gone) << "the oldest first";
      }
    }
    stream.broken = true;
  }
  void Check(const StartWork& start) {
    EXPECT_EQ(start.attempt, held_);
    EXPECT_FALSE(started_) << "two jobs at the backend";
    const Stream& stream = streams_[held_];
    EXPECT_TRUE(stream.stated == 0 || stream.stated == stream.kept);
    started_ = true;
  }
  void Check(const CancelWork&) {
    EXPECT_TRUE(started_ && !stopped_ && !backend_ended_);
    stopped_ = true;
  }
  void Check(const RelayProgress& relay) { EXPECT_TRUE(relay.attempt == held_ && Open(held_)); }
  void Check(const RelayResult& relay) {
    EXPECT_TRUE(relay.attempt == held_ && Open(held_));
    EXPECT_LE(streams_[held_].made, kResultMax);
  }
  void Check(const TellWatchers& tell) {
    EXPECT_EQ(tell.announces, !(admitted_ && granted_)) << "only a granted job's begin is no announcement";
    if (tell.announces) return Number(tell.sequence);
    EXPECT_EQ(tell.sequence, sequence_);
  }
  void Check(const TellWatcher& tell) { Number(tell.sequence); }
  void Check(const TellCaller& tell) { Number(tell.sequence); }
  void Check(const ServingChanged& changed) {
    EXPECT_NE(serving_, changed.serving);
    serving_ = changed.serving;
  }
  void Check(const WentQuiet&) {
    EXPECT_TRUE(stopping_ && held_ == 0);
    EXPECT_EQ(++quiet_, 1);
    for (const auto& [id, stream] : streams_) {
      EXPECT_FALSE(stream.accepted && !stream.closed) << "quiet before attempt " << id << " is gone";
    }
  }
  void Number(std::uint64_t sequence) {
    EXPECT_GT(sequence, sequence_);
    sequence_ = sequence;
  }

  static WorkerSettings Settings() {
    WorkerSettings settings{.slot = {.service_prior = Seconds(2),
                                     .upload_max = Seconds(3),
                                     .drain_max = Seconds(4),
                                     .failures_before_rest = 2,
                                     .rest = Seconds(1)}};
    settings.payload_bytes_max = kPayloadMax;
    settings.result_bytes_max = kResultMax;
    settings.unsent_bytes_max = kUnsentMax;
    settings.delivery_max = kDeliveryMax;
    settings.heartbeat = kHeartbeat;
    return settings;
  }

  Rng rng_;
  Time now_ = UnixEpoch();
  RecordingShell shell_;
  WorkerNode node_{Settings()};
  // The checker's tables.
  std::map<AttemptId, Stream> streams_;
  std::uint64_t arriving_ = 0;  // bytes of the payload, with the event under way
  AttemptId last_ = 0;
  AttemptId held_ = 0;
  bool admitted_ = false;  // in this step
  bool granted_ = false;   // the last offer
  bool started_ = false;
  bool stopped_ = false;
  bool backend_ended_ = false;
  Outcome said_ = Outcome::kDone;
  int watchers_ = 0;
  bool serving_ = true;
  bool stopping_ = false;
  int quiet_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t sequence_ = 0;
};

TEST(WorkerNodePropertyTest, KeepsItsPromisesInRandomLives) {
  for (std::uint64_t seed = 1; seed <= kLives; ++seed) {
    SCOPED_TRACE(seed);
    NodeLife(seed).Run();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace ringway
