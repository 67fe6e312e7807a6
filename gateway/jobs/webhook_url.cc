#include "gateway/jobs/webhook_url.h"

#include <algorithm>

namespace ringway::gateway {

std::optional<WebhookUrl> ParseWebhookUrl(std::string_view text) {
  constexpr std::string_view kScheme = "http://";
  const auto unsafe = [](char c) { return c <= ' ' || c >= 0x7f || c == '#' || c == '@' || c == '\\'; };
  if (!text.starts_with(kScheme) || std::any_of(text.begin(), text.end(), unsafe)) return std::nullopt;
  text.remove_prefix(kScheme.size());
  const std::size_t end = std::min({text.find('/'), text.find('?'), text.size()});
  const std::string_view authority = text.substr(0, end);
  const std::size_t colon = authority.find(':');
  WebhookUrl url;
  url.host = std::string(authority.substr(0, colon));
  if (colon != std::string_view::npos) url.port = std::string(authority.substr(colon + 1));
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (url.host.empty() || url.port.empty() || url.port.size() > 5) return std::nullopt;
  if (!std::all_of(url.port.begin(), url.port.end(), digit)) return std::nullopt;
  if (end < text.size()) url.target = (text[end] == '?' ? "/" : "") + std::string(text.substr(end));
  return url;
}

}  // namespace ringway::gateway
