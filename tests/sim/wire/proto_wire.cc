#include "tests/sim/wire/proto_wire.h"

#include <utility>
#include <variant>

#include "absl/strings/numbers.h"
#include "controller/wire/control_codec.h"
#include "controller/wire/state_codec.h"
#include "core/check.h"
#include "proto/fleet_codec.h"
#include "proto/table_codec.h"
#include "ringway/v1/router_state.pb.h"
#include "router/fleet_merge.h"
#include "router/wire/control_codec.h"
#include "router/wire/directory_codec.h"
#include "router/wire/job_header.h"
#include "router/wire/ledger_codec.h"
#include "router/wire/once_codec.h"
#include "router/wire/worker_codec.h"
#include "sim/fleet/registries.h"
#include "sim/fleet/routers.h"
#include "sim/fleet/workers.h"

namespace ringway::sim {
namespace {

constexpr std::uint64_t kNewer = 0x77697265;

// A name or address ends in a number.
std::size_t NumberIn(std::string_view text, std::string_view before, std::string_view behind) {
  std::size_t number = 0;
  RINGWAY_CHECK(text.starts_with(before) && text.ends_with(behind));
  text.remove_prefix(before.size());
  text.remove_suffix(behind.size());
  RINGWAY_CHECK(absl::SimpleAtoi(std::string(text), &number));
  return number;
}

// Workers as the routers of a region know them.
class NamesIn final : public router::WorkerNames, public router::DirectoryNumbers {
 public:
  NamesIn(const Workers& workers, RegionId region, const Fleet& fleet,
          const std::vector<std::string>& addresses)
      : workers_(workers), region_(region), fleet_(fleet), addresses_(addresses) {}

  WorkerId FindWorker(std::string_view address) const override {
    const WorkerId worker(NumberIn(address, "worker-", ":7420"));
    return workers_.places()[worker].region == region_ ? workers_.InRegion(worker) : WorkerId();
  }
  std::string_view AddressOf(WorkerId worker) const override {
    return addresses_[workers_.Global(region_, worker).index()];
  }
  RouterId RouterNamed(const std::string& name) override { return RouterId(NumberIn(name, "router-", "")); }
  WorkerId WorkerAt(const std::string& address) override { return FindWorker(address); }
  TierId TierOf(WorkerId, const std::string& said) override {
    return fleet_.FindTier(said).value_or(TierId());
  }

