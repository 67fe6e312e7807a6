// What a request line asks for: one of the routes of the API, the job it is about, and the query.
//
// Paths are matched as they stand; an id may be percent-encoded. What is not here is kUnknown (404), or
// kOtherMethod (405) when only the method is wrong.
//
// Pure. Threads: values. Linear in the target; kQueryMax parameters.
#ifndef RINGWAY_GATEWAY_JOBS_ROUTE_H_
#define RINGWAY_GATEWAY_JOBS_ROUTE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringway::gateway {

struct Route {
  enum class Kind : std::uint8_t {
    kUnknown,
    kOtherMethod,
    kCreate,          // POST /v1/videos
    kCreateSync,      // POST /v1/videos/sync
    kList,            // GET /v1/videos
    kGet,             // GET /v1/videos/{id}
    kContent,         // GET /v1/videos/{id}/content
    kEvents,          // GET /v1/videos/{id}/events
    kDelete,          // DELETE /v1/videos/{id}
    kImage,           // POST /v1/images/generations
    kImageEdit,       // POST /v1/images/edits
    kImageVariation,  // POST /v1/images/variations
    kModels,          // GET /v1/models
    kModel,           // GET /v1/models/{id}
    kOpenApi,         // GET /openapi.json
  };
  static constexpr std::size_t kQueryMax = 16;

  Kind kind = Kind::kUnknown;
  std::string id = {};
  std::string allow = {};  // with kOtherMethod: methods that are served
  std::map<std::string, std::string> query = {};

  bool draws() const {
    return kind == Kind::kImage || kind == Kind::kImageEdit || kind == Kind::kImageVariation;
  }
  bool creates() const { return kind == Kind::kCreate || kind == Kind::kCreateSync || draws(); }
};

// For metrics and tests: "POST /v1/videos" and its like; the kinds that are not served have a word.
std::string_view RouteName(Route::Kind kind);

Route ReadRoute(std::string_view method, std::string_view target);

// All that is served, as method and path with {id}; for the test of the OpenAPI document.
struct ServedRoute {
  std::string_view method;
  std::string_view path;
  Route::Kind kind;
};
const std::vector<ServedRoute>& ServedRoutes();

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_ROUTE_H_
