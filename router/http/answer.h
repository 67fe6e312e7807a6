// What a plain HTTP worker's answer says about the worker, apart from what it says to the client.
//
// A busy status is BUSY: the worker serves somebody else, and the request goes elsewhere. A server error that
// comes ten times sooner than a result counts as a failure, so that a worker that fails fast does not look
// like the fastest of all. Everything else is an answer. Pure.
#ifndef RINGWAY_ROUTER_HTTP_ANSWER_H_
#define RINGWAY_ROUTER_HTTP_ANSWER_H_

#include "core/http_pool.h"
#include "core/job.h"
#include "core/time.h"
#include "runtime/http/head.h"

namespace ringway::router {

bool SaysBusy(const HttpPoolSpec& spec, const http::Head& head);

// Retry-After in seconds, at most an hour; the other form, a date, is not read.
Duration RetryAfterOf(const http::Head& head);

// Of a whole response of this status that came after `took`, where a result takes `mean`.
Outcome OutcomeOfAnswer(int status, Duration took, Duration mean);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_HTTP_ANSWER_H_
