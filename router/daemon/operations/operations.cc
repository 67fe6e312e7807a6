#include "router/daemon/operations/operations.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/header_text.h"
#include "proto/operations_codec.h"
#include "runtime/address.h"
#include "runtime/clock.h"

namespace ringway::router {
namespace {

std::string HostOf(const std::string& address) {
  const auto parsed = runtime::ParseAddress(address);
  return parsed.ok() ? parsed->host : address;
}

// Who gives an order and why go into the log: one line, whatever was sent.
std::string Signature(const v1::Operator& by) {
  const std::string who = by.who().empty() ? "somebody" : by.who();
  return HeaderText::Escaped(by.why().empty() ? who : absl::StrCat(who, " (", by.why(), ")")).text();
}

std::string_view NameOf(JobPhase phase) {
  switch (phase) {
    case JobPhase::kOffered:
    case JobPhase::kForwarded:
      return "offering";
    case JobPhase::kRunning:
      return "running";
    case JobPhase::kFree:  // it is done, and that is being recorded
      return "running";
    case JobPhase::kHeld:
    case JobPhase::kAcquiring:
      break;
  }
  return "waiting";
}

}  // namespace

bool Operations::Shown(WorkerId id, bool own) const {
  const WorkerRegistry& registry = view_.registry;
  if (registry.in_pool(id) || registry.Own(id)) return true;
  return !own && registry.in_region(id);
}

std::string Operations::NameOf(const KnownWorker& worker) const {
  if (!worker.state.worker().empty()) return worker.state.worker();
  return worker.name.empty() ? worker.address : worker.name;
}

std::string_view Operations::StateOf(WorkerId id) const {
  const KnownWorker& worker = view_.addresses.worker(id);
  if (view_.registry.in_pool(id)) {
    const dispatch::WorkerView& workers = view_.machine.workers();
    if (!view_.registry.well(id)) return "unreachable";
    return workers.listed(id) && workers.held(id) != 0 ? "busy" : "idle";
  }
  if (!view_.registry.watched(id)) return worker.said_draining ? "draining" : "unwatched";
  if (!worker.reachable) return "unreachable";
  if (worker.state.draining()) return "draining";
  if (worker.state.busy()) return "busy";
  return worker.state.healthy() ? "idle" : "resting";
}

void Operations::Fill(WorkerId id, v1::WorkerListing& row) const {
  const KnownWorker& worker = view_.addresses.worker(id);
  row.set_name(NameOf(worker));
  const TierId tier = view_.registry.tier(id);
  row.set_tier(worker.tier.empty() && tier.valid() ? view_.fleet.fleet->tiers[tier].name : worker.tier);
  row.set_region(view_.settings.region);
  row.set_host(HostOf(worker.address));
  row.set_address(worker.address);
  row.set_state(std::string(StateOf(id)));
  row.set_router(view_.settings.name);
  if (!worker.reachable) {
    if (worker.since == InfinitePast()) return;
  } else {
    row.set_job(worker.state.request_id());
    if (worker.state.has_drain_left_s()) row.set_drain_left_s(worker.state.drain_left_s());
  }
  row.set_since_s(ToDoubleSeconds(runtime::MonotonicNow() - worker.since));
}

v1::ListWorkersReply Operations::ListWorkers(const v1::ListWorkersRequest& request) const {
  v1::ListWorkersReply reply;
  reply.set_router(view_.settings.name);
  for (WorkerId id(0); id != view_.addresses.workers().end_id(); id = WorkerId(id.index() + 1)) {
    if (Shown(id, request.own())) Fill(id, *reply.add_workers());
  }
  std::sort(reply.mutable_workers()->begin(), reply.mutable_workers()->end(),
            [](const v1::WorkerListing& a, const v1::WorkerListing& b) { return a.name() < b.name(); });
  return reply;
}

void Operations::Fill(const JobSeen& seen, v1::JobListing& row) const {
  const Fleet& fleet = *view_.fleet.fleet;
  const Tier& tier = fleet.tiers[seen.facts.tier];
  row.set_id(seen.header.request_id());
  row.set_tier(tier.name);
  if (seen.facts.priority < tier.priorities.size()) row.set_priority(tier.priorities[seen.facts.priority]);
  row.set_age_s(ToDoubleSeconds(runtime::MonotonicNow() - seen.facts.arrived));
  row.set_forwarded(seen.facts.forwarded);
  row.set_router(view_.settings.name);
  row.set_state("uploading");
  if (seen.uploading) return;
  const JobRecord& job = view_.machine.job(seen.id);
  row.set_state(std::string(router::NameOf(job.phase)));
  if (row.state() == "waiting") return;
  row.set_region(fleet.world.regions[job.route.target].name);
  if (job.worker.valid()) row.set_worker(NameOf(view_.addresses.worker(job.worker)));
}

v1::ListJobsReply Operations::ListJobs(const v1::ListJobsRequest& request) const {
  v1::ListJobsReply reply;
  reply.set_router(view_.settings.name);
  std::vector<v1::JobListing> rows;
  std::size_t plain = view_.machine.jobs();  // what is left when the others are taken away
  for (const JobSeen& seen : view_.calls.Seen()) {
    if (seen.header.has_http()) continue;
    if (!seen.uploading && plain > 0) --plain;
    v1::JobListing row;
    Fill(seen, row);
    if (!request.tier().empty() && row.tier() != request.tier()) continue;
    if (!request.state().empty() && row.state() != request.state()) continue;
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.age_s() > b.age_s(); });
  const std::size_t listed = std::min(rows.size(), kJobsListed);
  for (std::size_t i = 0; i < listed; ++i) *reply.add_jobs() = std::move(rows[i]);
  reply.set_left_out(rows.size() - listed);
  reply.set_plain_requests(plain);
  return reply;
}

