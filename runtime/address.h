// host:port strings: parsed once, checked, and asked whether they leave this machine.
//
// Every daemon binds loopback unless told otherwise, and what is dangerous off loopback (admin calls without
// a token) asks IsLoopback here. IPv6 hosts stand in brackets: [::1]:7400. Names other than localhost are not
// loopback, whatever they resolve to.
//
// Threads: pure functions.
#ifndef RINGWAY_RUNTIME_ADDRESS_H_
#define RINGWAY_RUNTIME_ADDRESS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace ringway::runtime {

struct Address {
  std::string host;  // without brackets
  std::uint16_t port = 0;
  std::string ToString() const;
};

// Errors: InvalidArgument that quotes the text and shows the form.
absl::StatusOr<Address> ParseAddress(std::string_view text);

// 127.0.0.0/8, ::1 and "localhost".
bool IsLoopback(const Address& address);

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_ADDRESS_H_
