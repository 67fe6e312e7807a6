// The attempts under way: offers to workers and forwards to routers, as calls on the wire.
//
// Turns streams into facts for the machine: accepted, ended, may have started. With an emulated distance the
// messages of a forward pass through delay lines in both directions. An attempt is forgotten when its call is
// over; its AttemptEnded is reported once, by the peer's End message or by the end of the call, whichever
// comes first.
//
// Withdrawing one that a peer may have begun asks the peer to stop and leaves the stream open: its End is the
// confirmation that nothing runs any more. Where the peer does not know the question, or the attempt, or
// cannot be asked, the stream is cancelled, and what the peer still does is not known.
//
// Bounds: one attempt for each job, plus withdrawn ones that have not ended: a worker has one slot, and a
// router's job ends at its deadline. Threads: the loop's.
#ifndef RINGWAY_ROUTER_DAEMON_JOBS_ATTEMPTS_H_
#define RINGWAY_ROUTER_DAEMON_JOBS_ATTEMPTS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>

#include "router/daemon/jobs/attempt_carrier.h"
#include "router/daemon/jobs/attempt_stream.h"
#include "router/daemon/jobs/delay_line.h"
#include "router/daemon/jobs/progress_pace.h"
#include "router/daemon/jobs/withdraw_call.h"
#include "router/router_action.h"
#include "router/router_event.h"

namespace ringway::router {

class Attempts final : public AttemptCarrier, public AttemptListener {
 public:
  // Payload bytes on their way to a peer at a time.
  static constexpr std::size_t kWindowBytes = std::size_t{1} << 20;
  // The End of an attempt that its peer does not have any more may still be on its way.
  static constexpr Duration kEndGrace = Seconds(1);

  Attempts(runtime::EventLoop& loop, StreamCount& streams, AttemptSink& sink)
      : loop_(loop), streams_(streams), sink_(sink) {}

  void Offer(const OfferToWorker& offer, const std::shared_ptr<v1::Worker::Stub>& worker, v1::JobUp header);
  // `one_way` is the emulated distance; zero: none.
  void Forward(const ForwardToRouter& forward, const std::shared_ptr<v1::Peer::Stub>& router,
               v1::JobUp header, Duration one_way);
  bool HasRoom(AttemptId attempt) const override;
  void SendChunk(AttemptId attempt, const std::string& bytes) override;
  void CloseUpload(AttemptId attempt) override;
  void ReadNext(AttemptId attempt) override;
  void Withdraw(AttemptId attempt, Outcome why) override;
  // For the end of the process: nobody waits for a confirmation any more.
  void Close();

  std::size_t size() const { return attempts_.size(); }

 private:
  struct UploadEnd {};
  struct Withdrawal {};
  using Up = std::variant<v1::JobUp, UploadEnd, Withdrawal>;
  // A message, or the end of the call.
  struct Down {
    std::optional<v1::JobDown> message;
    grpc::Status status;
    bool upload_left = false;
  };
  struct Attempt {
    JobId job;
    WorkerId worker;
    RouterId router;
    std::string name;  // on the wire; empty: it cannot be withdrawn there
    WithdrawCall::Way way;
    AttemptStream* stream = nullptr;  // null: the call is over
    bool accepted = false;
    bool ended = false;  // reported
    bool withdrawn = false;
    bool cancelled = false;                 // its stream
    Outcome why = Outcome::kCancelled;      // withdrawn
    std::shared_ptr<WithdrawCall> call;     // null: the peer has not been asked to stop, or has answered
    std::unique_ptr<runtime::Alarm> grace;  // the peer does not have it any more
    std::size_t up_held_bytes = 0;
    int down_held = 0;
    std::unique_ptr<DelayLine<Up>> up;
    std::unique_ptr<DelayLine<Down>> down;
    Pace passed{kPassedBurst, kPassedPeriod};  // of progress, to whoever asked
    Pace read{kReadBurst, kReadPeriod};        // of what is no part of a result
    std::optional<v1::JobDown> progress;       // the newest, not yet passed on
    Time read_at = InfiniteFuture();           // when reading goes on; else it does already
    std::unique_ptr<runtime::Alarm> pace;      // for the two; null: never needed
  };

  void OnDown(AttemptStream& stream, v1::JobDown& message) override;
  void OnSent(AttemptStream& stream) override;
  void OnOver(AttemptStream& stream, const grpc::Status& status) override;
  void DeliverUp(AttemptId id, Up& up);
  void AskToStop(AttemptId id, Attempt& attempt);
  void OnAskedToStop(AttemptId id, std::optional<bool> known);
  void Cancel(Attempt& attempt);
  void Forget(AttemptId id);
  void Deliver(AttemptId id, Down& down);
  // How small messages are slowed down (progress_pace.h). False: reading goes on later.
  bool PassProgress(AttemptId id, Attempt& attempt, v1::JobDown& message);
  bool MayReadOn(AttemptId id, Attempt& attempt);
  void ArmPace(AttemptId id, Attempt& attempt, Time now);
  void OnPace(AttemptId id);
  void PassHeld(AttemptId id, Attempt& attempt);
  void ReportEnd(AttemptId id, Attempt& attempt, const v1::End& end);
  void ReportBreak(AttemptId id, Attempt& attempt, const Down& over);
  Attempt* Find(AttemptId id);

  runtime::EventLoop& loop_;
  StreamCount& streams_;
  AttemptSink& sink_;
  std::unordered_map<AttemptId, Attempt> attempts_;
  bool closed_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for calls that outlive this
};

// The outcome of this wire name; kFailed for a name that does not exist.
Outcome OutcomeOf(const std::string& name);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_JOBS_ATTEMPTS_H_
