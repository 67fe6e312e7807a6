#include "worker/backends/upstream_url.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/address.h"

namespace ringway::worker {

absl::StatusOr<UpstreamUrl> ParseUpstreamUrl(std::string_view text) {
  constexpr std::string_view kScheme = "http://";
  const auto bad = [text](const char* problem) {
    return absl::InvalidArgumentError(
        absl::StrCat("upstream '", absl::string_view(text.data(), text.size()), "' ", problem,
                     "; write for example http://127.0.0.1:8000/v1/images/generations"));
  };
  if (text.substr(0, 8) == "https://") return bad("is https; only plain http beside the worker is supported");
  if (text.substr(0, kScheme.size()) != kScheme) return bad("does not start with http://");
  const bool printable = std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  if (!printable) return bad("contains a character that is not allowed in a URL");

  const std::string_view rest = text.substr(kScheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const std::string authority(rest.substr(0, slash));
  UpstreamUrl url;
  if (slash < rest.size()) url.target = std::string(rest.substr(slash));
  // A bracketed IPv6 host contains colons of its own.
  const std::size_t colon = authority.rfind(':');
  const bool port_given = colon != std::string::npos && authority.find(']', colon) == std::string::npos;
  const auto address = runtime::ParseAddress(port_given ? authority : authority + ":80");
  if (!address.ok() || address->port == 0) return bad("has no valid host[:port]");
  url.host = address->host;
  url.port = std::to_string(address->port);
  return url;
}

}  // namespace ringway::worker
