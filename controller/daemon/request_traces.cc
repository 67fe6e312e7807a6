#include "controller/daemon/request_traces.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/json.h"
#include "runtime/grpc_server.h"

namespace ringway::controller {
namespace {

constexpr std::size_t kReplyBytesMax = 4u << 20;

void WriteTrace(const v1::RequestTrace& trace, JsonWriter& json) {
  const v1::End& end = trace.end();
  const v1::JobTrace& course = end.trace();
  json.BeginObject();
  json.Key("router").Text(trace.router()).Key("router_region").Text(trace.router_region());
  json.Key("tier").Text(trace.tier()).Key("priority").Text(trace.priority());
  json.Key("forwarded").Flag(trace.forwarded());
  json.Key("arrived_ms").Integer(trace.arrived_unix_us() / 1000).Key("took_s").Number(trace.took_s());
  json.Key("outcome").Text(end.outcome()).Key("message").Text(end.message());
  json.Key("source").Text(course.source_region()).Key("region").Text(course.region());
  json.Key("reason").Text(course.reason()).Key("ring").Integer(static_cast<int>(course.ring()) - 1);
  json.Key("table").Text(absl::StrCat(course.table_epoch(), ".", course.table_version()));
  json.Key("worker").Text(course.worker());
  json.Key("offers").Integer(course.offers()).Key("busy").Integer(course.busy());
  json.Key("wait_s").Number(course.wait_s()).Key("delay_s").Number(course.delay_s());
  json.Key("service_s").Number(course.service_s()).Key("network_s").Number(course.network_s());
  json.Key("steps").BeginArray();
  for (const v1::TraceStep& step : trace.steps()) {
    json.BeginObject().Key("at_s").Number(step.at_s()).Key("what").Text(step.what());
    json.Key("whom").Text(step.whom()).Key("detail").Text(step.detail()).End();
  }
  json.End();
  json.Key("steps_left_out").Integer(trace.steps_left_out());
  json.End();
}

}  // namespace

// One question to all routers; the last of them to answer ends it.
struct RequestTraces::Search {
  struct Call {
    grpc::ClientContext context;
    v1::TellReply reply;
  };
  RequestTraces* owner;
  std::string id;
  v1::TellRequest request;
  Answer answer;
  std::mutex mutex;
  std::vector<std::unique_ptr<Call>> calls;
  std::vector<v1::TellReply> replies;
  std::size_t left = 0;
};

void RequestTraces::Find(const std::vector<std::string>& routers, const std::string& id, Answer answer) {
  if (id.empty() || id.size() > kIdBytesMax) {
    return answer(absl::InvalidArgumentError(
        absl::StrCat("id is the id that the answer to a request carried, 1 to ", kIdBytesMax, " bytes")));
  }
  auto search = std::make_unique<Search>();
  {
    const std::lock_guard lock(mutex_);
    if (searches_.size() >= kSearchesMax)
      return answer(absl::ResourceExhaustedError("many searches are under way, try again"));
    searches_.insert(search.get());
  }
  search->owner = this;
  search->id = id;
  search->request.set_request_id(id);
  search->answer = std::move(answer);
  search->left = std::min(routers.size(), kRoutersAsked) + 1;  // one for this function
  std::map<std::string, std::unique_ptr<v1::Traces::Stub>> stubs;
  Search* const shared = search.release();  // deletes itself in Over
  const auto deadline = std::chrono::system_clock::now() + kLimit;
  const auto ended = [shared] {
    bool last = false;
    {
      const std::lock_guard lock(shared->mutex);
      last = --shared->left == 0;
    }
    if (last) shared->owner->Over(shared);
  };
  for (std::size_t i = 0; i < std::min(routers.size(), kRoutersAsked); ++i) {
    const std::string& address = routers[i];
    std::unique_ptr<v1::Traces::Stub>& stub = stubs[address];
    if (const auto known = stubs_.find(address); known != stubs_.end()) stub = std::move(known->second);
    if (!stub) stub = v1::Traces::NewStub(runtime::MakeChannel(address, kReplyBytesMax, token_));
    Search::Call* call = nullptr;
    {
      const std::lock_guard lock(shared->mutex);
      call = shared->calls.emplace_back(std::make_unique<Search::Call>()).get();
    }
    call->context.set_deadline(deadline);
    stub->async()->Tell(&call->context, &shared->request, &call->reply,
                        [shared, call, ended](const grpc::Status& status) {
                          if (status.ok()) {
                            const std::lock_guard lock(shared->mutex);
                            shared->replies.push_back(std::move(call->reply));
                          }
                          ended();
                        });
  }
  stubs_ = std::move(stubs);  // channels of routers that are listed no more go with the former map
  ended();
}

void RequestTraces::Over(Search* search) {
  const std::unique_ptr<Search> ended(search);
  const bool remembered = std::any_of(search->replies.begin(), search->replies.end(),
                                      [](const v1::TellReply& reply) { return reply.traces_size() > 0; });
  if (remembered) {
    search->answer(TracesDocument(search->id, search->calls.size(), search->replies));
  } else {
    std::uint64_t kept = 0;
    for (const v1::TellReply& reply : search->replies) kept = std::max(kept, reply.kept_max());
    search->answer(absl::NotFoundError(absl::StrCat(
        "none of the ", search->replies.size(), " routers that answered (of ", search->calls.size(),
        ") remembers it", kept > 0 ? absl::StrCat("; each keeps its last ", kept, " jobs") : "")));
  }
  const std::lock_guard lock(mutex_);
  searches_.erase(search);
  changed_.notify_all();
}

void RequestTraces::Close() {
  std::unique_lock lock(mutex_);
  for (Search* const search : searches_) {
    const std::lock_guard calls(search->mutex);
    for (const auto& call : search->calls) call->context.TryCancel();
  }
  changed_.wait(lock, [this] { return searches_.empty(); });
}

std::string TracesDocument(const std::string& id, std::size_t asked,
                           const std::vector<v1::TellReply>& replies) {
  std::vector<const v1::RequestTrace*> traces;
  for (const v1::TellReply& reply : replies)
    for (const v1::RequestTrace& trace : reply.traces()) traces.push_back(&trace);
  std::stable_sort(traces.begin(), traces.end(), [](const v1::RequestTrace* a, const v1::RequestTrace* b) {
    return std::pair(a->forwarded(), a->arrived_unix_us()) < std::pair(b->forwarded(), b->arrived_unix_us());
  });
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject().Key("id").Text(id);
  json.Key("asked").Integer(static_cast<std::int64_t>(asked));
  json.Key("answered").Integer(static_cast<std::int64_t>(replies.size()));
  json.Key("traces").BeginArray();
  for (const v1::RequestTrace* const trace : traces) WriteTrace(*trace, json);
  json.End().End();
  return json.text();
}

}  // namespace ringway::controller
