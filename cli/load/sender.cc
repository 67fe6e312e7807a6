#include "cli/load/sender.h"

#include <algorithm>
#include <utility>

#include "runtime/clock.h"

namespace ringway::load {
namespace {

constexpr std::uint64_t kEntries = 0x656e7472;  // random stream of the choice of a region
// How long nothing may be looked at: signals, and the clock of the progress.
constexpr double kSliceS = 0.1;
constexpr double kLineEveryS = 5;
constexpr double kRedrawEveryS = 0.5;

}  // namespace

Sender::Sender(cli::Session& session, std::vector<Entry> entries, Shipment shipment, std::uint64_t seed)
    : session_(session),
      entries_(std::move(entries)),
      shipment_(std::move(shipment)),
      rng_(seed, kEntries),
      turns_(entries_.size(), 0),
      jobs_(shipment_.limit) {
  for (const Entry& entry : entries_) shares_ += entry.share;
}

double Sender::Now() const { return ToDoubleSeconds(runtime::MonotonicNow() - began_); }

std::size_t Sender::DrawEntry() {
  double at = rng_.Uniform() * shares_;
  for (std::size_t i = 0; i + 1 < entries_.size(); ++i) {
    at -= entries_[i].share;
    if (at < 0) return i;
  }
  return entries_.size() - 1;
}

void Sender::Send(double due_s) {
  const std::size_t chosen = DrawEntry();
  const Entry& entry = entries_[chosen];
  const std::string& router = entry.routers[turns_[chosen]++ % entry.routers.size()];
  const std::size_t ticket = tickets_++;
  summary_.Late(Now() - due_s);
  if (!jobs_.Send(ticket, router, shipment_.header, shipment_.payload)) {
    summary_.NotSent();
    return;
  }
  summary_.Sent(entry.region);
  in_flight_[ticket] = {chosen, due_s};
}

void Sender::Collect(double until_s) {
  for (const JobEnd& end : jobs_.Take(began_ + Seconds(until_s))) {
    const auto sent = in_flight_.find(end.ticket);
    const double latency_s = ToDoubleSeconds(end.at - began_) - sent->second.due_s;
    summary_.Add(entries_[sent->second.entry].region, end.end, latency_s);
    in_flight_.erase(sent);
  }
}

void Sender::Tell(bool last) {
  const double now_s = Now();
  const bool in_place = session_.terminal;
  if (session_.json || (!last && now_s < told_s_ + (in_place ? kRedrawEveryS : kLineEveryS))) return;
  told_s_ = now_s;
  session_.err << (in_place ? "\r\x1b[K" : "") << summary_.ProgressText(now_s)
               << (in_place && !last ? "" : "\n") << std::flush;
}

double Sender::Run(Arrivals arrivals, demo::Interrupt& interrupt) {
  began_ = runtime::MonotonicNow();
  std::optional<double> next = arrivals.Next();
  double stopped_s = 0;
  while (next && !interrupt.Came()) {
    const double now_s = Now();
    stopped_s = now_s;
    if (*next <= now_s) {
      Send(*next);
      next = arrivals.Next();
      continue;
    }
    Collect(std::min(*next, now_s + kSliceS));
    Tell(false);
  }
  while (!in_flight_.empty() && !interrupt.Came()) {
    Collect(Now() + kSliceS);
    Tell(false);
  }
  if (!in_flight_.empty()) {
    jobs_.CancelAll();
    while (!in_flight_.empty()) Collect(Now() + kSliceS);
  }
  Tell(true);
  return stopped_s;
}

}  // namespace ringway::load
