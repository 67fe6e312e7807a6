#include "cli/admin_client.h"

#include <google/protobuf/util/json_util.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "cli/context/endpoints.h"
#include "cli/order_names.h"
#include "cli/port_probe.h"
#include "runtime/address.h"
#include "runtime/grpc_server.h"

namespace ringway::cli {
namespace {

constexpr auto kCallLimit = std::chrono::seconds(5);

}  // namespace

AdminClient::AdminClient(std::string address, const std::string& token)
    : address_(std::move(address)),
      stub_(v1::Admin::NewStub(runtime::MakeChannel(address_, runtime::kFleetBytesMax, token))) {}

absl::StatusOr<AdminClient> AdminClient::Connect(Session& session) {
  if (absl::Status used = UseContext(session); !used.ok()) return used;
  std::string token;
  if (absl::Status status = ReadToken(session, token); !status.ok()) return status;
  const absl::StatusOr<runtime::Address> address = runtime::ParseAddress(session.controller);
  if (!address.ok()) return address.status();
  return AdminClient(session.controller, token);
}

void AdminClient::Prepare(grpc::ClientContext& context) {
  context.set_deadline(std::chrono::system_clock::now() + kCallLimit);
}

absl::Status AdminClient::Explain(const grpc::Status& status) const {
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  if (code == absl::StatusCode::kUnavailable || code == absl::StatusCode::kDeadlineExceeded ||
      code == absl::StatusCode::kUnimplemented) {
    if (const std::string wrong = WrongPort(address_, PortKind::kController); !wrong.empty())
      return absl::Status(code, wrong);
  }
  if (code == absl::StatusCode::kUnimplemented) {
    return absl::Status(
        code, absl::StrCat("the controller at ", address_,
                           " does not know this call: it is of an older release than this program"));
  }
  if (code == absl::StatusCode::kUnavailable || code == absl::StatusCode::kDeadlineExceeded) {
    return absl::Status(
        code,
        absl::StrCat("no controller answers at ", address_, " (", status.error_message(),
                     "); is it running? --controller or RINGWAY_CONTROLLER set the address, or a context"));
  }
  if (code == absl::StatusCode::kUnauthenticated || code == absl::StatusCode::kPermissionDenied) {
    return absl::Status(code,
                        absl::StrCat("the controller at ", address_, " refuses: ", status.error_message(),
                                     "; --token-file or RINGWAY_TOKEN give the admin token"));
  }
  return absl::Status(code, absl::StrCat("the controller at ", address_, " says: ", status.error_message()));
}

absl::Status AdminClient::WithSuggestion(absl::Status status, const std::vector<std::string>& names) {
  if (status.code() != absl::StatusCode::kNotFound) return status;
  const absl::StatusOr<v1::StatusReply> fleet = Call(&v1::Admin::Stub::Status, v1::StatusRequest());
  if (!fleet.ok()) return status;
  const std::string hint = HintFor(*fleet, names);
  if (!hint.empty()) return absl::NotFoundError(absl::StrCat(status.message(), "\n", hint));
  return status;
}

std::string OperatorName() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  // Cron, containers and services have no $USER; the user has a name all the same.
  const char* user = std::getenv("USER");
  const passwd* known = user == nullptr || *user == '\0' ? getpwuid(geteuid()) : nullptr;
  if (known != nullptr) user = known->pw_name;
  return absl::StrCat(user != nullptr && *user != '\0' ? user : absl::StrCat("uid", geteuid()), "@", host);
}

std::string MessageJson(const google::protobuf::Message& message, bool one_line) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = !one_line;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string text;
  const auto status = google::protobuf::util::MessageToJsonString(message, &text, options);
  return status.ok() ? text : absl::StrCat("{\"error\": \"", status.ToString(), "\"}\n");
}

}  // namespace ringway::cli
