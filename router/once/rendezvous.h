// Which routers keep the record of a key: the three that rank highest for it, of all that a view names.
//
// Rendezvous hashing (Thaler and Ravishankar, 1998): every router scores every key, and a key belongs to its
// best scores. Whoever has the same view finds the same replicas without asking, and when a router comes or
// goes only the keys change hands that it keeps. The order of the three is the same for everybody, so claims
// that climb it in order cannot hold each other up. Two of the three have to agree: any two such pairs share
// a router, and one lost router stops nobody. Between two views they need not share one: membership.h sees to
// that.
//
// Hashes are written out here because they must be the same in every process and release. They only place
// keys; records are compared by the whole key. Complexity: linear in the routers of the view. Pure.
#ifndef RINGWAY_ROUTER_ONCE_RENDEZVOUS_H_
#define RINGWAY_ROUTER_ONCE_RENDEZVOUS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ringway::router::once {

inline constexpr std::size_t kReplicasMax = 3;
inline constexpr std::size_t kQuorum = 2;

// The same for the same bytes, everywhere and always. Not for secrets.
std::uint64_t StableHash(std::string_view bytes, std::uint64_t seed = 0);

// The replicas of the key among routers with these marks (StableHash of their names), best first: at most
// kReplicasMax, fewer in a small fleet.
std::vector<std::uint64_t> Rank(std::string_view key, const std::vector<std::uint64_t>& marks);

// How many of so many replicas have to agree, and how many have to be read to meet any that agreed.
constexpr std::size_t QuorumOf(std::size_t replicas) { return replicas < kQuorum ? replicas : kQuorum; }
constexpr std::size_t ReadQuorumOf(std::size_t replicas) { return replicas - QuorumOf(replicas) + 1; }

}  // namespace ringway::router::once

#endif  // RINGWAY_ROUTER_ONCE_RENDEZVOUS_H_
