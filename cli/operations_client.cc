#include "cli/operations_client.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/admin_client.h"
#include "cli/context/endpoints.h"
#include "cli/port_probe.h"
#include "runtime/address.h"
#include "runtime/grpc_server.h"
#include "topology/spelling.h"

namespace ringway::cli {
namespace {

// A worker has five seconds to answer its router, which waits for it.
constexpr std::chrono::milliseconds kLimit(8000);

// No two orders have the same.
std::string NewOrderName() {
  std::random_device device;
  std::string name;
  for (int i = 0; i < 4; ++i) absl::StrAppend(&name, absl::Hex(device(), absl::kZeroPad8));
  return name;
}

// Whom to ask. Without a controller: the one router whose address we have.
std::vector<std::string> RoutersOf(Session& session) {
  std::vector<std::string> addresses;
  if (!session.router_given) {
    absl::StatusOr<AdminClient> admin = AdminClient::Connect(session);
    const auto status = admin.ok() ? admin->Call(&v1::Admin::Stub::Status, v1::StatusRequest())
                                   : absl::StatusOr<v1::StatusReply>(admin.status());
    if (status.ok()) {
      for (const v1::RouterStatus& router : status->routers()) addresses.push_back(router.address());
    }
  }
  if (addresses.size() > OperationsClient::kRoutersAsked) addresses.resize(OperationsClient::kRoutersAsked);
  return addresses;
}

}  // namespace

OperationsClient::OperationsClient(std::vector<std::string> addresses, bool alone, const std::string& token)
    : addresses_(std::move(addresses)), alone_(alone) {
  for (const std::string& address : addresses_) {
    stubs_.push_back(v1::Operations::NewStub(runtime::MakeChannel(address, runtime::kFleetBytesMax, token)));
  }
}

absl::StatusOr<OperationsClient> OperationsClient::Connect(Session& session) {
  if (absl::Status used = UseContext(session); !used.ok()) return used;
  std::string token;
  if (absl::Status read = ReadFleetToken(session, token); !read.ok()) return read;
  const absl::StatusOr<runtime::Address> address = runtime::ParseAddress(session.router);
  if (!address.ok()) return address.status();
  std::vector<std::string> addresses = RoutersOf(session);
  const bool alone = addresses.empty();
  if (alone) addresses.push_back(session.router);
  return OperationsClient(std::move(addresses), alone, token);
}

absl::Status OperationsClient::Explain(const std::string& address, const grpc::Status& status) const {
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  const bool unreached =
      code == absl::StatusCode::kUnavailable || code == absl::StatusCode::kDeadlineExceeded;
  if (unreached || code == absl::StatusCode::kUnimplemented) {
    if (const std::string wrong = WrongPort(address, PortKind::kRouter); !wrong.empty())
      return absl::Status(code, wrong);
  }
  if (unreached) {
    return absl::Status(
        code, absl::StrCat("no router answers at ", address, " (", status.error_message(),
                           "); is it running? --router or RINGWAY_ROUTER set the address of one router, and "
                           "without them --controller that of the controller, which knows all"));
  }
  if (code == absl::StatusCode::kUnimplemented) {
    return absl::Status(
        code, absl::StrCat("the router at ", address,
                           " does not know this call: it is of an older release than this program"));
  }
  if (code == absl::StatusCode::kUnauthenticated || code == absl::StatusCode::kPermissionDenied) {
    return absl::Status(code,
                        absl::StrCat("the router at ", address, " refuses: ", status.error_message(),
                                     "; --fleet-token-file or RINGWAY_FLEET_TOKEN give the fleet's token"));
  }
  return absl::Status(code, absl::StrCat("the router at ", address, " says: ", status.error_message()));
}

template <class Reply, class Request, class Prepare>
absl::StatusOr<std::vector<Reply>> OperationsClient::Ask(const Request& request, Prepare prepare) {
  std::vector<v1::Operations::Stub*> stubs;
  for (const auto& stub : stubs_) stubs.push_back(stub.get());
  std::vector<Answer<Reply>> answers = AskAll<Reply>(stubs, request, kLimit, prepare);
  std::vector<Reply> replies;
  absl::Status refused, unknown;
  silent_ = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Answer<Reply>& answer = answers[i];
    if (answer.status.ok()) {
      replies.push_back(std::move(answer.reply));
    } else if (answer.status.error_code() == grpc::StatusCode::NOT_FOUND) {
      unknown.Update(absl::NotFoundError(answer.status.error_message()));
    } else {
      ++silent_;
      if (refused.ok()) refused = Explain(addresses_[i], answer.status);
    }
  }
  if (!replies.empty()) return replies;
  // What nobody knows may be known to one that did not answer; that it did not is told apart.
  if (unknown.ok()) return refused;
  return alone_ ? unknown : absl::NotFoundError("");
}

