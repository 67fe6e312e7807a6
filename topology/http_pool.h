// The pool file: what a router needs to know to stand in front of plain HTTP workers (core/http_pool.h).
//
// One document of kind HttpPool in the shape of the topology files, with the same care: every mistake is
// listed with its place, what was found and what is allowed, and nothing is applied while there is one.
// Workers are listed in the file, in a file of their own (one host:port a line, # begins a remark; relative
// to the pool file), or both; there must be one at least.
//
// Threads: re-entrant. Limits: kPoolWorkersMax workers.
#ifndef RINGWAY_TOPOLOGY_HTTP_POOL_H_
#define RINGWAY_TOPOLOGY_HTTP_POOL_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/http_pool.h"

namespace ringway {

inline constexpr std::size_t kPoolWorkersMax = 4096;

// `read` gives the text of a file that the pool file names. Errors: kInvalidArgument.
using ReadNamedFile = std::function<absl::StatusOr<std::string>(const std::string&)>;
absl::StatusOr<HttpPoolSpec> ParseHttpPool(std::string_view text, const std::string& file_name,
                                           const ReadNamedFile& read);

// Errors: kNotFound or kPermissionDenied when a file cannot be read, else as above.
absl::StatusOr<HttpPoolSpec> LoadHttpPool(const std::string& path);

}  // namespace ringway

#endif  // RINGWAY_TOPOLOGY_HTTP_POOL_H_
