// Asks routers about single jobs and workers, and passes orders on to them.
//
// Asked are all routers that the controller knows, each about what it speaks for; or, where --router (or its
// variable) was given, that one alone about all that it knows; without a controller the router at the default
// address. Routers that do not answer are left out and counted: a router that is down is a normal sight.
//
// Bound: kRoutersAsked routers, the first that the controller names. Threads: one owner; each call blocks for
// at most the limit.
#ifndef RINGWAY_CLI_OPERATIONS_CLIENT_H_
#define RINGWAY_CLI_OPERATIONS_CLIENT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/ask_all.h"
#include "cli/session.h"
#include "ringway/v1/operations.grpc.pb.h"

namespace ringway::cli {

class OperationsClient {
 public:
  static constexpr std::size_t kRoutersAsked = 512;

  // Errors: those of ReadFleetToken, InvalidArgument for a bad address.
  static absl::StatusOr<OperationsClient> Connect(Session& session);

  // Each returns what the routers that answered said. Errors: NotFound where each of them knows nothing of
  // it, Unavailable where none answers, PermissionDenied, and what a router says.
  absl::StatusOr<std::vector<v1::WorkerListing>> Workers();
  absl::StatusOr<std::vector<v1::ListJobsReply>> Jobs(const v1::ListJobsRequest& request);
  // Orders are named here, so that the controller's audit log has what several routers do of one as one.
  absl::StatusOr<std::vector<v1::CancelReply>> Cancel(v1::CancelRequest request);
  absl::StatusOr<std::vector<v1::DrainWorkersReply>> Drain(v1::DrainWorkersRequest request);

  // Of the last call: how many routers did not answer, as a remark for a person; empty: all did.
  std::string Silent() const;

 private:
  OperationsClient(std::vector<std::string> addresses, bool alone, const std::string& token);
  template <class Reply, class Request, class Prepare>
  absl::StatusOr<std::vector<Reply>> Ask(const Request& request, Prepare prepare);
  absl::Status Explain(const std::string& address, const grpc::Status& status) const;

  std::vector<std::string> addresses_;
  bool alone_ = false;  // one router, asked about all that it knows
  std::vector<std::unique_ptr<v1::Operations::Stub>> stubs_;
  std::size_t silent_ = 0;
};

// `did you mean "near"?` behind the error, where one of `known` is near.
absl::Status WithNearest(const absl::Status& status, std::string_view word,
                         const std::vector<std::string>& known);

// "3 s", "12 min", "2 h 5 min": how long something has been so.
std::string SpanText(double seconds);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_OPERATIONS_CLIENT_H_
