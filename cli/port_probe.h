// Which of Ringway's ports an address is, asked when a call to it has failed.
//
// A program has a gRPC port and an HTTP port, and there are three programs: who mixes them up gets from gRPC
// an empty message, or a word about the transport. This asks the address itself: the services that its gRPC
// reflection lists name the program, and an answer to a plain GET names HTTP. Only errors are worth this
// second look; no call that succeeds waits for it.
//
// Bounds: kProbeLimit for each of the two questions. Blocks; any thread.
#ifndef RINGWAY_CLI_PORT_PROBE_H_
#define RINGWAY_CLI_PORT_PROBE_H_

#include <chrono>
#include <string>

namespace ringway::cli {

inline constexpr std::chrono::seconds kProbeLimit{1};

enum class PortKind { kUnknown, kController, kRouter, kWorker, kOtherGrpc, kHttp };

PortKind ProbePort(const std::string& address);

// "127.0.0.1:7411 speaks HTTP, not gRPC: ...", to go before what was wanted; empty when the address is of the
// wanted kind, or nothing was found out.
std::string WrongPort(const std::string& address, PortKind wanted);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_PORT_PROBE_H_
