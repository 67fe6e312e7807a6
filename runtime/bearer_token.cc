#include "runtime/bearer_token.h"

#include <fstream>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "core/header_text.h"
#include "runtime/address.h"

namespace ringway::runtime {
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
  if (!file) return absl::InvalidArgumentError(absl::StrCat(AbslView(flag), ": cannot read ", path));
  std::string token(std::istreambuf_iterator<char>(file), {});
  absl::StripAsciiWhitespace(&token);
  if (token.find_first_of("\r\n") != std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat(AbslView(flag), ": ", path, " holds several lines; allowed: one line with the token"));
  }
  if (!HeaderText::Parse(token, token.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat(AbslView(flag), ": ", path,
                     " holds a byte that is not printable ASCII; make a token with: openssl rand -hex 32"));
  }
  if (token.size() >= kTokenBytesMin && token.size() <= kTokenBytesMax) return token;
  return absl::InvalidArgumentError(
      absl::StrCat(AbslView(flag), ": ", path, " holds a token of ", token.size(), " bytes; ", kTokenBytesMin,
                   " to ", kTokenBytesMax, " are allowed. Make one with: openssl rand -hex 32"));
}

absl::StatusOr<std::string> ReadFleetToken(const std::string& path, const std::string& listen) {
  if (!path.empty()) return ReadTokenFile(kFleetTokenFlag, path);
  const auto address = ParseAddress(listen);
  if (!address.ok())
    return absl::InvalidArgumentError(absl::StrCat("--listen: ", address.status().message()));
  if (IsLoopback(*address)) return "";
  return absl::InvalidArgumentError(
      absl::StrCat("--listen ", listen,
                   " can be reached from other machines, so the programs of the fleet need a token: give the "
                   "same file to all of them with ",
                   kFleetTokenFlag, " (make one with: openssl rand -hex 32)"));
}

}  // namespace ringway::runtime
