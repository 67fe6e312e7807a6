// A lease as it is written on the wire, and the fence that orders those who may grant one.
//
// A lease is one worker's slot granted to one job by the leader of the region's ledger. Its text is
// "L<leader epoch>-<appointment>-<serial>", all decimal, for example L3-1-4711. The leader's epoch counts
// first, then the leader's appointment within it: a worker obeys the highest pair that it has seen, so a
// leader that was replaced cannot grant any more. The serial makes the lease unique for that leader.
// Whatever does not read like this is an unfenced token: a router that probes may put any unique text there.
//
// Pure values. FormatLease(ParseLease(x)) == x whenever x parses.
#ifndef RINGWAY_CORE_LEASE_H_
#define RINGWAY_CORE_LEASE_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringway {

struct Fence {
  std::uint64_t leader_epoch = 0;
  std::uint64_t appointment = 0;
  bool stated() const { return leader_epoch != 0 || appointment != 0; }
  friend auto operator<=>(const Fence&, const Fence&) = default;
};

struct Lease {
  Fence fence;
  std::uint64_t serial = 0;
  // Leases of one worker are totally ordered: "nothing at or below this one" is a fence of its own.
  friend auto operator<=>(const Lease&, const Lease&) = default;
};

std::string FormatLease(const Lease& lease);
std::optional<Lease> ParseLease(std::string_view text);

}  // namespace ringway

#endif  // RINGWAY_CORE_LEASE_H_
