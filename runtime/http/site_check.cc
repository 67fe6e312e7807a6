#include "runtime/http/site_check.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include "runtime/bearer_token.h"

namespace ringway::http {
namespace {

// "name:7401" -> "name", "[::1]:7401" -> "::1".
std::string_view HostName(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.rfind(':'));
}

bool IsAddress(std::string_view name) {
  boost::system::error_code failed;
  const std::string text(name);
  if (name.find(':') != std::string_view::npos) {
    boost::asio::ip::make_address_v6(text, failed);
  } else {
    boost::asio::ip::make_address_v4(text, failed);
  }
  return !failed;
}

// "http://host:port" with the very host and port that were asked.
bool SameOrigin(std::string_view origin, std::string_view host) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme) && SameName(origin.substr(scheme.size()), host)) return true;
  }
  return false;
}

}  // namespace

bool IsKnownHost(const Head& request, const std::vector<std::string>& names) {
  const std::string_view name = HostName(request.Value("Host"));
  if (SameName(name, "localhost") || IsAddress(name)) return true;
  return std::any_of(names.begin(), names.end(),
                     [name](const std::string& known) { return SameName(name, known); });
}

std::string_view ForeignSite(const Head& request) {
  const Field* origin = request.Find("Origin");
  if (origin != nullptr && !SameOrigin(origin->value, request.Value("Host"))) return "Origin is another site";
  const std::string_view site = request.Value("Sec-Fetch-Site");
  if (!site.empty() && site != "same-origin" && site != "none") return "the request comes from another site";
  return {};
}

bool CarriesToken(const Head& request, std::string_view token) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view value = request.Value("Authorization");
  return value.starts_with(kBearer) && runtime::SameSecret(value.substr(kBearer.size()), token);
}

}  // namespace ringway::http
