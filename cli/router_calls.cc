#include "cli/router_calls.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/grpc_server.h"

namespace ringway::cli {

v1::Traces::Stub& RouterCalls::StubOf(const std::string& address) {
  std::unique_ptr<v1::Traces::Stub>& stub = stubs_[address];
  if (stub == nullptr)
    stub = v1::Traces::NewStub(runtime::MakeChannel(address, runtime::kMessageBytesMax, token_));
  return *stub;
}

template <class Request, class Reply, class Prepare>
std::vector<Reply> RouterCalls::AskAll(const std::vector<std::string>& addresses, const Request& request,
                                       Prepare prepare) {
  struct Call {
    grpc::ClientContext context;
    grpc::Status status;
    Reply reply;
    std::unique_ptr<grpc::ClientAsyncResponseReader<Reply>> reader;
  };
  grpc::CompletionQueue queue;
  std::vector<std::unique_ptr<Call>> calls;
  const auto deadline = std::chrono::system_clock::now() + limit_;
  for (std::size_t i = 0; i < std::min(addresses.size(), kRoutersAsked); ++i) {
    auto call = std::make_unique<Call>();
    call->context.set_deadline(deadline);
    call->reader = prepare(StubOf(addresses[i]), &call->context, request, &queue);
    call->reader->StartCall();
    call->reader->Finish(&call->reply, &call->status, call.get());
    calls.push_back(std::move(call));
  }
  // Each call ends by its deadline at the latest, so this does too.
  void* tag = nullptr;
  bool ok = false;
  for (std::size_t ended = 0; ended < calls.size() && queue.Next(&tag, &ok); ++ended) {
  }
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
  std::vector<Reply> replies;
  for (const std::unique_ptr<Call>& call : calls) {
    if (call->status.ok()) replies.push_back(std::move(call->reply));
    const grpc::StatusCode code = call->status.error_code();
    if (code == grpc::StatusCode::UNAUTHENTICATED || code == grpc::StatusCode::PERMISSION_DENIED) {
      refusal_ = absl::StrCat("a router refuses: ", call->status.error_message(),
                              "; --fleet-token-file or RINGWAY_FLEET_TOKEN give the fleet's token");
    }
  }
  return replies;
}

std::vector<v1::TellReply> RouterCalls::Tell(const std::vector<std::string>& addresses,
                                             const std::string& request_id) {
  v1::TellRequest request;
  request.set_request_id(request_id);
  return AskAll<v1::TellRequest, v1::TellReply>(
      addresses, request,
      [](v1::Traces::Stub& stub, grpc::ClientContext* context, const v1::TellRequest& asked,
         grpc::CompletionQueue* queue) { return stub.PrepareAsyncTell(context, asked, queue); });
}

std::vector<v1::TotalsReply> RouterCalls::Totals(const std::vector<std::string>& addresses) {
  return AskAll<v1::TotalsRequest, v1::TotalsReply>(
      addresses, v1::TotalsRequest(),
      [](v1::Traces::Stub& stub, grpc::ClientContext* context, const v1::TotalsRequest& asked,
         grpc::CompletionQueue* queue) { return stub.PrepareAsyncTotals(context, asked, queue); });
}

}  // namespace ringway::cli