absl::StatusOr<v1::CancelReply> Operations::Cancel(const v1::CancelRequest& request) {
  if (absl::Status status = wire::CheckCancel(request); !status.ok()) return status;
  const std::string why =
      absl::StrCat("cancelled by an operator", request.by().why().empty() ? "" : ": ", request.by().why());
  v1::CancelReply reply;
  reply.set_router(view_.settings.name);
  reply.set_cancelled(view_.calls.CancelJobs(request.job(), why));
  const v1::TellReply told = view_.calls.traces().Tell(request.job());
  if (reply.cancelled() == 0 && told.traces_size() == 0) {
    return absl::NotFoundError(absl::StrCat("no job \"", HeaderText::Escaped(request.job()).text(),
                                            "\" is at router ", view_.settings.name, ", nor among the last ",
                                            told.kept_max(), " that ended there"));
  }
  if (told.traces_size() > 0) reply.set_ended(told.traces(told.traces_size() - 1).end().outcome());
  if (reply.cancelled() > 0) {
    view_.log.Info(absl::StrCat("job ", HeaderText::Escaped(request.job()).text(), " is cancelled by ",
                                Signature(request.by())));
    Record(request.by(), OrderGiven::Part::kSameEverywhere, wire::ActionOf(request));
  }
  return reply;
}

absl::StatusOr<std::vector<OrderedWorker>> Operations::WorkersOf(const v1::DrainWorkersRequest& request) {
  if (const auto term = wire::CheckDrainWorkers(request); !term.ok()) return term.status();
  std::vector<OrderedWorker> ordered;
  for (WorkerId id(0); id != view_.addresses.workers().end_id(); id = WorkerId(id.index() + 1)) {
    if (!Shown(id, request.own())) continue;
    const KnownWorker& worker = view_.addresses.worker(id);
    const std::string name = NameOf(worker);
    if (request.worker().empty() ? HostOf(worker.address) != request.host() : name != request.worker())
      continue;
    const bool plain = view_.registry.in_pool(id);
    ordered.push_back({name, worker.address, plain ? nullptr : view_.addresses.WorkerStub(id).get()});
  }
  const std::string whom =
      HeaderText::Escaped(request.worker().empty() ? absl::StrCat("on host \"", request.host(), "\"")
                                                   : absl::StrCat("\"", request.worker(), "\""))
          .text();
  if (ordered.empty()) {
    return absl::NotFoundError(absl::StrCat("router ", view_.settings.name, " knows no worker ", whom));
  }
  if (ordered.size() > kOrderedMax) {
    return absl::InvalidArgumentError(absl::StrCat(ordered.size(), " workers are ", whom, "; at most ",
                                                   kOrderedMax, " take an order at once"));
  }
  view_.log.Info(absl::StrCat(ordered.size(), " workers, ", whom, ", are told ",
                              request.drain() ? "to drain" : "to serve again", " by ",
                              Signature(request.by())));
  std::vector<std::string> names;
  for (const OrderedWorker& worker : ordered) names.push_back(worker.name);
  Record(request.by(), OrderGiven::Part::kOwn, wire::ActionOf(request, names));
  return ordered;
}

// The log has had every order, also one that no controller will hear of.
void Operations::Record(const v1::Operator& by, OrderGiven::Part part, std::string action) {
  const auto lost = view_.orders.Add(
      {.who = by.who(), .why = by.why(), .name = by.order(), .part = part, .action = std::move(action)},
      runtime::WallNow());
  if (!lost) return;
  view_.log.Warning(absl::StrCat("no controller has recorded an order of ",
                                 HeaderText::Escaped(lost->who).text(),
                                 ", and it is told no longer: ", lost->action));
}

void Operations::FillOrders(const OrderRecords& orders, v1::Report& report) {
  static_assert(OrderRecords::kTold == wire::kOrdersInReport);
  for (OrderDone& told : orders.Told()) {
    v1::OrderDone& order = *report.add_orders();
    order.set_number(told.number);
    order.set_id(std::move(told.id));
    order.set_at_unix_us(ToUnixMicros(told.at));
    order.set_who(std::move(told.who));
    order.set_why(std::move(told.why));
    order.set_action(std::move(told.action));
  }
}

}  // namespace ringway::router
