#include "runtime/http/target.h"

#include <algorithm>

namespace ringway::http {
namespace {

constexpr std::string_view kHost = "Host";

// What stands behind "http://" or "https://"; empty data: the target is not in absolute form.
std::string_view BehindScheme(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (target.size() >= scheme.size() && SameName(target.substr(0, scheme.size()), scheme)) {
      return target.substr(scheme.size());
    }
  }
  return {};
}

}  // namespace

bool ResolveTarget(Head& request) {
  // "*", "/path" and the authority of CONNECT stay as they are.
  const std::string_view rest = BehindScheme(request.target);
  if (rest.data() == nullptr) return true;
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  const std::string_view authority = rest.substr(0, end);
  if (authority.empty() || authority.front() == ':' || authority.find('@') != std::string_view::npos)
    return false;
  const std::string_view path = rest.substr(end);
  // "http://host?query" has no slash to begin with, and nobody means it.
  if (!path.empty() && path.front() != '/') return false;
  const std::string_view whole_server = request.method == "OPTIONS" ? "*" : "/";
  request.target = path.empty() ? whole_server : path;
  for (Field& field : request.fields) {
    if (!SameName(field.name, kHost)) continue;
    field.value = authority;
    return true;
  }
  if (request.fields.size() >= kFieldsMax) return false;
  request.fields.push_back({kHost, authority});
  return true;
}

}  // namespace ringway::http
