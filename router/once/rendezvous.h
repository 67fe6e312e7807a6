// Which routers keep the record of a key: the three that rank highest for it, of all routers of the fleet.
//
// Rendezvous hashing (Thaler and Ravishankar, 1998): every router scores every key, and a key belongs to its
// best scores. Whoever knows the same routers finds the same replicas without asking, and when a router comes
// or goes only the keys change hands that it keeps. The order of the three is the same for everybody, so
// claims that climb it in order cannot hold each other up. Two of the three have to agree: any two such pairs
// share a router, and one lost router stops nobody.
//
// Hashes are written out here because they must be the same in every process and release. They only place
// keys; records are compared by the whole key. Complexity: linear in the routers, at most kRoutersMax. Pure.
#ifndef RINGWAY_ROUTER_ONCE_RENDEZVOUS_H_
#define RINGWAY_ROUTER_ONCE_RENDEZVOUS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"

namespace ringway::router::once {

inline constexpr std::size_t kReplicasMax = 3;
inline constexpr std::size_t kQuorum = 2;

// The same for the same bytes, everywhere and always. Not for secrets.
std::uint64_t StableHash(std::string_view bytes, std::uint64_t seed = 0);

struct Replica {
  std::uint64_t mark = 0;  // StableHash of its name
  RouterId router = {};    // invalid: this router itself
  friend bool operator==(const Replica&, const Replica&) = default;
};

// The routers that this one knows of, itself included.
class ReplicaView {
 public:
  explicit ReplicaView(const std::string& self);

  void List(RouterId router, const std::string& name);
  // Returns the mark that it had; 0: it was not listed.
  std::uint64_t Unlist(RouterId router);

  // Best first; at most kKeepersMax, fewer in a small fleet. `also`: a mark to be ranked as if it were
  // listed.
  std::vector<Replica> Rank(std::string_view key, std::uint64_t also = 0) const;
  // How many replicas have to agree.
  std::size_t quorum() const { return entries_.size() < kQuorum ? entries_.size() : kQuorum; }

  std::uint64_t self() const { return entries_.front().replica.mark; }
  // False: no router of that mark is listed.
  bool Find(std::uint64_t mark, Replica& found) const;
  // Mark 0: not listed.
  Replica At(RouterId router) const;
  // For people.
  std::string NameOf(std::uint64_t mark) const;

 private:
  struct Entry {
    Replica replica;
    std::string name;
  };
  std::vector<Entry> entries_;  // this router first
};

}  // namespace ringway::router::once

#endif  // RINGWAY_ROUTER_ONCE_RENDEZVOUS_H_
