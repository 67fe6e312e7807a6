// The traces of the jobs that ended here lately: a bounded addresses, asked by request id.
//
// A job's trace grows while the job is here (bounded steps, the rest is only counted) and enters the
// addresses with its end. The addresses keeps the newest kTracesMax and forgets the oldest; an id that was
// used twice has two traces. It also adds up what `ringway top` shows. Nothing is kept of what a job says or
// carries.
//
// Cost: a few short strings a job; finding an id is a lookup. Memory: about 1 KiB a trace. Threads: the
// loop's; TraceService posts there.
#ifndef RINGWAY_ROUTER_DAEMON_OPERATIONS_TRACE_STORE_H_
#define RINGWAY_ROUTER_DAEMON_OPERATIONS_TRACE_STORE_H_

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/time.h"
#include "ringway/v1/trace.grpc.pb.h"
#include "runtime/event_loop.h"

namespace ringway::router {

class TraceStore {
 public:
  static constexpr std::size_t kTracesMax = 4096;
  static constexpr int kStepsMax = 32;

  TraceStore(std::string router, std::string region);

  // One more thing happened to a job that is still here, `since` it arrived.
  static void Add(v1::RequestTrace& trace, Duration since, std::string_view what, std::string whom,
                  std::string_view detail);
  // The job has ended; its `end` is set.
  void Keep(v1::RequestTrace trace);

  v1::TellReply Tell(const std::string& request_id) const;
  const v1::TotalsReply& totals() const { return totals_; }

 private:
  void Count(const v1::RequestTrace& trace);

  const std::string router_;
  const std::string region_;
  std::deque<v1::RequestTrace> traces_;  // oldest first
  std::uint64_t first_ = 0;              // number of the oldest
  std::unordered_multimap<std::string, std::uint64_t> by_id_;
  v1::TotalsReply totals_;
};

class TraceService final : public v1::Traces::CallbackService {
 public:
  TraceService(runtime::EventLoop& loop, const TraceStore& addresses) : loop_(loop), addresses_(addresses) {}

 private:
  grpc::ServerUnaryReactor* Tell(grpc::CallbackServerContext* context, const v1::TellRequest* request,
                                 v1::TellReply* reply) override;
  grpc::ServerUnaryReactor* Totals(grpc::CallbackServerContext* context, const v1::TotalsRequest* request,
                                   v1::TotalsReply* reply) override;
  // Runs `fill` on the loop; refused when the loop has much to do already.
  template <class Fill>
  grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context, Fill fill);

  runtime::EventLoop& loop_;
  const TraceStore& addresses_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_OPERATIONS_TRACE_STORE_H_
