#include "core/lease.h"

#include <charconv>

namespace ringway {
namespace {

// Takes decimal digits off the front, without leading zeros, so that every lease has one spelling.
bool TakeNumber(std::string_view& text, std::uint64_t& value) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (failed != std::errc() || (length > 1 && text.front() == '0')) return false;
  text.remove_prefix(length);
  return true;
}

bool TakeChar(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string FormatLease(const Lease& lease) {
  return "L" + std::to_string(lease.fence.leader_epoch) + "-" + std::to_string(lease.fence.appointment) +
         "-" + std::to_string(lease.serial);
}

std::optional<Lease> ParseLease(std::string_view text) {
  Lease lease;
  const bool read = TakeChar(text, 'L') && TakeNumber(text, lease.fence.leader_epoch) &&
                    TakeChar(text, '-') && TakeNumber(text, lease.fence.appointment) && TakeChar(text, '-') &&
                    TakeNumber(text, lease.serial);
  if (!read || !text.empty()) return std::nullopt;
  return lease;
}

}  // namespace ringway
