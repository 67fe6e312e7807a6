// The form of an address that a program of the fleet may be told to call: host:port, and nothing else.
//
// Addresses travel from workers and routers through the controller to other routers, who then connect to
// them. What gRPC would make of a free text is much more (unix:, dns:, xds:, ipv4: with lists), so that
// whoever may name an address could make a router talk to whatever it can reach. Both borders, the
// controller's and the router's, ask this one function. Port 0 is nowhere to call.
//
// Pure. O(length).
#ifndef RINGWAY_CORE_ADDRESS_H_
#define RINGWAY_CORE_ADDRESS_H_

#include <string_view>

namespace ringway {

// An IPv4 address, an IPv6 address in brackets, or a DNS name (letters, digits, '-', '_', at most 253 bytes),
// then a colon and a port from 1 to 65535.
bool IsCallable(std::string_view address);
inline constexpr char kCallableForm[] =
    "host:port is allowed, with a name, an IPv4 address or an IPv6 address in brackets";

}  // namespace ringway

#endif  // RINGWAY_CORE_ADDRESS_H_
