// What of a head goes on to the other side of a proxy, and what stays with the connection it came by.
//
// Hop-by-hop fields (RFC 9110, 7.6.1: Connection and what it names, Keep-Alive, TE, Trailer,
// Transfer-Encoding, Upgrade, the Proxy- fields) end here; each side gets framing of its own. A request gains
// X-Forwarded-For and X-Forwarded-Proto; Host, traceparent and everything else pass as they are. Expect is
// answered by us and does not pass; neither do fields that begin with X-Ringway-, whose meaning is ours.
//
// Complexity: linear in the head. Threads: pure functions.
#ifndef RINGWAY_ROUTER_HTTP_FORWARDED_HEAD_H_
#define RINGWAY_ROUTER_HTTP_FORWARDED_HEAD_H_

#include <string>
#include <string_view>

#include "runtime/http/head.h"
#include "runtime/http/server_connection.h"

namespace ringway::router {

// Appends the request's head as the worker shall read it, without the empty line at its end.
void AppendRequestHead(const http::Head& head, std::string_view client, std::string& out);

// Sends the worker's status and fields on to the client; the caller adds its own and ends the head.
void BeginForwardedResponse(const http::Head& head, http::ServerConnection& client);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_HTTP_FORWARDED_HEAD_H_
