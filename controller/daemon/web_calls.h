// What a path under /api/v1/ stands for: a document to make, or an order to carry out, on the control loop.
//
// GET world, fleet, table, events?after=N, timeline?tier=T, region?tier=T&region=R, request?id=I,
// workers?tier=T&region=R, routers?region=R, orders?tier=T, audit?limit=N, history?tier=T&limit=N,
// diff?tier=T&before=E.V&after=E.V; lists take from=N and limit=N where they come in pages. POST dryrun,
// drain and threshold take the request of the same call of the Admin service in its JSON form (admin.proto),
// so both doors have one set of checks. An order's `by.who` is completed with where it came from, because a
// name that a page sends is only a claim.
//
// Finding a call is pure; running one is the control loop's. Errors of both are sentences for a person.
#ifndef RINGWAY_CONTROLLER_DAEMON_WEB_CALLS_H_
#define RINGWAY_CONTROLLER_DAEMON_WEB_CALLS_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "controller/daemon/dashboard.h"

namespace ringway::controller {

inline constexpr std::string_view kApiPrefix = "/api/v1/";

// Runs on the control loop and answers once, with JSON; on that loop, or on a thread of the history's or
// gRPC's.
using WebAnswer = absl::AnyInvocable<void(absl::StatusOr<std::string>)>;
using WebCall = std::function<void(Dashboard&, WebAnswer)>;

// `target`: path and query as requested. Null: no such document. Errors: InvalidArgument.
absl::StatusOr<WebCall> FindDocument(std::string_view target);

enum class WebPost { kNone, kDryRun, kDrain, kThreshold };
WebPost FindPost(std::string_view path);
// Errors: InvalidArgument (not the JSON of the request).
absl::StatusOr<WebCall> ReadPost(WebPost post, const std::string& body, const std::string& peer);

// The value of `name` in "a=1&b=2", decoded; nothing if it is not there or not decodable.
std::optional<std::string> QueryValue(std::string_view query, std::string_view name);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_WEB_CALLS_H_