absl::StatusOr<std::vector<v1::WorkerListing>> OperationsClient::Workers() {
  v1::ListWorkersRequest request;
  request.set_own(!alone_);
  const auto replies = Ask<v1::ListWorkersReply>(
      request, [](v1::Operations::Stub& stub, auto* context, const auto& asked, auto* queue) {
        return stub.PrepareAsyncListWorkers(context, asked, queue);
      });
  if (!replies.ok()) return replies.status();
  std::vector<v1::WorkerListing> workers;
  for (const v1::ListWorkersReply& reply : *replies) {
    workers.insert(workers.end(), reply.workers().begin(), reply.workers().end());
  }
  std::stable_sort(workers.begin(), workers.end(), [](const auto& a, const auto& b) {
    return std::pair(a.region(), a.name()) < std::pair(b.region(), b.name());
  });
  return workers;
}

absl::StatusOr<std::vector<v1::ListJobsReply>> OperationsClient::Jobs(const v1::ListJobsRequest& request) {
  return Ask<v1::ListJobsReply>(
      request, [](v1::Operations::Stub& stub, auto* context, const auto& asked, auto* queue) {
        return stub.PrepareAsyncListJobs(context, asked, queue);
      });
}

absl::StatusOr<std::vector<v1::CancelReply>> OperationsClient::Cancel(v1::CancelRequest request) {
  request.mutable_by()->set_order(NewOrderName());
  return Ask<v1::CancelReply>(request,
                              [](v1::Operations::Stub& stub, auto* context, const auto& asked, auto* queue) {
                                return stub.PrepareAsyncCancel(context, asked, queue);
                              });
}

absl::StatusOr<std::vector<v1::DrainWorkersReply>> OperationsClient::Drain(v1::DrainWorkersRequest request) {
  request.set_own(!alone_);
  request.mutable_by()->set_order(NewOrderName());
  return Ask<v1::DrainWorkersReply>(
      request, [](v1::Operations::Stub& stub, auto* context, const auto& asked, auto* queue) {
        return stub.PrepareAsyncDrainWorkers(context, asked, queue);
      });
}

std::string OperationsClient::Silent() const {
  if (silent_ == 0) return "";
  return absl::StrCat(silent_, " of ", addresses_.size(), " routers did not answer and are left out");
}

absl::Status WithNearest(const absl::Status& status, std::string_view word,
                         const std::vector<std::string>& known) {
  const std::string suggestion = DidYouMean(word, {known.begin(), known.end()});
  return suggestion.empty() ? status
                            : absl::Status(status.code(), absl::StrCat(status.message(), "\n", suggestion));
}

std::string SpanText(double seconds) {
  const auto whole = static_cast<long long>(std::max(0.0, std::round(seconds)));
  if (whole < 60) return absl::StrCat(whole, " s");
  if (whole < 3600) return absl::StrCat(whole / 60, " min");
  return absl::StrCat(whole / 3600, " h ", whole % 3600 / 60, " min");
}

}  // namespace ringway::cli
