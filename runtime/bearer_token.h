// A shared secret between programs, as `authorization: Bearer ...` beside a gRPC call.
//
// A token is one line of a file, kTokenBytesMin to kTokenBytesMax bytes after white space is stripped. A
// server that has none admits everybody. A call without a token is UNAUTHENTICATED, with a wrong one
// PERMISSION_DENIED; tokens are compared in a time that does not depend on where they differ. The token is
// never logged. There is no encryption here: it protects against mistakes and strangers inside a network that
// is trusted, not against who can read the wire.
//
// Threads: pure functions, apart from reading the file.
#ifndef RINGWAY_RUNTIME_BEARER_TOKEN_H_
#define RINGWAY_RUNTIME_BEARER_TOKEN_H_

#include <grpcpp/grpcpp.h>

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace ringway::runtime {

inline constexpr std::size_t kTokenBytesMin = 16;
inline constexpr std::size_t kTokenBytesMax = 4096;

// Errors: InvalidArgument, naming `flag`, the file and what is allowed.
absl::StatusOr<std::string> ReadTokenFile(std::string_view flag, const std::string& path);

// Takes as long wherever the first difference is. An empty secret is never matched.
bool SameSecret(std::string_view guess, std::string_view secret);

// On a client: nothing happens with an empty token.
void PresentToken(grpc::ClientContext& context, const std::string& token);

// On a server: OK, UNAUTHENTICATED or PERMISSION_DENIED. `flag`: how whoever calls gives its token.
grpc::Status CheckToken(const grpc::ServerContextBase& context, std::string_view token,
                        std::string_view flag);

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_BEARER_TOKEN_H_
