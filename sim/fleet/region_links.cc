#include "sim/fleet/region_links.h"

#include <algorithm>
#include <utility>

#include "sim/fleet/wire.h"

namespace ringway::sim {
namespace {

constexpr std::uint64_t kStream = 0x72656c6e;
// Between two tries, as router/daemon/ledgers/ledger_link.cc does it.
constexpr double kRegionRetryFirstNs = 30e6;
constexpr double kRegionRetryMaxNs = 300e6;
// A connection that nobody answers is given up after this long.
constexpr std::int64_t kUnansweredNs = 1'000'000'000;

template <class T>
T& At(IdVector<RegionId, T>& of, RegionId region) {
  if (!of.contains(region)) of.resize(region.index() + 1);
  return of[region];
}

}  // namespace

RegionLinks::RegionLinks(Stage& stage, std::uint64_t seed, Ends ends)
    : stage_(stage), ends_(std::move(ends)), rng_(seed, kStream) {}

void RegionLinks::Dial(Endpoint from, const router::DialRegion& dial, Endpoint to) {
  At(sites_[from].links, dial.region) = {.number = 0, .to = to, .period = dial.period, .tries = 0};
  Connect(from, dial.region);
}

void RegionLinks::Connect(Endpoint from, RegionId region) {
  Link& link = sites_[from].links[region];
  link.number = ++last_;
  Post(from, link.to,
       {.what = Note::What::kStands, .number = link.number, .from = from, .period = link.period, .hint = {}});
  // Unless a hint has settled it by then.
  RetryLater(from, region, link.number, kUnansweredNs);
}

void RegionLinks::HangUp(Endpoint from, RegionId region) {
  Link& link = At(sites_[from].links, region);
  if (link.number == 0) return;
  Post(from, link.to,
       {.what = Note::What::kFell, .number = link.number, .from = from, .period = {}, .hint = {}});
  link = {};
}

void RegionLinks::Send(Endpoint from, const router::SendHint& hint) {
  const RegionId region(hint.router.index() - kListeners);
  const Listener& to = At(sites_[from].listeners, region);
  if (to.number == 0) return;
  Post(from, to.from,
       {.what = Note::What::kHint,
        .number = to.number,
        .from = from,
        .period = {},
        .hint = hint.hint,
        .asked = hint.answers});
}

void RegionLinks::Ask(Endpoint from, const router::AskRegion& ask) {
  const Link& link = At(sites_[from].links, ask.region);
  if (link.number == 0) return;
  Post(from, link.to,
       {.what = Note::What::kAsks,
        .number = link.number,
        .from = from,
        .period = {},
        .hint = {},
        .asked = ask.number});
}

// What is refused ends the call, which is tried again: it looks like one that nobody answers.
bool RegionLinks::Read(Endpoint from, Endpoint to, std::int64_t takes_ns, Note& note) {
  const RouterId writer = ends_.router(from);
  const Way way = WayBetween(stage_, takes_ns, writer, ends_.router(to));
  if (note.what == Note::What::kStands) {
    router::DialRegion dial{.region = ends_.region(to), .router = {}, .address = {}, .period = note.period};
    if (!stage_.wire->Carry(way, writer, dial)) return false;
    note.period = dial.period;
  } else if (note.what == Note::What::kHint) {
    router::SendHint said{.router = {}, .hint = note.hint, .answers = note.asked};
    if (!stage_.wire->Carry(way, said)) return false;
    note.hint = said.hint;
    note.asked = said.answers;
  } else if (note.what == Note::What::kAsks) {
    router::AskRegion ask{.region = {}, .number = note.asked};
    if (!stage_.wire->Carry(way, ask)) return false;
    note.asked = ask.number;
  }
  return true;
}

void RegionLinks::Post(Endpoint from, Endpoint to, Note note) {
  const auto delay = stage_.network.DelayNs(ends_.region(from), ends_.region(to));
  if (!delay) return;
  if (stage_.wire != nullptr && !Read(from, to, *delay, note)) return;
  stage_.After(*delay, Happening::kRegionLinkReaches, to, notes_.Put(note));
}

void RegionLinks::RetryLater(Endpoint from, RegionId region, Number number, std::int64_t after_ns) {
  stage_.After(after_ns, Happening::kRegionLinkRetried, from,
               retries_.Put({.region = region, .number = number}));
}

void RegionLinks::OnReaches(Endpoint at, std::uint32_t detail) {
  const Note note = notes_.Take(detail);
  if (!ends_.alive(at)) return;  // whoever dialled finds nobody, and tries again
  Site& site = sites_[at];
  const RegionId region = ends_.region(note.from);
  switch (note.what) {
    case Note::What::kStands:
      At(site.listeners, region) = {.number = note.number, .from = note.from};
      return ends_.step(at, router::ListenerConnected{ListenerOf(region), note.period});
    case Note::What::kFell:
      if (At(site.listeners, region).number != note.number) return;
      site.listeners[region] = {};
      return ends_.step(at, router::ListenerDisconnected{ListenerOf(region)});
    case Note::What::kHint:
      if (At(site.links, region).number != note.number) return;
      site.links[region].tries = 0;
      return ends_.step(at, router::RegionHinted{region, note.hint, note.asked});
    case Note::What::kAsks:
      if (At(site.listeners, region).number != note.number) return;
      return ends_.step(at, router::HintWanted{ListenerOf(region), note.asked});
  }
}

// The link broke or was not answered: unless the other end listens by now, it is tried again.
void RegionLinks::OnRetried(Endpoint from, std::uint32_t detail) {
  const Retry retry = retries_.Take(detail);
  if (!ends_.alive(from) || !sites_[from].links.contains(retry.region)) return;
  Link& link = sites_[from].links[retry.region];
  if (link.number == 0 || link.number != retry.number) return;
  const RegionId own = ends_.region(from);
  Site& there = sites_[link.to];
  if (ends_.alive(link.to) && At(there.listeners, own).number == link.number) return;
  ends_.step(from, router::RegionLinkBroke{retry.region});
  Connect(from, retry.region);
}

void RegionLinks::Died(Endpoint endpoint) {
  Site& site = sites_[endpoint];
  for (RegionId r(0); r != site.links.end_id(); r = RegionId(r.index() + 1)) {
    if (site.links[r].number != 0) HangUp(endpoint, r);
  }
  for (const Listener& listener : site.listeners) {
    if (listener.number == 0) continue;
    // Unless whoever listened has died too, or has dialled somebody else since.
    Link& link = At(sites_[listener.from].links, ends_.region(endpoint));
    if (link.number != listener.number) continue;
    const double wait_ns = std::min(
        kRegionRetryMaxNs, kRegionRetryFirstNs * static_cast<double>(1 << std::min(link.tries++, 8)));
    RetryLater(listener.from, ends_.region(endpoint), listener.number,
               static_cast<std::int64_t>(wait_ns * (0.5 + 0.5 * rng_.Uniform())));
  }
  site = {};
}

void RegionLinks::Break(Endpoint endpoint, double share, std::int64_t late_ns) {
  Site& site = sites_[endpoint];
  for (RegionId r(0); r != site.links.end_id(); r = RegionId(r.index() + 1)) {
    Link& link = site.links[r];
    if (link.number == 0 || !rng_.Chance(share)) continue;
    if (late_ns > 0) {
      stage_.After(late_ns, Happening::kRegionLinkReaches, link.to,
                   notes_.Put({.what = Note::What::kFell,
                               .number = link.number,
                               .from = endpoint,
                               .period = {},
                               .hint = {}}));
      link.number = ++last_;  // nothing more is heard over the one that broke
    } else {
      At(sites_[link.to].listeners, ends_.region(endpoint)) = {};
    }
    RetryLater(endpoint, r, link.number, static_cast<std::int64_t>(kRegionRetryFirstNs * rng_.Uniform()));
  }
}

}  // namespace ringway::sim
