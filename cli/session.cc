#include "cli/session.h"

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
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

}  // namespace

int Fail(Session& session, const absl::Status& status) {
  for (const absl::string_view line : absl::StrSplit(status.message(), '\n')) {
    session.err << "ringway: " << line << "\n";
  }
  return CodeOf(status);
}

absl::Status ReadToken(const Session& session, std::string& token) {
  token.clear();
  if (session.token_file.empty()) {
    if (const char* from_environment = std::getenv("RINGWAY_TOKEN")) token = from_environment;
    return absl::OkStatus();
  }
  const absl::StatusOr<std::string> text = ReadTextFile(session.token_file);
  if (!text.ok()) return text.status();
  token = std::string(absl::StripAsciiWhitespace(*text));
  if (token.empty() || token.find_first_of("\r\n") != std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat(session.token_file, ": found ",
                                                   token.empty() ? "nothing" : "several lines",
                                                   "; allowed: one line with the token"));
  }
  return absl::OkStatus();
}

}  // namespace ringway::cli
