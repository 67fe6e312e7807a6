// What became of one request: asks every router for the traces that it keeps, for the dashboard's search.
//
// The same question as `ringway explain REQUEST_ID` asks: all routers at once, for at most kLimit; who does
// not answer by then is left out. The answer is one JSON document, the trace of entry before those of
// forwarded jobs. No prompt and no payload is in a trace.
//
// Bounds: kRoutersAsked routers, kSearchesMax searches under way, more are refused. Threads: Find from one
// thread; the answer comes on one of gRPC's. The destructor cancels what is under way and waits for it, so
// that nobody is answered after it.
#ifndef RINGWAY_CONTROLLER_DAEMON_REQUEST_TRACES_H_
#define RINGWAY_CONTROLLER_DAEMON_REQUEST_TRACES_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "ringway/v1/trace.grpc.pb.h"

namespace ringway::controller {

class RequestTraces {
 public:
  static constexpr std::size_t kRoutersAsked = 512;
  static constexpr std::size_t kSearchesMax = 8;
  static constexpr std::size_t kIdBytesMax = 200;
  static constexpr std::chrono::milliseconds kLimit{2000};
  using Answer = absl::AnyInvocable<void(absl::StatusOr<std::string>)>;

  // `token`: the fleet's, presented to each router; empty: none.
  explicit RequestTraces(std::string token) : token_(std::move(token)) {}
  ~RequestTraces() { Close(); }

  // Errors, as answers: InvalidArgument (no id), NotFound (nobody remembers it), ResourceExhausted (too many
  // searches).
  void Find(const std::vector<std::string>& routers, const std::string& id, Answer answer);
  // Find must not be called any more.
  void Close();

 private:
  struct Search;
  void Over(Search* search);

  const std::string token_;
  std::map<std::string, std::unique_ptr<v1::Traces::Stub>> stubs_;  // by address, of the routers asked last
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<Search*> searches_;  // under way
};

// The document. `asked` and the replies count who answered.
std::string TracesDocument(const std::string& id, std::size_t asked,
                           const std::vector<v1::TellReply>& replies);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_REQUEST_TRACES_H_
