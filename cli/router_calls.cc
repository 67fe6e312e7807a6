#include "cli/router_calls.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cli/ask_all.h"
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
  std::vector<v1::Traces::Stub*> stubs;
  for (std::size_t i = 0; i < std::min(addresses.size(), kRoutersAsked); ++i) {
    stubs.push_back(&StubOf(addresses[i]));
  }
  std::vector<Answer<Reply>> answers = cli::AskAll<Reply>(stubs, request, limit_, prepare);
  std::vector<Reply> replies;
  for (Answer<Reply>& answer : answers) {
    if (answer.status.ok()) replies.push_back(std::move(answer.reply));
    const grpc::StatusCode code = answer.status.error_code();
    if (code == grpc::StatusCode::UNAUTHENTICATED || code == grpc::StatusCode::PERMISSION_DENIED) {
      refusal_ = absl::StrCat("a router refuses: ", answer.status.error_message(),
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
