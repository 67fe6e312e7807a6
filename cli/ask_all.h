// The same unary call to many programs at once, bounded in time.
//
// All calls are under way together; each ends by the limit at the latest, so this does too. Answers stand in
// the order of the stubs; one that did not come in time has the status of its deadline.
//
// Bound: a call and its answer for each stub. Threads: one owner; blocks.
#ifndef RINGWAY_CLI_ASK_ALL_H_
#define RINGWAY_CLI_ASK_ALL_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace ringway::cli {

template <class Reply>
struct Answer {
  grpc::Status status;
  Reply reply;
};

// `prepare(stub, context, request, queue)` makes the call, for example Stub::PrepareAsyncTell.
template <class Reply, class Stub, class Request, class Prepare>
std::vector<Answer<Reply>> AskAll(const std::vector<Stub*>& stubs, const Request& request,
                                  std::chrono::milliseconds limit, Prepare prepare) {
  struct Call {
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientAsyncResponseReader<Reply>> reader;
  };
  grpc::CompletionQueue queue;
  std::vector<std::unique_ptr<Call>> calls;
  std::vector<Answer<Reply>> answers(stubs.size());
  const auto deadline = std::chrono::system_clock::now() + limit;
  for (std::size_t i = 0; i < stubs.size(); ++i) {
    Call& call = *calls.emplace_back(std::make_unique<Call>());
    call.context.set_deadline(deadline);
    call.reader = prepare(*stubs[i], &call.context, request, &queue);
    call.reader->StartCall();
    call.reader->Finish(&answers[i].reply, &answers[i].status, &call);
  }
  void* tag = nullptr;
  bool ok = false;
  for (std::size_t ended = 0; ended < calls.size() && queue.Next(&tag, &ok); ++ended) {
  }
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
  return answers;
}

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_ASK_ALL_H_
