#include "router/daemon/operations/trace_store.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ringway::router {
namespace {

// Operators never crowd out jobs.
constexpr std::size_t kInboxBusy = 4096;

}  // namespace

TraceStore::TraceStore(std::string router, std::string region)
    : router_(std::move(router)), region_(std::move(region)) {
  totals_.set_router(router_);
  totals_.set_region(region_);
}

void TraceStore::Add(v1::RequestTrace& trace, Duration since, std::string_view what, std::string whom,
                     std::string_view detail) {
  if (trace.steps_size() >= kStepsMax) {
    trace.set_steps_left_out(trace.steps_left_out() + 1);
    return;
  }
  v1::TraceStep& step = *trace.add_steps();
  step.set_at_s(ToDoubleSeconds(since));
  step.set_what(std::string(what));
  step.set_whom(std::move(whom));
  step.set_detail(std::string(detail));
}

void TraceStore::Count(const v1::RequestTrace& trace) {
  const v1::JobTrace& end = trace.end().trace();
  const bool here = end.router() == router_;
  if (here && end.offers() > 0) {
    totals_.set_offers(totals_.offers() + end.offers());
    totals_.set_busy(totals_.busy() + end.busy());
    totals_.set_placed(totals_.placed() + 1);
  }
  if (trace.forwarded()) return;
  totals_.set_ended(totals_.ended() + 1);
  if (trace.end().outcome() == "done") totals_.set_done(totals_.done() + 1);
  if (end.service_s() <= 0) return;
  totals_.set_started(totals_.started() + 1);
  totals_.set_wait_s_sum(totals_.wait_s_sum() + end.wait_s());
}

void TraceStore::Keep(v1::RequestTrace trace) {
  trace.set_router(router_);
  trace.set_router_region(region_);
  Count(trace);
  if (traces_.size() >= kTracesMax) {
    const auto [from, to] = by_id_.equal_range(traces_.front().request_id());
    const auto oldest = std::find_if(from, to, [this](const auto& entry) { return entry.second == first_; });
    if (oldest != to) by_id_.erase(oldest);
    traces_.pop_front();
    ++first_;
  }
  by_id_.emplace(trace.request_id(), first_ + traces_.size());
  traces_.push_back(std::move(trace));
}

v1::TellReply TraceStore::Tell(const std::string& request_id) const {
  v1::TellReply reply;
  reply.set_router(router_);
  reply.set_kept(traces_.size());
  reply.set_kept_max(kTracesMax);
  std::vector<std::uint64_t> numbers;
  const auto [from, to] = by_id_.equal_range(request_id);
  for (auto entry = from; entry != to; ++entry) numbers.push_back(entry->second);
  std::sort(numbers.begin(), numbers.end());
  // An id that somebody uses for everything must not make a message that no client takes.
  constexpr std::size_t kToldMax = 16;
  const std::size_t skipped = numbers.size() - std::min(numbers.size(), kToldMax);
  for (std::size_t i = skipped; i < numbers.size(); ++i) *reply.add_traces() = traces_[numbers[i] - first_];
  return reply;
}

template <class Fill>
grpc::ServerUnaryReactor* TraceService::Answer(grpc::CallbackServerContext* context, Fill fill) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const bool posted = loop_.inbox_depth() < kInboxBusy && loop_.Post([reactor, fill = std::move(fill)] {
    fill();
    reactor->Finish(grpc::Status::OK);
  });
  if (!posted) reactor->Finish({grpc::StatusCode::RESOURCE_EXHAUSTED, "the router is busy, try again"});
  return reactor;
}

grpc::ServerUnaryReactor* TraceService::Tell(grpc::CallbackServerContext* context,
                                             const v1::TellRequest* request, v1::TellReply* reply) {
  return Answer(context, [this, request, reply] { *reply = addresses_.Tell(request->request_id()); });
}

grpc::ServerUnaryReactor* TraceService::Totals(grpc::CallbackServerContext* context, const v1::TotalsRequest*,
                                               v1::TotalsReply* reply) {
  return Answer(context, [this, reply] { *reply = addresses_.totals(); });
}

}  // namespace ringway::router
