#include "runtime/address.h"

#include <utility>

#include <boost/asio/ip/address.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace ringway::runtime {
namespace {

absl::Status BadAddress(std::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", absl::string_view(text.data(), text.size()),
                   "' is not host:port; write for example 127.0.0.1:7400 or [::1]:7400"));
}

}  // namespace

std::string Address::ToString() const {
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? absl::StrCat("[", host, "]:", port) : absl::StrCat(host, ":", port);
}

absl::StatusOr<Address> ParseAddress(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return BadAddress(text);
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!bracketed && host.find(':') != std::string_view::npos) return BadAddress(text);
  std::uint32_t number = 0;
  if (!absl::SimpleAtoi(absl::string_view(port.data(), port.size()), &number) || number > 65535) {
    return BadAddress(text);
  }
  return Address{std::string(host), static_cast<std::uint16_t>(number)};
}

bool IsLoopback(const Address& address) {
  if (address.host == "localhost") return true;
  boost::system::error_code not_an_ip;
  const auto ip = boost::asio::ip::make_address(address.host, not_an_ip);
  return !not_an_ip && ip.is_loopback();
}

}  // namespace ringway::runtime
