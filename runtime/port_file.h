// Tells whoever started a daemon on free ports (port 0) where it ended up listening.
//
// One line a service: "grpc 127.0.0.1:40123". The file appears whole (written aside, then renamed), and only
// when the daemon serves, so that a starter may poll for it. Two services at most, in practice: grpc and
// http.
//
// Threads: pure functions over the file system.
#ifndef RINGWAY_RUNTIME_PORT_FILE_H_
#define RINGWAY_RUNTIME_PORT_FILE_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ringway::runtime {

// Service name to host:port.
using Ports = std::map<std::string, std::string>;

// Errors: Internal, with the path and the reason.
absl::Status WritePortFile(const std::string& path, const Ports& ports);

// Errors: NotFound (not there yet), DataLoss (not a port file).
absl::StatusOr<Ports> ReadPortFile(const std::string& path);

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_PORT_FILE_H_
