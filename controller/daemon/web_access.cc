#include "controller/daemon/web_access.h"

#include "absl/strings/str_cat.h"
#include "runtime/http/site_check.h"

namespace ringway::controller {
namespace {

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

WebVerdict MayAsk(const WebAccess& access, const http::Head& request) {
  const std::string_view host = request.Value("Host");
  if (http::IsKnownHost(request, access.hosts)) return {};
  return {403, absl::StrCat("Host is '", View(host.substr(0, 200)),
                            "': an address, localhost, or a name given with --dashboard-host is allowed")};
}

WebVerdict MaySee(const WebAccess& access, const http::Head& request) {
  if (WebVerdict verdict = MayAsk(access, request); !verdict) return verdict;
  if (const std::string_view foreign = http::ForeignSite(request); !foreign.empty()) {
    return {403, absl::StrCat(View(foreign), ": only the controller's own page may ask")};
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
  if (http::CarriesToken(request, access.token)) return {};
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
