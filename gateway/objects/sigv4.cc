#include "gateway/objects/sigv4.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "core/check.h"

namespace ringway::gateway::objects {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kService = "s3";
constexpr std::string_view kTermination = "aws4_request";

std::string Hmac(std::string_view key, std::string_view text) {
  unsigned char mac[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  const unsigned char* made =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac, &size);
  RINGWAY_CHECK(made != nullptr);
  return std::string(reinterpret_cast<const char*>(mac), size);
}

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

// Without the spaces around it, and one where several stood.
std::string Trimmed(std::string_view value) {
  std::string text;
  for (const char c : value) {
    const bool space = c == ' ';
    if (space && (text.empty() || text.back() == ' ')) continue;
    text += c;
  }
  if (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string NamesOf(const SignedRequest& request) {
  std::string names;
  for (const auto& [name, value] : request.fields) absl::StrAppend(&names, names.empty() ? "" : ";", name);
  return names;
}

std::string CanonicalRequest(const SignedRequest& request) {
  std::string text = absl::StrCat(request.method, "\n", UriEncoded(request.path, true), "\n",
                                  CanonicalQuery(request.query), "\n");
  for (const auto& [name, value] : request.fields) absl::StrAppend(&text, name, ":", Trimmed(value), "\n");
  absl::StrAppend(&text, "\n", NamesOf(request), "\n", request.body_sha256);
  return text;
}

}  // namespace

struct Sha256::State {
  EVP_MD_CTX* context = nullptr;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  state_->context = EVP_MD_CTX_new();
  RINGWAY_CHECK(state_->context != nullptr && EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() { EVP_MD_CTX_free(state_->context); }

void Sha256::Add(std::string_view bytes) {
  RINGWAY_CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::Hex() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  RINGWAY_CHECK(EVP_DigestFinal_ex(state_->context, digest, &size) == 1);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), size));
}

std::string Sha256::Of(std::string_view bytes) {
  Sha256 sum;
  sum.Add(bytes);
  return sum.Hex();
}

std::string UriEncoded(std::string_view text, bool slashes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (IsUnreserved(c) || (slashes && c == '/')) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte >> 4];
    encoded += kDigits[byte & 15];
  }
  return encoded;
}

std::string CanonicalQuery(const std::map<std::string, std::string>& query) {
  std::string text;
  for (const auto& [name, value] : query) {
    absl::StrAppend(&text, text.empty() ? "" : "&", UriEncoded(name, false), "=", UriEncoded(value, false));
  }
  return text;
}

std::string AmzDate(Time at) { return absl::FormatTime("%Y%m%dT%H%M%SZ", at, absl::UTCTimeZone()); }

std::string Authorization(const SignedRequest& request, const Credentials& credentials,
                          std::string_view region, Time at) {
  const std::string date = AmzDate(at);
  const std::string day = date.substr(0, 8);
  const std::string scope =
      absl::StrCat(day, "/", AbslView(region), "/", AbslView(kService), "/", AbslView(kTermination));
  const std::string text = absl::StrCat(AbslView(kAlgorithm), "\n", date, "\n", scope, "\n",
                                        Sha256::Of(CanonicalRequest(request)));
  std::string key = Hmac(absl::StrCat("AWS4", credentials.secret), day);
  for (const std::string_view part : {region, kService, kTermination}) key = Hmac(key, part);
  return absl::StrCat(AbslView(kAlgorithm), " Credential=", credentials.key_id, "/", scope,
                      ",SignedHeaders=", NamesOf(request),
                      ",Signature=", absl::BytesToHexString(Hmac(key, text)));
}

}  // namespace ringway::gateway::objects
