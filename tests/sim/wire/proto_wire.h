// The wire of a simulated fleet: what processes say is written and read by the codecs of the daemons, and
// what concerns a process of the release before passes through that release's messages.
//
// Between two of today's release everything is carried that the daemons carry; of what one of the release
// before writes or reads, what it does not know is lost. Now and then something is said in words of a later
// release (WireSpec::newer_share): a message of which the reader knows nothing, and which he has to refuse.
// That befalls only what may be refused and is made good: a report or hello, what sessions of ledgers say, a
// request about a key and its answer, a job for a worker.
//
// Addresses and names are those that the populations give. Own random stream. One owner.
#ifndef RINGWAY_TESTS_SIM_WIRE_PROTO_WIRE_H_
#define RINGWAY_TESTS_SIM_WIRE_PROTO_WIRE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/rng.h"
#include "sim/fleet/wire.h"
#include "sim/scenario.h"
#include "tests/proto/former_release.h"
#include "worker/messages.h"

namespace ringway::sim {

class ProtoWire final : public Wire {
 public:
  explicit ProtoWire(const Scenario& scenario);

  void Serve(const Routers& routers, const Workers& workers) override;
  controller::NodeEvent ToController(const Way& way, RouterId from, const Fleet& map,
                                     controller::ControllerEvent said,
                                     const router::SendReport* report) override;
  bool Carry(const Way& way, router::ControllerWelcomed& welcomed) override;
  bool Carry(const Way& way, RouterId to, router::FleetChanged& changed) override;
  bool Carry(const Way& way, RouterId to, const Fleet& map, router::TableOffered& offered,
             std::string& refusal) override;
  bool Carry(const Way& way, RouterId to, const Fleet& map, const controller::Directory& directory,
             Listing& listing) override;
  bool Reread(const Way& way, controller::DurableState& state) override;
  bool Reread(const Way& way, RouterId router, Listing& listing) override;
  bool Carry(const Way& way, RouterId from, RouterId to, TierId tier, ledger::LedgerEvent& said) override;
  bool Carry(const Way& way, RouterId from, RouterId to, ledger::LedgerAction& said) override;
  bool Carry(const Way& way, router::LeaderHeartbeat& heartbeat) override;
  bool Carry(const Way& way, RouterId from, router::DialRegion& dial) override;
  bool Carry(const Way& way, router::AskRegion& ask) override;
  bool Carry(const Way& way, router::SendHint& hint) override;
  bool Carry(const Way& way, WorkerId to, OfferNote& offer) override;
  bool Carry(const Way& way, WorkerId to, FenceNote& fence) override;
  bool Carry(const Way& way, WorkerId from, RouterMessage& said) override;
  bool Carry(const Way& way, RouterId from, RouterId to, const router::ForwardToRouter& forward,
             router::JobFacts& facts) override;
  bool Carry(const Way& way, router::once::Request& request) override;
  bool Carry(const Way& way, router::once::Reply& reply) override;

 private:
  // As the reader has it. Nothing: he cannot make anything of it. `may_be_newer`: it may be in words that no
  // release of today knows, of which nothing is left.
  template <class Message>
  std::optional<Message> Through(const Way& way, const Message& said, bool may_be_newer = false);
  const Fleet& FleetOf(RouterId router) const;
  const std::string& RegionOf(RouterId router) const;
  worker::Identity IdentityOf(WorkerId worker) const;
  template <class Message>
  void Read(const Way& way, RouterId router, const Message& directory, bool from_disk, Listing& listing);

  const Scenario& scenario_;
  Rng rng_;
  FormerRelease former_;
  const Routers* routers_ = nullptr;
  const Workers* workers_ = nullptr;
  std::vector<std::string> addresses_;  // of workers, by number
};

}  // namespace ringway::sim

#endif  // RINGWAY_TESTS_SIM_WIRE_PROTO_WIRE_H_
