#include "gateway/webhook_signature.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/check.h"

namespace ringway::gateway {

absl::StatusOr<std::string> ReadWebhookSecret(std::string_view secret) {
  constexpr std::string_view kPrefix = "whsec_";
  const std::string_view text = secret.substr(secret.starts_with(kPrefix) ? kPrefix.size() : 0);
  std::string key;
  const bool read =
      text.size() < secret.size() && absl::Base64Unescape(absl::string_view(text.data(), text.size()), &key);
  if (!read || key.size() < kWebhookKeyBytesMin || key.size() > kWebhookKeyBytesMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("it is not whsec_ and ", kWebhookKeyBytesMin, " to ", kWebhookKeyBytesMax,
                     " bytes in base64; make one with: echo whsec_$(head -c 32 /dev/urandom | base64 -w0)"));
  }
  return key;
}

std::string SignWebhook(std::string_view key, std::string_view id, std::int64_t timestamp_s,
                        std::string_view body) {
  std::string text(id);
  absl::StrAppend(&text, ".", timestamp_s, ".");
  text += body;
  unsigned char mac[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  const unsigned char* made =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac, &size);
  RINGWAY_CHECK(made != nullptr);
  return absl::StrCat("v1,", absl::Base64Escape(absl::string_view(reinterpret_cast<const char*>(mac), size)));
}

}  // namespace ringway::gateway