 private:
  const Workers& workers_;
  const RegionId region_;
  const Fleet& fleet_;
  const std::vector<std::string>& addresses_;
};

}  // namespace

ProtoWire::ProtoWire(const Scenario& scenario) : scenario_(scenario), rng_(scenario.seed, kNewer) {}

void ProtoWire::Serve(const Routers& routers, const Workers& workers) {
  routers_ = &routers;
  workers_ = &workers;
  for (std::size_t i = 0; i < workers.count(); ++i) addresses_.push_back(sim::AddressOf(WorkerId(i)));
}

template <class Message>
std::optional<Message> ProtoWire::Through(const Way& way, const Message& said, bool may_be_newer) {
  const WireSpec& spec = *scenario_.wire;
  if (may_be_newer && spec.newer_share > 0 &&
      ToDoubleSeconds(way.said_at - UnixEpoch()) < spec.newer_until_s && rng_.Chance(spec.newer_share)) {
    return Message();
  }
  std::string bytes = said.SerializeAsString();
  if (way.writer == Release::kFormer || way.reader == Release::kFormer) {
    auto left = former_.Pass(Message::descriptor()->full_name(), bytes);
    if (!left) return std::nullopt;
    bytes = *std::move(left);
  }
  Message read;
  RINGWAY_CHECK(read.ParseFromString(bytes));
  return read;
}

// What is said to one that has died is read by nobody.
const Fleet& ProtoWire::FleetOf(RouterId router) const {
  return routers_->alive(router) ? routers_->machine(router).fleet() : *scenario_.fleet;
}

const std::string& ProtoWire::RegionOf(RouterId router) const {
  return scenario_.fleet->world.regions[routers_->places()[router]].name;
}

// ---- routers and the controller ----

controller::NodeEvent ProtoWire::ToController(const Way& way, RouterId from, const Fleet& map,
                                              controller::ControllerEvent said,
                                              const router::SendReport* report) {
  const Fleet& fleet = FleetOf(from);
  v1::RouterMessage message;
  controller::StreamId stream = 0;
  if (const auto* connected = std::get_if<controller::RouterConnected>(&said)) {
    stream = connected->stream;
    const controller::RouterHello& hello = connected->hello;
    *message.mutable_hello() = router::EncodeHello({.router = hello.router,
                                                    .region = RegionOf(from),
                                                    .address = hello.address,
                                                    .table = hello.table,
                                                    .build = hello.build,
                                                    .incarnation = hello.incarnation});
  } else if (const auto* reported = std::get_if<controller::RouterReported>(&said)) {
    stream = reported->stream;
    v1::Report& out = *message.mutable_report();
    out = router::EncodeReport(*report, fleet, {});
    for (const controller::WorkerSeen& seen : reported->report.workers) {
      v1::WorkerReport& worker = *out.add_workers();
      worker = router::EncodeWorker({.worker = {},
                                     .healthy = seen.healthy,
                                     .draining = seen.draining,
                                     .busy = seen.busy,
                                     .adopted = seen.adopted,
                                     .busy_time = Seconds(seen.busy_s)},
                                    {seen.name, fleet.tiers[seen.tier].name, seen.address});
      worker.set_plain(seen.plain);
    }
    for (const controller::RoundTripSeen& trip : reported->report.round_trips) {
      *out.add_round_trips() = router::EncodeRoundTrip({trip.to, Milliseconds(trip.ms)}, fleet.world);
    }
  } else {
    const auto& acked = std::get<controller::RouterAcked>(said);
    stream = acked.stream;
    *message.mutable_ack() =
        router::EncodeAck({.version = acked.version, .active = acked.active, .refusal = acked.refusal});
  }
  const auto read = Through(way, message, /*may_be_newer=*/true);
  return controller::ReadMessage(stream, read.value_or(v1::RouterMessage()), map);
}

bool ProtoWire::Carry(const Way& way, router::ControllerWelcomed& welcomed) {
  v1::ControllerMessage message;
  *message.mutable_welcome() =
      controller::EncodeWelcome(welcomed.epoch, {.report_period = welcomed.report_period});
  const auto read = Through(way, message);
  if (!read || !read->has_welcome()) return false;
  const auto decoded = router::DecodeWelcome(read->welcome());
  if (decoded.ok()) welcomed = *decoded;
  return decoded.ok();
}

bool ProtoWire::Carry(const Way& way, RouterId to, router::FleetChanged& changed) {
  v1::ControllerMessage message;
  *message.mutable_fleet_map() = wire::EncodeFleet(*changed.fleet);
  const auto read = Through(way, message);
  if (!read || !read->has_fleet_map()) return false;
  const auto fleet = wire::DecodeFleet(read->fleet_map());
  if (!fleet.ok()) return false;
  auto merged = router::MergeFleet(FleetOf(to), *fleet);
  if (!merged) return false;
  changed.fleet = std::make_shared<const Fleet>(std::move(merged->fleet));
  return true;
}

bool ProtoWire::Carry(const Way& way, RouterId to, const Fleet& map, router::TableOffered& offered,
                      std::string& refusal) {
  v1::ControllerMessage message;
  *message.mutable_table() = wire::EncodeTable(*offered.table, map);
  const auto read = Through(way, message);
  if (!read || !read->has_table()) return false;
  auto table = wire::DecodeTable(read->table(), FleetOf(to));
  if (!table.ok()) {
    refusal = std::string(table.status().message());
    return false;
  }
  offered.table = std::make_shared<const RoutingTable>(*std::move(table));
  return true;
}

template <class Message>
void ProtoWire::Read(const Way& way, RouterId router, const Message& directory, bool from_disk,
                     Listing& listing) {
  NamesIn names(*workers_, routers_->places()[router], FleetOf(router), addresses_);
  router::DirectoryRead read = router::ReadDirectory(
      directory, from_disk, {Routers::NameOf(router), RegionOf(router), FleetOf(router), way.read_at}, names);
  listing = {.epoch = read.heard.epoch,
             .given = std::make_shared<const router::DirectoryGiven>(std::move(read.heard.given)),
             .leaders = std::move(read.heard.leaders),
             .message = std::make_shared<const std::string>(directory.SerializeAsString())};
}

bool ProtoWire::Carry(const Way& way, RouterId to, const Fleet& map, const controller::Directory& directory,
                      Listing& listing) {
  v1::ControllerMessage message;
  *message.mutable_directory() =
      controller::EncodeDirectoryAt(way.said_at, directory, map, routers_->places()[to]);
  const auto read = Through(way, message);
  if (!read || !read->has_directory()) return false;
  Read(way, to, read->directory(), false, listing);
  return true;
}

// ---- disks ----

bool ProtoWire::Reread(const Way& way, controller::DurableState& state) {
  auto read = Through(way, controller::EncodeState(state));
  if (!read) return false;
  controller::DropAbsurdEpochs(*read);
  auto decoded = controller::DecodeState(*read);
  if (decoded.ok()) state = *std::move(decoded);
  return decoded.ok();
}

bool ProtoWire::Reread(const Way& way, RouterId router, Listing& listing) {
  v1::RouterState state;
  RINGWAY_CHECK(state.mutable_directory()->ParseFromString(*listing.message));
  const auto read = Through(way, state);
  if (!read) return false;
  Read(way, router, read->directory(), true, listing);
  return true;
}

// ---- sessions of ledgers ----

bool ProtoWire::Carry(const Way& way, RouterId from, RouterId to, TierId tier, ledger::LedgerEvent& said) {
  const RegionId region = routers_->places()[from];
  const NamesIn writer(*workers_, region, FleetOf(from), addresses_);
  const auto read =
      Through(way, router::EncodeUp(way.said_at, said, FleetOf(from), tier, writer), /*may_be_newer=*/true);
  if (!read) return false;
  const Fleet& fleet = routers_->alive(to) ? FleetOf(to) : FleetOf(from);
  auto decoded = router::DecodeUp(way.read_at, *read, routers_->LocalOf(from), fleet, tier, writer);
  if (decoded.ok()) said = *std::move(decoded);
  return decoded.ok();
}

bool ProtoWire::Carry(const Way& way, RouterId from, RouterId to, ledger::LedgerAction& said) {
  const NamesIn names(*workers_, routers_->places()[from], FleetOf(from), addresses_);
  const auto read = Through(way, router::EncodeDown(said, FleetOf(from).world, names), /*may_be_newer=*/true);
  if (!read) return false;
  const Fleet& fleet = routers_->alive(to) ? FleetOf(to) : FleetOf(from);
  auto decoded = router::DecodeDown(*read, router::LedgerSession::kMachine, fleet.world, names);
  if (decoded.ok()) said = *std::move(decoded);
  return decoded.ok();
}

bool ProtoWire::Carry(const Way& way, router::LeaderHeartbeat& heartbeat) {
  const auto read = Through(way, router::EncodeHeartbeat(heartbeat.appointment, heartbeat.redirects));
  if (!read || !read->has_heartbeat()) return false;
  heartbeat = router::DecodeHeartbeat(read->heartbeat());
  return true;
}

bool ProtoWire::Carry(const Way& way, RouterId from, router::DialRegion& dial) {
  const auto read = Through(way, router::EncodeGreeting({.router = Routers::NameOf(from),
                                                         .tier = FleetOf(from).tiers[TierId(0)].name,
                                                         .region = RegionOf(from),
                                                         .hint_period = dial.period}));
  if (!read) return false;
  const auto greeting = router::DecodeGreeting(*read);
  if (!greeting.ok() || greeting->region.empty()) return false;
  dial.period = greeting->hint_period;
  return true;
}

bool ProtoWire::Carry(const Way& way, router::AskRegion& ask) {
  const auto read = Through(way, router::EncodeHintWanted(ask.number), /*may_be_newer=*/true);
  if (!read || !read->has_hint_wanted()) return false;
  ask.number = read->hint_wanted().number();
  return true;
}

bool ProtoWire::Carry(const Way& way, router::SendHint& hint) {
  const auto read = Through(way, router::EncodeHint(hint.hint, hint.answers));
  if (!read || !read->has_hint()) return false;
  hint.hint = router::DecodeHint(read->hint());
  hint.answers = read->hint().answers();
  return true;
}

// ---- workers, and jobs ----

worker::Identity ProtoWire::IdentityOf(WorkerId worker) const {
  const TierId tier = workers_->TierSaid(worker);
  return {.name = addresses_[worker.index()],
          .tier = tier.valid() ? scenario_.fleet->tiers[tier].name : "none of this fleet",
          .region = scenario_.fleet->world.regions[workers_->places()[worker].region].name,
          .model = {},
          .backend = {},
          .metrics_address = {},
          .pictures = {}};
}

bool ProtoWire::Carry(const Way& way, WorkerId to, OfferNote& offer) {
  v1::JobHeader header;
  header.set_tier(scenario_.fleet->tiers[workers_->places()[to].tier].name);
  router::JobFacts facts;
  facts.arrived = way.said_at;
  facts.deadline = offer.deadline;
  const bool leased = offer.lease != Lease{};
  v1::JobUp up = router::HeaderForWorker(header, facts, leased ? FormatLease(offer.lease) : "", way.said_at);
  // Users who tell none have one in the daemon, the tier's.
  if (offer.deadline == InfiniteFuture()) up.mutable_header()->clear_deadline_s();
  const auto read = Through(way, up, /*may_be_newer=*/true);
  if (!read || !read->has_header()) return false;
  if (!worker::CheckForWorker(read->header(), IdentityOf(to)).ok()) return false;
  const AttemptOffered offered = worker::OfferOf(read->header(), 1, way.read_at);
  offer.lease = offered.offer.grant;
  offer.deadline = offered.offer.deadline;
  return true;
}

bool ProtoWire::Carry(const Way& way, WorkerId, FenceNote& fence) {
  const auto read = Through(
      way, router::EncodeFence(
               {.worker = {}, .by = fence.by, .upto = fence.upto, .revoke = fence.revoke, .connection = 0}));
  if (!read) return false;
  const auto fenced = worker::FencedOf(*read);
  if (!fenced.ok()) return false;
  fence.by = fenced->by;
  fence.upto = fenced->upto;
  fence.revoke = fenced->revoke;
  return true;
}

bool ProtoWire::Carry(const Way& way, WorkerId from, RouterMessage& said) {
  SlotView view = workers_->slot(from).View(way.said_at);
  view.lease = FormatLease(workers_->NoteOf(from).lease);
  const auto read =
      Through(way, worker::StateMessage(view, said.announcement.sequence, {}, IdentityOf(from)));
  if (!read) return false;
  const WorkerId worker = workers_->InRegion(from);
  if (said.has_announcement) said.announcement = router::AnnouncementOf(worker, *read);
  if (said.watch == 0) return true;
  said.tier = FleetOf(said.router).FindTier(read->tier()).value_or(TierId());
  const router::WorkerSaid state = router::SaidBy(worker, said.tier, *read);
  said.news.state = !state.healthy ? dispatch::WorkerState::kFailed
                    : state.busy   ? dispatch::WorkerState::kBusy
                                   : dispatch::WorkerState::kIdle;
  said.news.draining = state.draining;
  said.busy_ns = ToInt64Nanoseconds(state.busy_total);
  return true;
}

bool ProtoWire::Carry(const Way& way, RouterId from, RouterId to, const router::ForwardToRouter& forward,
                      router::JobFacts& facts) {
  const Fleet& fleet = FleetOf(from);
  const Tier& tier = fleet.tiers[facts.tier];
  v1::JobHeader header;
  header.set_tier(tier.name);
  header.set_priority(tier.priorities[facts.priority]);
  if (facts.source.valid()) header.set_source_region(fleet.world.regions[facts.source].name);
  if (facts.once != nullptr) header.set_idempotency_key(facts.once->key.substr(0, 100));
  header.set_steps(facts.cost.steps);
  header.set_pixels(facts.cost.pixels);
  header.set_frames(facts.cost.frames);
  v1::JobUp up = router::HeaderForRouter(header, facts, forward, ZeroDuration(), way.said_at);
  if (facts.deadline == InfiniteFuture()) up.mutable_header()->clear_deadline_s();
  const auto read = Through(way, up);
  if (!read || !read->has_header()) return false;
  router::KnownFleet known;
  known.fleet = std::make_shared<const Fleet>(routers_->alive(to) ? FleetOf(to) : fleet);
  known.home = routers_->places()[to];
  auto decoded = router::FactsOf(read->header(), /*forwarded=*/true, known, way.read_at);
  if (!decoded.ok()) return false;
  decoded->once = facts.once;
  if (facts.deadline == InfiniteFuture()) decoded->deadline = facts.deadline;
  facts = *std::move(decoded);
  return true;
}

// ---- keys ----

bool ProtoWire::Carry(const Way& way, router::once::Request& request) {
  const auto read = Through(way, router::EncodeAsk(request, way.said_at), /*may_be_newer=*/true);
  if (!read) return false;
  auto decoded = router::DecodeAsk(*read, way.read_at);
  if (decoded.ok()) request = *std::move(decoded);
  return decoded.ok();
}

bool ProtoWire::Carry(const Way& way, router::once::Reply& reply) {
  const auto read = Through(way, router::EncodeReply(reply, way.said_at), /*may_be_newer=*/true);
  if (!read) return false;
  auto decoded = router::DecodeReply(*read, way.read_at);
  if (decoded.ok()) reply = *std::move(decoded);
  return decoded.ok();
}

}  // namespace ringway::sim
