// The jobs of this router as calls: from the client's stream to the current attempt and back.
//
// For each job it keeps the header, the payload, which attempt it has, and who said what last; the machine
// decides everything else. A job is shown to the machine when its payload has arrived (or as much of it as is
// kept), so that a slow upload never holds a worker. Workers get the payload after they have accepted, which
// makes a refused offer cost a header only; other routers get it at once, which saves a round trip. Results
// pass through chunk by chunk; a slow client slows the sender down.
//
// Bounds: jobs_max calls, payload_keep_max bytes for each, payload_total_max for all; kWindowBytes of result
// for each. Threads: the loop's. Invariant: a JobId is reused only when the machine has ended the job and its
// stream has gone.
#ifndef RINGWAY_ROUTER_DAEMON_JOBS_JOB_CALLS_H_
#define RINGWAY_ROUTER_DAEMON_JOBS_JOB_CALLS_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "router/daemon/control/address_table.h"
#include "router/daemon/jobs/attempts.h"
#include "router/daemon/jobs/call_stream.h"
#include "router/daemon/jobs/payload.h"
#include "router/daemon/jobs/upload.h"
#include "router/daemon/once/once_options.h"
#include "router/daemon/operations/router_metrics.h"
#include "router/daemon/operations/trace_store.h"
#include "router/daemon/pools/http_offers.h"
#include "router/jobs/job_table.h"
#include "router/wire/job_header.h"
#include "runtime/event_loop.h"
#include "runtime/log.h"

namespace ringway::router {

struct CallSettings {
  std::string router;             // own name, in traces, leases and names of attempts
  std::uint64_t incarnation = 0;  // of this life
  std::size_t jobs_max = 8192;
  std::size_t payload_keep_max = std::size_t{64} << 20;
  std::size_t payload_total_max = std::size_t{1} << 30;
  UploadBounds upload;
  bool emulate_rtt = false;
};

// A job that is here, as operators see it.
struct JobSeen {
  JobId id;
  const v1::JobHeader& header;
  const JobFacts& facts;
  bool uploading = false;  // the machine does not know it yet
};

class JobCalls final : public JobDoor, public CallListener, private AttemptSink {
 public:
  using Tell = std::function<void(const RouterEvent&)>;

  // `tell` steps the machine, at once or after the actions that are being performed.
  JobCalls(runtime::EventLoop& loop, StreamCount& client_streams, CallSettings settings, JobTable& jobs,
           const KnownFleet& fleet, AddressTable& addresses, RouterMetrics& metrics,
           const runtime::Logger& log, Tell tell);

  void Perform(const OfferToWorker& offer) override;
  void Perform(const ForwardToRouter& forward) override;
  void Perform(const WithdrawAttempt& withdraw) override;
  void Perform(EndJob& end) override;

  // The workers of this router's pool, for plain requests that other routers send here.
  void UseHttpWorkers(HttpProxy& proxy) {
    http_offers_ = std::make_unique<HttpOffers>(loop_, proxy, static_cast<AttemptSink&>(*this));
  }

  // Calls whose stream has not gone yet, and attempts whose call is not over.
  std::size_t size() const { return live_; }
  std::size_t attempts() const { return attempts_.size(); }
  // Breaks every call off: for the end of the process.
  void BreakAll();
  // Nobody waits for withdrawn attempts any more: likewise.
  void CloseAttempts() { attempts_.Close(); }

  // For the router that forwarded a job here as the attempt of this name, and wants it no more: its End says
  // when nothing of it runs any more. False: it is not here.
  bool WithdrawForwarded(const std::string& attempt);

  // ---- for operators (job_orders.cc) ----
  // Jobs that have not ended, in no order; good until the next event.
  std::vector<JobSeen> Seen() const;
  // Ends every job with this id: its client is told `why`. Returns how many there were.
  std::uint32_t CancelJobs(const std::string& request_id, const std::string& why);

