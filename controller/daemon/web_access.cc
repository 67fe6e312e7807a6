#include "controller/daemon/web_access.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/bearer_token.h"

namespace ringway::controller {
namespace {

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// "name:7401" -> "name", "[::1]:7401" -> "::1".
std::string_view HostName(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.rfind(':'));
}

bool IsAddress(std::string_view name) {
  boost::system::error_code failed;
  boost::asio::ip::make_address(std::string(name), failed);
  return !failed;
}

bool KnownHost(const WebAccess& access, std::string_view host) {
  const std::string_view name = HostName(host);
  if (http::SameName(name, "localhost") || IsAddress(name)) return true;
  return std::any_of(access.hosts.begin(), access.hosts.end(),
                     [name](const std::string& known) { return http::SameName(name, known); });
}

// "http://host:port" with the very host and port that were asked.
bool SameOrigin(std::string_view origin, std::string_view host) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme) && http::SameName(origin.substr(scheme.size()), host)) return true;
  }
  return false;
}

bool HasToken(const http::Head& request, const std::string& token) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view value = request.Value("Authorization");
  return value.starts_with(kBearer) && runtime::SameSecret(value.substr(kBearer.size()), token);
}

}  // namespace

WebVerdict MayAsk(const WebAccess& access, const http::Head& request) {
  const std::string_view host = request.Value("Host");
  if (KnownHost(access, host)) return {};
  return {403, absl::StrCat("Host is '", View(host.substr(0, 200)),
                            "': an address, localhost, or a name given with --dashboard-host is allowed")};
}

WebVerdict MaySee(const WebAccess& access, const http::Head& request) {
  if (WebVerdict verdict = MayAsk(access, request); !verdict) return verdict;
  const http::Field* origin = request.Find("Origin");
  if (origin != nullptr && !SameOrigin(origin->value, request.Value("Host"))) {
    return {403, "Origin is another site: only the controller's own page may ask"};
  }
  const std::string_view site = request.Value("Sec-Fetch-Site");
  if (!site.empty() && site != "same-origin" && site != "none") {
    return {403, "the request comes from another site: only the controller's own page may ask"};
  }
  if (access.token.empty()) {
    if (access.loopback) return {};
    return {
        403,
        "this controller can be reached from other machines and has no token: start it with --token-file"};
  }
  if (request.Find("Authorization") == nullptr) {
    return {401, "this controller wants 'Authorization: Bearer <token>'"};
  }
  if (HasToken(request, access.token)) return {};
  return {401, "the token is not the one that this controller was given"};
}

WebVerdict MayPost(const WebAccess& access, const http::Head& request) {
  if (WebVerdict verdict = MaySee(access, request); !verdict) return verdict;
  const std::string_view type = request.Value("Content-Type");
  if (http::SameName(type.substr(0, type.find(';')), "application/json")) return {};
  return {415, "send the body as application/json"};
}

WebVerdict MayOrder(const WebAccess& access, const http::Head& request) {
  if (WebVerdict verdict = MayPost(access, request); !verdict) return verdict;
  if (access.writes) return {};
  return {403,
          "the dashboard is for looking only: start the controller with --dashboard-writes, or use ringway"};
}

}  // namespace ringway::controller
