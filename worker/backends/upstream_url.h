// Where an HTTP backend sends its work: http://host[:port][/path].
//
// Plain HTTP only: the server stands beside the worker, on loopback or in the same pod, and nothing between
// them needs hiding. The port defaults to 80, the target to "/"; IPv6 hosts stand in brackets. Text with
// blanks, control or non-ASCII characters is refused, so a URL cannot smuggle header lines into a request.
//
// Threads: pure functions, linear in the text.
#ifndef RINGWAY_WORKER_BACKENDS_UPSTREAM_URL_H_
#define RINGWAY_WORKER_BACKENDS_UPSTREAM_URL_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace ringway::worker {

struct UpstreamUrl {
  std::string host;
  std::string port = "80";
  std::string target = "/";  // path and query
};

// Errors: InvalidArgument that quotes the text and shows the form.
absl::StatusOr<UpstreamUrl> ParseUpstreamUrl(std::string_view text);

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_BACKENDS_UPSTREAM_URL_H_
