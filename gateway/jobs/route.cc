#include "gateway/jobs/route.h"

#include <optional>

namespace ringway::gateway {
namespace {

using Kind = Route::Kind;

std::optional<int> HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// What is not a proper escape stays as it is.
std::string Decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const auto high = HexDigit(text[i + 1]), low = HexDigit(text[i + 2]);
      if (high && low) {
        out += static_cast<char>(*high * 16 + *low);
        i += 2;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

void ReadQuery(std::string_view query, Route& route) {
  while (!query.empty() && route.query.size() < Route::kQueryMax) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view value = equals < pair.size() ? pair.substr(equals + 1) : std::string_view();
    route.query[Decoded(pair.substr(0, equals))] = Decoded(value);
    query.remove_prefix(std::min(end + 1, query.size()));
  }
}

// The pattern's {id} takes one segment that is not empty.
bool Matches(std::string_view pattern, std::string_view path, std::string& id) {
  constexpr std::string_view kId = "{id}";
  const std::size_t at = pattern.find(kId);
  if (at == std::string_view::npos) return pattern == path;
  const std::string_view before = pattern.substr(0, at), behind = pattern.substr(at + kId.size());
  if (path.size() <= before.size() + behind.size()) return false;
  if (!path.starts_with(before) || !path.ends_with(behind)) return false;
  const std::string_view segment = path.substr(before.size(), path.size() - before.size() - behind.size());
  if (segment.find('/') != std::string_view::npos) return false;
  id = Decoded(segment);
  return true;
}

}  // namespace

const std::vector<ServedRoute>& ServedRoutes() {
  // Words before {id}: "sync" is no id.
  static const std::vector<ServedRoute> served = {
      {"POST", "/v1/videos", Kind::kCreate},
      {"GET", "/v1/videos", Kind::kList},
      {"POST", "/v1/videos/sync", Kind::kCreateSync},
      {"GET", "/v1/videos/{id}", Kind::kGet},
      {"DELETE", "/v1/videos/{id}", Kind::kDelete},
      {"GET", "/v1/videos/{id}/content", Kind::kContent},
      {"GET", "/v1/videos/{id}/events", Kind::kEvents},
      {"POST", "/v1/images/generations", Kind::kImage},
      {"POST", "/v1/images/edits", Kind::kImageEdit},
      {"POST", "/v1/images/variations", Kind::kImageVariation},
      {"GET", "/v1/models", Kind::kModels},
      {"GET", "/v1/models/{id}", Kind::kModel},
      {"GET", "/openapi.json", Kind::kOpenApi},
  };
  return served;
}

std::string_view RouteName(Kind kind) {
  if (kind == Kind::kOtherMethod) return "other method";
  for (const ServedRoute& served : ServedRoutes()) {
    if (served.kind == kind) return served.path;
  }
  return "unknown";
}

Route ReadRoute(std::string_view method, std::string_view target) {
  Route route;
  const std::size_t mark = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, mark);
  const std::string_view asked = method == "HEAD" ? std::string_view("GET") : method;
  std::string_view matched;  // the first pattern that fits: later ones are other resources
  for (const ServedRoute& served : ServedRoutes()) {
    if (!matched.empty() && served.path != matched) continue;
    if (!Matches(served.path, path, route.id)) continue;
    matched = served.path;
    if (served.method == asked) {
      route.kind = served.kind;
      route.allow.clear();
      if (mark < target.size()) ReadQuery(target.substr(mark + 1), route);
      return route;
    }
    route.kind = Kind::kOtherMethod;
    if (!route.allow.empty()) route.allow += ", ";
    route.allow += served.method;
  }
  return route;
}

}  // namespace ringway::gateway
