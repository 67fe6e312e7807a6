#include "runtime/bearer_token.h"

#include <fstream>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace ringway::runtime {
namespace {

constexpr char kHeader[] = "authorization";
constexpr std::string_view kBearer = "Bearer ";

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

bool SameSecret(std::string_view guess, std::string_view secret) {
  if (secret.empty()) return false;
  unsigned difference = guess.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < guess.size(); ++i) {
    difference |=
        static_cast<unsigned char>(guess[i]) ^ static_cast<unsigned char>(secret[i % secret.size()]);
  }
  return difference == 0;
}

absl::StatusOr<std::string> ReadTokenFile(std::string_view flag, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::InvalidArgumentError(absl::StrCat(View(flag), ": cannot read ", path));
  std::string token(std::istreambuf_iterator<char>(file), {});
  absl::StripAsciiWhitespace(&token);
  if (token.find_first_of("\r\n") != std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat(View(flag), ": ", path, " holds several lines; allowed: one line with the token"));
  }
  if (token.size() >= kTokenBytesMin && token.size() <= kTokenBytesMax) return token;
  return absl::InvalidArgumentError(absl::StrCat(View(flag), ": ", path, " holds a token of ", token.size(),
                                                 " bytes; ", kTokenBytesMin, " to ", kTokenBytesMax,
                                                 " are allowed. Make one with: openssl rand -hex 32"));
}

void PresentToken(grpc::ClientContext& context, const std::string& token) {
  if (!token.empty()) context.AddMetadata(kHeader, std::string(kBearer) + token);
}

grpc::Status CheckToken(const grpc::ServerContextBase& context, std::string_view token,
                        std::string_view flag) {
  if (token.empty()) return grpc::Status::OK;
  const auto header = context.client_metadata().find(kHeader);
  if (header == context.client_metadata().end()) {
    return {grpc::StatusCode::UNAUTHENTICATED,
            absl::StrCat("this controller wants 'authorization: Bearer <token>'; give it with ", View(flag))};
  }
  const std::string_view value(header->second.data(), header->second.size());
  if (!value.starts_with(kBearer) || !SameSecret(value.substr(kBearer.size()), token)) {
    return {grpc::StatusCode::PERMISSION_DENIED,
            absl::StrCat("the token is not the one that this controller was given; check ", View(flag))};
  }
  return grpc::Status::OK;
}

}  // namespace ringway::runtime
