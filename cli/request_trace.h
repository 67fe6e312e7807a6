// The whole trace of one request, for a person: where it entered, why it went where it went, what each router
// and worker said, and what all of it took.
//
// A forwarded request has a trace at two routers; they are told in order, the one of entry first. Times are
// seconds since the arrival at the router that tells. Threads: pure functions over messages.
#ifndef RINGWAY_CLI_REQUEST_TRACE_H_
#define RINGWAY_CLI_REQUEST_TRACE_H_

#include <string>
#include <vector>

#include "ringway/v1/admin.pb.h"
#include "ringway/v1/trace.pb.h"

namespace ringway::cli {

// All traces of the replies: of entry before forwarded, then by arrival.
std::vector<v1::RequestTrace> InOrder(const std::vector<v1::TellReply>& replies);

// `fleet` names the rings; it may be empty.
std::string TraceText(const std::vector<v1::RequestTrace>& traces, const v1::StatusReply& fleet, bool colour);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_REQUEST_TRACE_H_