  // CallListener.
  void OnMessage(CallStream& stream, v1::JobUp& message) override;
  void OnUploadEnd(CallStream& stream) override;
  void OnCancelled(CallStream& stream) override;
  void OnDrained(CallStream& stream) override;
  void OnClosed(CallStream& stream) override;

  // Streams that exist; the service adds, OnClosed subtracts.
  std::atomic<int> streams{0};

  const TraceStore& traces() const { return traces_; }

 private:
  enum class Stage { kUploading, kWithMachine, kEnded };
  struct Call {
    CallStream* stream = nullptr;  // null: gone
    Stage stage = Stage::kUploading;
    std::uint64_t serial = 0;  // tells one user of this JobId from the next
    v1::JobHeader header;
    JobFacts facts;
    Payload payload;
    bool upload_complete = false;
    bool client_reading = false;  // a read from the client is under way
    AttemptId attempt = 0;
    AttemptCarrier* carrier = nullptr;  // of the attempt
    bool attempt_takes_payload = false;
    std::uint32_t offers = 0;    // to workers, of this region
    bool upload_closed = false;  // towards the attempt
    bool result_paused = false;  // the client is slow
    bool repeat_ruled_out = false;
    std::string cancelled;  // by an operator, and why; empty: nobody has
    Time forwarded_at = InfinitePast();
    std::optional<v1::End> last_end;         // of an attempt
    std::uint64_t payload_hash = kFnvBasis;  // of a keyed job
    ResultKept kept;                         // of a keyed job
    std::unique_ptr<Upload> upload;          // null: the job is with the machine, or over
    v1::RequestTrace trace;
  };

  // Uploading (job_upload.cc).
  void OnHeader(CallStream& stream, v1::JobHeader& header);
  void OnChunk(CallStream& stream, Call& call, std::string& bytes);
  void Refuse(CallStream& stream, Outcome outcome, const std::string& why);
  void GiveUpUpload(JobId id, Outcome outcome, const std::string& why);
  void Arrive(JobId id);
  void ReadMore(Call& call);
  void Pump(JobId id);

  // Attempts and ends (job_calls.cc).
  void OnAccepted(JobId job, AttemptId attempt, const v1::Accepted& accepted) override;
  bool OnRelay(JobId job, AttemptId attempt, v1::JobDown& message) override;
  void OnRoom(JobId job, AttemptId attempt) override;
  void OnEnded(const AttemptEnded& ended, const v1::End* end) override;
  // Traces.
  void BeginTrace(Call& call, Time now);
  void AddToTrace(Call& call, std::string_view what, std::string whom, std::string_view detail);
  v1::End EndMessage(const Call& call, const EndJob& end) const;
  // The answer of a job that was done before: its result, if that is kept, and its end.
  void AnswerFromRecord(Call& call, const EndJob& end);
  // What the record of a keyed job will say.
  once::Result KeptOf(const Call& call, const AttemptEnded& ended, const v1::End& end) const;
  Call* Current(JobId job, AttemptId attempt);
  void BeginAttempt(Call& call, AttemptCarrier& carrier, AttemptId attempt, bool takes_payload);
  void RuleOutRepeat(JobId id, std::string_view why);
  std::string NameOf(WorkerId worker) const;
  void ReleasePayload(Call& call);
  void Free(JobId id);

  runtime::EventLoop& loop_;
  const CallSettings settings_;
  JobTable& jobs_;
  const KnownFleet& fleet_;
  AddressTable& addresses_;
  RouterMetrics& metrics_;
  const runtime::Logger& log_;
  const Tell tell_;
  Attempts attempts_;
  std::unique_ptr<HttpOffers> http_offers_;  // null: no pool
  LateUploads late_uploads_;
  std::unordered_map<std::string, JobId> forwarded_;  // by the names of their attempts; at most one a call
  IdVector<JobId, std::unique_ptr<Call>> calls_;
  std::size_t live_ = 0;
  std::uint64_t last_serial_ = 0;
  std::size_t payload_bytes_ = 0;  // of all calls
  TraceStore traces_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_JOBS_JOB_CALLS_H_
