// A shared secret between programs, as `authorization: Bearer ...` beside a gRPC call.
//
// A token is one line of a file, kTokenBytesMin to kTokenBytesMax bytes after white space is stripped. It is
// never logged. The fleet's token is the one that all programs of a fleet share: every port that other
// machines can reach needs it (runtime/call_guard.h checks it), and every call from one program of the fleet
// to another carries it (runtime/grpc_server.h, MakeChannel). Operators' tokens are others.
//
// Threads: pure functions, apart from reading the file.
#ifndef RINGWAY_RUNTIME_BEARER_TOKEN_H_
#define RINGWAY_RUNTIME_BEARER_TOKEN_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace ringway::runtime {

inline constexpr std::size_t kTokenBytesMin = 16;
inline constexpr std::size_t kTokenBytesMax = 4096;
inline constexpr char kTokenHeader[] = "authorization";
// The same flag at every program, with the same meaning.
inline constexpr char kFleetTokenFlag[] = "--fleet-token-file";
inline constexpr char kFleetTokenHelp[] =
    "file with the token that the programs of a fleet present to each other; needed off loopback";
inline constexpr char kFleetTokenOptionalFlag[] = "--fleet-token-optional";
inline constexpr char kFleetTokenOptionalHelp[] =
    "admit and report callers without the fleet's token: for the time in which a fleet is given one";

// Errors: InvalidArgument, naming `flag`, the file and what is allowed.
absl::StatusOr<std::string> ReadTokenFile(std::string_view flag, const std::string& path);

// The fleet's token as the command line has it: `path` of the flag, may be empty; `listen` is host:port of
// the gRPC port. Errors: InvalidArgument, also when other machines can reach the port and there is no token.
absl::StatusOr<std::string> ReadFleetToken(const std::string& path, const std::string& listen);

// Takes as long wherever the first difference is. An empty secret is never matched.
bool SameSecret(std::string_view guess, std::string_view secret);

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_BEARER_TOKEN_H_
