// The links over which leaders of one tier's ledgers in different regions tell each other of idle workers.
//
// As the daemon does it with a stream each (router/daemon/ledgers/ledger_sessions.cc): a session dials the
// leader of another region, which then sends hints until either end dies or hangs up; a link that broke, or
// never came to stand, is tried again after 30 to 300 ms. Hints cross the network and may be late, lost or
// overtaken; that the other end of a link is gone is always noticed in the end, as a real connection's
// keepalive would.
//
// Who is dialled and what a hint says is decided by the sessions (router/session/ledger_session.h). Endpoints
// are those of Leaders, which steps them. Complexity: O(1) a message, O(regions) for a death. One owner.
#ifndef RINGWAY_SIM_FLEET_REGION_LINKS_H_
#define RINGWAY_SIM_FLEET_REGION_LINKS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "core/ids.h"
#include "core/rng.h"
#include "core/time.h"
#include "router/session/ledger_session.h"
#include "sim/stage.h"

namespace ringway::sim {

class RegionLinks {
 public:
  using Endpoint = std::uint32_t;
  struct Ends {
    std::function<RegionId(Endpoint)> region;
    std::function<RouterId(Endpoint)> router;
    std::function<bool(Endpoint)> alive;
    std::function<void(Endpoint, const router::SessionEvent&)> step;
  };

  RegionLinks(Stage& stage, std::uint64_t seed, Ends ends);
  // Before anything else.
  void Resize(std::size_t endpoints) { sites_.resize(endpoints); }

  // ---- from sessions ----
  void Dial(Endpoint from, const router::DialRegion& dial, Endpoint to);
  void HangUp(Endpoint from, RegionId region);
  // To the leader that listens as `listener`.
  void Send(Endpoint from, const router::SendHint& hint);
  // To the region's leader, from one that listens.
  void Ask(Endpoint from, const router::AskRegion& ask);

  // ---- from the queue ----
  void OnReaches(Endpoint at, std::uint32_t detail);
  void OnRetried(Endpoint from, std::uint32_t detail);

  // Its process ended.
  void Died(Endpoint endpoint);
  // Breaks this share of the links that go out from the endpoint; the other ends notice so much later.
  void Break(Endpoint endpoint, double share, std::int64_t late_ns);

 private:
  using Number = std::uint32_t;  // of a try of a link, unique in a run; 0: none
  struct Link {
    Number number = 0;
    Endpoint to = 0;
    Duration period;
    int tries = 0;
  };
  struct Listener {
    Number number = 0;
    Endpoint from = 0;
  };
  struct Site {
    IdVector<RegionId, Link> links;          // to the leaders of regions
    IdVector<RegionId, Listener> listeners;  // the leaders of regions
  };
  struct Note {
    enum class What : std::uint8_t { kStands, kFell, kHint, kAsks };
    What what = What::kHint;
    Number number = 0;
    Endpoint from = 0;
    Duration period;
    ledger::IdleHint hint;
    std::uint64_t asked = 0;  // number of an AskRegion
  };
  struct Retry {
    RegionId region;
    Number number = 0;
  };

  // A listener's number in the session, which knows clients by small ones.
  static RouterId ListenerOf(RegionId region) { return RouterId(kListeners + region.index()); }
  static constexpr std::size_t kListeners = std::size_t{1} << 20;

  void Connect(Endpoint from, RegionId region);
  void Post(Endpoint from, Endpoint to, Note note);
  // As the other end reads it. False: it does not.
  bool Read(Endpoint from, Endpoint to, std::int64_t takes_ns, Note& note);
  void RetryLater(Endpoint from, RegionId region, Number number, std::int64_t after_ns);

  Stage& stage_;
  Ends ends_;
  Rng rng_;
  std::vector<Site> sites_;
  MessagePool<Note> notes_;
  MessagePool<Retry> retries_;
  Number last_ = 0;
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_FLEET_REGION_LINKS_H_
