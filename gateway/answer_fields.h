// What every answer of the APIs carries beside its own fields: a name for the request, what a browser may do
// with it, and that nothing is to be guessed.
//
// X-Request-Id is drawn for each request, handed on to the router that answers it, and stands in the log
// beside what failed. Pages of the origins that the operator lists may read answers (CORS); the preflight
// that a browser sends before is answered here too. An origin that is not listed is told nothing, which is
// what a browser takes for no.
//
// Source: Fetch Standard, "CORS protocol". Pure. Threads: values. Complexity: linear in the fields.
#ifndef RINGWAY_GATEWAY_ANSWER_FIELDS_H_
#define RINGWAY_GATEWAY_ANSWER_FIELDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "runtime/http/head.h"
#include "runtime/http/server_connection.h"

namespace ringway::gateway {

inline constexpr std::string_view kRequestIdField = "X-Request-Id";

struct AnswerFields {
  std::string request_id = {};
  std::string origin = {};  // that may read the answer; empty: none

  // As lines, with CRLF, behind `others`.
  std::string Lines(std::string_view others = {}) const;
  // Between BeginResponse and EndHead.
  void AddTo(http::ServerConnection& client) const;
  // It is one of these, so a relayed answer's own is left out.
  static bool Has(std::string_view name);
};

// Of --videos-cors-origin: scheme://host[:port], or '*'. Errors: InvalidArgument.
absl::Status CheckOrigin(std::string_view origin);
// The Origin of the request if it is one of `origins`; empty: it is not, or there is none.
std::string AllowedOrigin(const http::Head& head, const std::vector<std::string>& origins);
// It asks whether a page may send another request.
bool IsPreflight(const http::Head& head);
// What it is answered, as lines.
std::string PreflightLines(const http::Head& head);

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_ANSWER_FIELDS_H_
