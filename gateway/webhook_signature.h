// How a webhook proves that it comes from here: the symmetric signature of the Standard Webhooks, which the
// OpenAI clients check too.
//
// webhook-signature: v1,BASE64(HMAC-SHA256(key, ID.TIMESTAMP.BODY)), where the key is what "whsec_BASE64"
// holds. The timestamp is signed with the rest, so that who records a call cannot replay it later.
//
// Source: the specification at standardwebhooks.com; the HMAC is OpenSSL's. Threads: values.
#ifndef RINGWAY_GATEWAY_WEBHOOK_SIGNATURE_H_
#define RINGWAY_GATEWAY_WEBHOOK_SIGNATURE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace ringway::gateway {

inline constexpr std::size_t kWebhookKeyBytesMin = 16, kWebhookKeyBytesMax = 64;

// The key in "whsec_BASE64". Errors: InvalidArgument, in words for the operator; never with the secret in it.
absl::StatusOr<std::string> ReadWebhookSecret(std::string_view secret);

// The value of webhook-signature.
std::string SignWebhook(std::string_view key, std::string_view id, std::int64_t timestamp_s,
                        std::string_view body);

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_WEBHOOK_SIGNATURE_H_
