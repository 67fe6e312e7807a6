#include "router/once/rendezvous.h"

#include <algorithm>
#include <cstring>

namespace ringway::router::once {
namespace {

// The finalizer of MurmurHash3 (Austin Appleby, public domain).
std::uint64_t Mix(std::uint64_t h) {
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdULL;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}

std::uint64_t Word(const char* bytes, std::size_t count) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i) {
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return word;
}

}  // namespace

std::uint64_t StableHash(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t h = Mix(seed + 0x9e3779b97f4a7c15ULL + bytes.size());
  while (bytes.size() >= 8) {
    h = Mix(h ^ Word(bytes.data(), 8)) + 0x9e3779b97f4a7c15ULL;
    bytes.remove_prefix(8);
  }
  return Mix(h ^ Word(bytes.data(), bytes.size()));
}

ReplicaView::ReplicaView(const std::string& self) {
  entries_.push_back({{.mark = StableHash(self), .router = RouterId()}, self});
}

void ReplicaView::List(RouterId router, const std::string& name) {
  Unlist(router);
  entries_.push_back({{.mark = StableHash(name), .router = router}, name});
}

std::uint64_t ReplicaView::Unlist(RouterId router) {
  for (std::size_t i = 1; i < entries_.size(); ++i) {
    if (entries_[i].replica.router != router) continue;
    const std::uint64_t mark = entries_[i].replica.mark;
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
    return mark;
  }
  return 0;
}

std::vector<Replica> ReplicaView::Rank(std::string_view key, std::uint64_t also) const {
  struct Scored {
    std::uint64_t score = 0;
    Replica replica;
  };
  std::vector<Scored> best;
  const std::uint64_t hash = StableHash(key);
  const auto enter = [&](const Replica& replica) {
    const std::uint64_t score = Mix(hash ^ Mix(replica.mark));
    std::size_t at = best.size();
    while (at > 0 && best[at - 1].score < score) --at;
    if (at >= kReplicasMax) return;
    best.insert(best.begin() + static_cast<std::ptrdiff_t>(at), {score, replica});
    if (best.size() > kReplicasMax) best.pop_back();
  };
  for (const Entry& entry : entries_) enter(entry.replica);
  Replica listed;
  if (also != 0 && !Find(also, listed)) enter({.mark = also, .router = RouterId()});
  std::vector<Replica> ranked;
  for (const Scored& scored : best) ranked.push_back(scored.replica);
  return ranked;
}

bool ReplicaView::Find(std::uint64_t mark, Replica& found) const {
  for (const Entry& entry : entries_) {
    if (entry.replica.mark != mark) continue;
    found = entry.replica;
    return true;
  }
  return false;
}

Replica ReplicaView::At(RouterId router) const {
  for (const Entry& entry : entries_) {
    if (entry.replica.router == router) return entry.replica;
  }
  return {.mark = 0, .router = router};
}

std::string ReplicaView::NameOf(std::uint64_t mark) const {
  for (const Entry& entry : entries_) {
    if (entry.replica.mark == mark) return entry.name;
  }
  return "one that left the fleet";
}

}  // namespace ringway::router::once
