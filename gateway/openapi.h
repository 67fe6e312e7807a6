// The OpenAPI document of the videos API, as it is served at /openapi.json.
//
// Written by hand, because it promises and does not describe.
// The file openapi.json, embedded by the build, so that what is served and what serves it are of one release;
// a test holds it against the routes and their answers. Threads: constant.
#ifndef RINGWAY_GATEWAY_OPENAPI_H_
#define RINGWAY_GATEWAY_OPENAPI_H_

#include <string_view>

namespace ringway::gateway {

std::string_view OpenApiDocument();

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_OPENAPI_H_
