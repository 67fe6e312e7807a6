// Where a completion webhook goes: http://host[:port][/path].
//
// Plain HTTP, to hosts that the operator lists: whoever can name any address could make the router call
// where only the router can reach. No user, no fragment, no byte that could end a header line.
//
// Pure. Threads: values. Linear in the text.
#ifndef RINGWAY_GATEWAY_JOBS_WEBHOOK_URL_H_
#define RINGWAY_GATEWAY_JOBS_WEBHOOK_URL_H_

#include <optional>
#include <string>
#include <string_view>

namespace ringway::gateway {

struct WebhookUrl {
  std::string host;
  std::string port = "80";
  std::string target = "/";
  std::string Authority() const { return host + ":" + port; }
};

// Nothing: not of that form.
std::optional<WebhookUrl> ParseWebhookUrl(std::string_view text);

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_WEBHOOK_URL_H_
