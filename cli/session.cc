#include "cli/session.h"

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/header_text.h"
#include "runtime/bearer_token.h"
#include "topology/topology.h"

namespace ringway::cli {
namespace {

ExitCode CodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kExitOk;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kExitUnreachable;
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kUnimplemented:
      return kExitRefused;
    default:
      return kExitNo;
  }
}

// It goes into a header of each call.
absl::Status CheckToken(const std::string& from, const std::string& token) {
  if (HeaderText::Parse(token, runtime::kTokenBytesMax)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(from, ": the token is longer than ", runtime::kTokenBytesMax,
                   " bytes or not printable ASCII; it must be the one that the controller has"));
}

absl::Status ReadTokenFrom(const char* variable, const std::string& path, std::string& token) {
  token.clear();
  if (path.empty()) {
    if (const char* from_environment = std::getenv(variable)) token = from_environment;
    return CheckToken(variable, token);
  }
  const absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  token = std::string(absl::StripAsciiWhitespace(*text));
  if (token.empty() || token.find_first_of("\r\n") != std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": found ", token.empty() ? "nothing" : "several lines", "; allowed: one line with the token"));
  }
  return CheckToken(path, token);
}

}  // namespace

int Fail(Session& session, const absl::Status& status) {
  for (const absl::string_view line : absl::StrSplit(status.message(), '\n')) {
    session.err << "ringway: " << line << "\n";
  }
  return CodeOf(status);
}

absl::Status ReadToken(const Session& session, std::string& token) {
  return ReadTokenFrom("RINGWAY_TOKEN", session.token_file, token);
}

absl::Status ReadFleetToken(const Session& session, std::string& token) {
  return ReadTokenFrom("RINGWAY_FLEET_TOKEN", session.fleet_token_file, token);
}

}  // namespace ringway::cli
