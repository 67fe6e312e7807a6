// The same small question to many routers at once, bounded in time.
//
// All calls are under way together and the slowest, or kRoutersLimit, ends the wait; whoever did not answer
// by then is left out, because a router that is down is a normal sight and not an error. Channels are kept
// from one round to the next. Bound: kRoutersAsked routers, the first of the list. Threads: one owner;
// blocks.
#ifndef RINGWAY_CLI_ROUTER_CALLS_H_
#define RINGWAY_CLI_ROUTER_CALLS_H_

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ringway/v1/trace.grpc.pb.h"

namespace ringway::cli {

class RouterCalls {
 public:
  static constexpr std::size_t kRoutersAsked = 512;

  // `token`: the fleet's, presented to each router; empty: none.
  explicit RouterCalls(std::chrono::milliseconds limit, std::string token = {})
      : limit_(limit), token_(std::move(token)) {}
  // Those that answered, in the order of `addresses`.
  std::vector<v1::TellReply> Tell(const std::vector<std::string>& addresses, const std::string& request_id);
  std::vector<v1::TotalsReply> Totals(const std::vector<std::string>& addresses);
  // Why a router refused to answer, with what to do about it; empty: none did.
  const std::string& refusal() const { return refusal_; }

 private:
  template <class Request, class Reply, class Prepare>
  std::vector<Reply> AskAll(const std::vector<std::string>& addresses, const Request& request,
                            Prepare prepare);
  v1::Traces::Stub& StubOf(const std::string& address);

  const std::chrono::milliseconds limit_;
  const std::string token_;
  std::string refusal_;
  std::map<std::string, std::unique_ptr<v1::Traces::Stub>> stubs_;
};

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_ROUTER_CALLS_H_
