#include "router/wire/once_codec.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/table_codec.h"

namespace ringway::router {
namespace {

constexpr double kOnceSecondsMax = 8 * 24 * 3600;

absl::Status BadOnce(const char* field, const std::string& problem) {
  return absl::InvalidArgumentError(absl::StrCat("Once.", field, ": ", problem));
}

void Put(const once::ClaimId& claim, v1::OnceClaimId& out) {
  out.set_round(claim.round);
  out.set_owner(claim.owner);
  out.set_life(claim.life);
  out.set_serial(claim.serial);
}

once::ClaimId Get(const v1::OnceClaimId& in) {
  return {.round = in.round(), .owner = in.owner(), .life = in.life(), .serial = in.serial()};
}

void Put(const once::ViewId& id, v1::OnceViewId& out) {
  out.set_epoch(id.epoch);
  out.set_version(id.version);
  out.set_digest(id.digest);
}

once::ViewId Get(const v1::OnceViewId& in) {
  return {.epoch = in.epoch(), .version = in.version(), .digest = in.digest()};
}

double OnceSeconds(Duration d) { return std::clamp(ToDoubleSeconds(d), 0.0, kOnceSecondsMax); }

void Put(const once::Record& record, Time now, v1::OnceRecord& out) {
  out.set_key(record.key);
  out.set_fingerprint(record.fingerprint);
  Put(record.claim, *out.mutable_claim());
  out.set_done(record.done);
  out.set_free(record.free);
  out.set_remaining_s(OnceSeconds(record.until - now));
  if (record.result.end) out.set_end(*record.result.end);
  out.set_kept(record.result.bytes != nullptr);
  if (record.result.bytes) out.set_result(*record.result.bytes);
  if (record.voted_in.stated()) Put(record.voted_in, *out.mutable_voted_in());
}

void Put(const once::KnownView& known, Time now, bool with_before, v1::OnceView& out) {
  out.set_epoch(known.view->id.epoch);
  out.set_version(known.view->id.version);
  for (const std::string& name : known.view->names) out.add_routers(name);
  out.set_in_it(known.left == InfiniteFuture());
  if (!out.in_it()) out.set_left_s(OnceSeconds(now - known.left));
  out.set_whole(known.whole);
  if (!with_before) return;
  for (const once::KnownView& past : known.view->before) Put(past, now, false, *out.add_before());
}

absl::Status CheckKey(const std::string& key) {
  if (!key.empty() && key.size() <= kOnceKeyBytesMax) return absl::OkStatus();
  return BadOnce("key", absl::StrCat("is ", key.size(), " bytes long, allowed are 1 to ", kOnceKeyBytesMax));
}

absl::Status CheckSeconds(const char* field, double seconds) {
  if (std::isfinite(seconds) && seconds >= 0 && seconds <= kOnceSecondsMax) return absl::OkStatus();
  return BadOnce(field, absl::StrCat("is ", seconds, ", allowed are 0 to ", kOnceSecondsMax, " seconds"));
}

// `before`: this is one of those that another view tells, and tells none itself.
absl::StatusOr<once::KnownView> Get(const v1::OnceView& in, Time now, bool before) {
  if (in.version() == 0) return BadOnce("view.version", "is 0; versions are counted from 1");
  if (in.routers_size() > static_cast<int>(once::kViewRoutersMax)) {
    return BadOnce("view.routers",
                   absl::StrCat("are ", in.routers_size(), ", allowed are ", once::kViewRoutersMax));
  }
  for (const std::string& name : in.routers()) {
    if (name.empty() || name.size() > kOnceNameBytesMax) {
      return BadOnce("view.routers", absl::StrCat("has a name of ", name.size(), " bytes, allowed are 1 to ",
                                                  kOnceNameBytesMax));
    }
  }
  if (absl::Status s = CheckSeconds("view.left_s", in.left_s()); !s.ok()) return s;
  if (in.before_size() > (before ? 0 : static_cast<int>(once::kViewsBeforeMax))) {
    return BadOnce("view.before", absl::StrCat("are ", in.before_size(), ", allowed are ",
                                               before ? 0 : once::kViewsBeforeMax));
  }
  std::vector<once::KnownView> earlier;
  for (const v1::OnceView& past : in.before()) {
    auto known = Get(past, now, true);
    if (!known.ok()) return known.status();
    earlier.push_back(*std::move(known));
  }
  return once::KnownView{
      .view = once::MakeView({in.epoch(), in.version()}, {in.routers().begin(), in.routers().end()},
                             std::move(earlier)),
      .left = in.in_it() && !before ? InfiniteFuture() : now - Seconds(in.left_s()),
      .whole = in.whole()};
}

absl::Status CheckClaim(const v1::OnceClaimId& claim) {
  if (claim.round() >= 1 && claim.round() <= kOnceRoundMax) return absl::OkStatus();
  return BadOnce("claim.round", absl::StrCat("is ", claim.round(), ", allowed are 1 to ", kOnceRoundMax));
}

absl::StatusOr<once::Record> Get(const v1::OnceRecord& in, Time now) {
  if (absl::Status s = CheckKey(in.key()); !s.ok()) return s;
  if (absl::Status s = CheckClaim(in.claim()); !s.ok()) return s;
  if (absl::Status s = CheckSeconds("remaining_s", in.remaining_s()); !s.ok()) return s;
  if (in.end().size() > kOnceEndBytesMax || in.result().size() > kOnceResultBytesMax) {
    return BadOnce(
        "result", absl::StrCat("is ", in.end().size(), " + ", in.result().size(), " bytes long, allowed are ",
                               kOnceEndBytesMax, " + ", kOnceResultBytesMax));
  }
  if (in.done() && in.free()) return BadOnce("free", "is set for a key that is done");
  once::Record record{.key = in.key(),
                      .fingerprint = in.fingerprint(),
                      .claim = Get(in.claim()),
                      .done = in.done(),
                      .free = in.free(),
                      .until = now + Seconds(in.remaining_s())};
  if (in.done()) {
    record.result.end = std::make_shared<const std::string>(in.end());
    if (in.kept()) record.result.bytes = std::make_shared<const std::string>(in.result());
    record.voted_in = Get(in.voted_in());
  }
  return record;
}

absl::StatusOr<once::ClaimRequest> Get(const v1::OnceClaim& in) {
  if (absl::Status s = CheckKey(in.key()); !s.ok()) return s;
  if (absl::Status s = CheckClaim(in.claim()); !s.ok()) return s;
  if (absl::Status s = CheckSeconds("hold_s", in.hold_s()); !s.ok()) return s;
  if (in.over_size() > 2)
    return BadOnce("over", absl::StrCat("has ", in.over_size(), " claims, allowed are 2"));
  once::ClaimRequest ask{.key = in.key(),
                         .fingerprint = in.fingerprint(),
                         .claim = Get(in.claim()),
                         .hold = Seconds(in.hold_s())};
  for (const v1::OnceClaimId& claim : in.over()) ask.over.push_back(Get(claim));
  return ask;
}

struct AskWriter {
  Time now;
  v1::OnceRequest& out;
  void operator()(const once::ClaimRequest& ask) const {
    v1::OnceClaim& claim = *out.mutable_claim();
    claim.set_key(ask.key);
    claim.set_fingerprint(ask.fingerprint);
    Put(ask.claim, *claim.mutable_claim());
    claim.set_hold_s(OnceSeconds(ask.hold));
    for (const once::ClaimId& over : ask.over) Put(over, *claim.add_over());
  }
  void operator()(const once::SettleRequest& ask) const {
    Put(ask.record, now, *out.mutable_settle()->mutable_record());
  }
  void operator()(const once::ReleaseRequest& ask) const {
    out.mutable_release()->set_key(ask.key);
    Put(ask.claim, *out.mutable_release()->mutable_claim());
  }
  void operator()(const once::AttachRequest& ask) const {
    out.mutable_attach()->set_key(ask.key);
    Put(ask.claim, *out.mutable_attach()->mutable_claim());
    out.mutable_attach()->set_patience_s(OnceSeconds(ask.patience));
  }
  void operator()(const once::PullRequest& ask) const {
    out.mutable_pull()->set_replica(ask.replica);
    out.mutable_pull()->set_after(ask.after);
    if (ask.view) Put(once::KnownView{.view = ask.view}, now, true, *out.mutable_pull()->mutable_view());
  }
};

absl::StatusOr<once::Request> ReadAsk(const v1::OnceRequest& in, Time now) {
  switch (in.kind_case()) {
    case v1::OnceRequest::kClaim: {
      auto claim = Get(in.claim());
      if (!claim.ok()) return claim.status();
      return once::Request{.what = *std::move(claim)};
    }
    case v1::OnceRequest::kSettle: {
      auto record = Get(in.settle().record(), now);
      if (!record.ok()) return record.status();
      if (!record->done) return BadOnce("settle.record", "is not of a key that is done");
      return once::Request{.what = once::SettleRequest{.record = *std::move(record)}};
    }
    case v1::OnceRequest::kRelease:
      if (absl::Status s = CheckKey(in.release().key()); !s.ok()) return s;
      return once::Request{
          .what = once::ReleaseRequest{.key = in.release().key(), .claim = Get(in.release().claim())}};
    case v1::OnceRequest::kAttach:
      if (absl::Status s = CheckKey(in.attach().key()); !s.ok()) return s;
      if (absl::Status s = CheckSeconds("patience_s", in.attach().patience_s()); !s.ok()) return s;
      return once::Request{.what = once::AttachRequest{.key = in.attach().key(),
                                                       .claim = Get(in.attach().claim()),
                                                       .patience = Seconds(in.attach().patience_s())}};
    case v1::OnceRequest::kPull: {
      if (in.pull().after().size() > kOnceKeyBytesMax) return BadOnce("pull.after", "is longer than any key");
      once::PullRequest pull{.replica = in.pull().replica(), .after = in.pull().after()};
      if (in.pull().has_view()) {
        auto known = Get(in.pull().view(), now, false);
        if (!known.ok()) return known.status();
        pull.view = known->view;
      }
      return once::Request{.what = std::move(pull)};
    }
    case v1::OnceRequest::KIND_NOT_SET:
      break;
  }
  return BadOnce("kind", "is none that this release knows");
}

}  // namespace

v1::OnceRequest EncodeAsk(const once::Request& ask, Time now) {
  v1::OnceRequest out;
  out.set_wire_version(wire::kWireVersion);
  if (ask.view.stated()) Put(ask.view, *out.mutable_view());
  std::visit(AskWriter{now, out}, ask.what);
  return out;
}

v1::OnceReply EncodeReply(const once::Reply& reply, Time now) {
  v1::OnceReply out;
  out.set_wire_version(wire::kWireVersion);
  out.set_verdict(static_cast<v1::OnceReply::Verdict>(reply.verdict));
  for (const once::Record& record : reply.records) Put(record, now, *out.add_records());
  out.set_more(reply.more);
  out.set_cursor(reply.cursor);
  if (reply.view.stated()) Put(reply.view, *out.mutable_view());
  // A refusal tells a view to a router that may know none before it.
  const bool refusal = reply.verdict == once::Verdict::kOldView;
  for (const once::KnownView& known : reply.views) Put(known, now, refusal, *out.add_views());
  if (reply.since.stated()) Put(reply.since, *out.mutable_since());
  return out;
}

absl::StatusOr<once::Request> DecodeAsk(const v1::OnceRequest& in, Time now) {
  if (absl::Status s = wire::CheckWireVersion(in.wire_version(), "OnceRequest"); !s.ok()) return s;
  auto ask = ReadAsk(in, now);
  if (ask.ok()) ask->view = Get(in.view());
  return ask;
}

absl::StatusOr<once::Reply> DecodeReply(const v1::OnceReply& in, Time now) {
  if (absl::Status s = wire::CheckWireVersion(in.wire_version(), "OnceReply"); !s.ok()) return s;
  if (!v1::OnceReply::Verdict_IsValid(in.verdict()))
    return BadOnce("verdict", "is none that this release knows");
  if (in.records_size() > kOnceRecordsMax) {
    return BadOnce("records", absl::StrCat("are ", in.records_size(), ", allowed are ", kOnceRecordsMax));
  }
  once::Reply reply{.verdict = static_cast<once::Verdict>(in.verdict())};
  for (const v1::OnceRecord& record : in.records()) {
    auto value = Get(record, now);
    if (!value.ok()) return value.status();
    reply.records.push_back(*std::move(value));
  }
  const bool must_show = reply.verdict == once::Verdict::kTaken || reply.verdict == once::Verdict::kExpired ||
                         reply.verdict == once::Verdict::kBehind || reply.verdict == once::Verdict::kDone;
  if (must_show && reply.records.empty()) return BadOnce("records", "are missing for this verdict");
  reply.more = in.more();
  reply.cursor = in.cursor();
  reply.view = Get(in.view());
  reply.since = Get(in.since());
  if (in.views_size() > kOnceViewsMax) {
    return BadOnce("views", absl::StrCat("are ", in.views_size(), ", allowed are ", kOnceViewsMax));
  }
  for (const v1::OnceView& view : in.views()) {
    auto known = Get(view, now, false);
    if (!known.ok()) return known.status();
    reply.views.push_back(*std::move(known));
  }
  return reply;
}

once::ViewPtr ReadView(const v1::Directory& directory, Time now) {
  if (directory.view_version() == 0) return nullptr;
  std::vector<std::string> names;
  for (const v1::RouterEntry& entry : directory.routers()) names.push_back(entry.name());
  std::vector<once::KnownView> before;
  for (const v1::PastView& past : directory.before()) {
    if (past.version() == 0) continue;
    const double left_s = std::isfinite(past.left_s()) ? std::clamp(past.left_s(), 0.0, kOnceSecondsMax) : 0;
    before.push_back({.view = once::MakeView({past.epoch(), past.version()},
                                             {past.routers().begin(), past.routers().end()}),
                      .left = now - Seconds(left_s)});
  }
  return once::MakeView({directory.view_epoch(), directory.view_version()}, std::move(names),
                        std::move(before));
}

}  // namespace ringway::router
