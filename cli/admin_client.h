// Calls to a controller's admin service, with errors that say what to do.
//
// One blocking unary call at a time with a deadline. The token, if there is one, travels as
// `authorization: Bearer ...`; a token is never sent off loopback unless the operator gave it. gRPC's status
// codes become absl ones; Unavailable names the address and the flag.
//
// Threads: one owner.
#ifndef RINGWAY_CLI_ADMIN_CLIENT_H_
#define RINGWAY_CLI_ADMIN_CLIENT_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/session.h"
#include "ringway/v1/admin.grpc.pb.h"

namespace ringway::cli {

class AdminClient {
 public:
  AdminClient(std::string address, const std::string& token);
  // With the session's address and token, after UseContext. Errors: those of UseContext and ReadToken,
  // InvalidArgument for a bad address.
  static absl::StatusOr<AdminClient> Connect(Session& session);

  // For example Call(&v1::Admin::Stub::Status, request). Errors: Unavailable and what the controller says.
  template <class Request, class Reply>
  absl::StatusOr<Reply> Call(grpc::Status (v1::Admin::Stub::*method)(grpc::ClientContext*, const Request&,
                                                                     Reply*),
                             const Request& request) {
    grpc::ClientContext context;
    Prepare(context);
    Reply reply;
    const grpc::Status status = ((*stub_).*method)(&context, request, &reply);
    if (!status.ok()) return Explain(status);
    return reply;
  }

  // A name that the controller does not know gets the nearest one that it does, if there is one.
  absl::Status WithSuggestion(absl::Status status, const std::vector<std::string>& names);

 private:
  static void Prepare(grpc::ClientContext& context);
  absl::Status Explain(const grpc::Status& status) const;

  std::string address_;
  std::unique_ptr<v1::Admin::Stub> stub_;
};

// Who gives the order, for the audit log: $USER, else what the system calls the user, and the machine's name.
std::string OperatorName();

// A protobuf message as JSON text, with the field names of the .proto and every field present.
// `one_line`: without line breaks.
std::string MessageJson(const google::protobuf::Message& message, bool one_line = false);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_ADMIN_CLIENT_H_
