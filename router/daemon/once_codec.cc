#include "router/daemon/once_codec.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/table_codec.h"

namespace ringway::router {
namespace {

constexpr double kSecondsMax = 8 * 24 * 3600;

absl::Status Bad(const char* field, const std::string& problem) {
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

double Seconds(absl::Duration d) { return std::clamp(absl::ToDoubleSeconds(d), 0.0, kSecondsMax); }

void Put(const once::Record& record, absl::Time now, v1::OnceRecord& out) {
  out.set_key(record.key);
  out.set_fingerprint(record.fingerprint);
  Put(record.claim, *out.mutable_claim());
  out.set_done(record.done);
  out.set_free(record.free);
  out.set_remaining_s(Seconds(record.until - now));
  if (record.result.end) out.set_end(*record.result.end);
  out.set_kept(record.result.bytes != nullptr);
  if (record.result.bytes) out.set_result(*record.result.bytes);
}

absl::Status CheckKey(const std::string& key) {
  if (!key.empty() && key.size() <= kOnceKeyBytesMax) return absl::OkStatus();
  return Bad("key", absl::StrCat("is ", key.size(), " bytes long, allowed are 1 to ", kOnceKeyBytesMax));
}

absl::Status CheckSeconds(const char* field, double seconds) {
  if (std::isfinite(seconds) && seconds >= 0 && seconds <= kSecondsMax) return absl::OkStatus();
  return Bad(field, absl::StrCat("is ", seconds, ", allowed are 0 to ", kSecondsMax, " seconds"));
}

absl::Status CheckClaim(const v1::OnceClaimId& claim) {
  if (claim.round() >= 1) return absl::OkStatus();
  return Bad("claim.round", "is 0; rounds are counted from 1");
}

absl::StatusOr<once::Record> Get(const v1::OnceRecord& in, absl::Time now) {
  if (absl::Status s = CheckKey(in.key()); !s.ok()) return s;
  if (absl::Status s = CheckClaim(in.claim()); !s.ok()) return s;
  if (absl::Status s = CheckSeconds("remaining_s", in.remaining_s()); !s.ok()) return s;
  if (in.end().size() > kOnceEndBytesMax || in.result().size() > kOnceResultBytesMax) {
    return Bad("result",
               absl::StrCat("is ", in.end().size(), " + ", in.result().size(), " bytes long, allowed are ",
                            kOnceEndBytesMax, " + ", kOnceResultBytesMax));
  }
  if (in.done() && in.free()) return Bad("free", "is set for a key that is done");
  once::Record record{.key = in.key(),
                      .fingerprint = in.fingerprint(),
                      .claim = Get(in.claim()),
                      .done = in.done(),
                      .free = in.free(),
                      .until = now + absl::Seconds(in.remaining_s())};
  if (in.done()) {
    record.result.end = std::make_shared<const std::string>(in.end());
    if (in.kept()) record.result.bytes = std::make_shared<const std::string>(in.result());
  }
  return record;
}

absl::StatusOr<once::ClaimRequest> Get(const v1::OnceClaim& in) {
  if (absl::Status s = CheckKey(in.key()); !s.ok()) return s;
  if (absl::Status s = CheckClaim(in.claim()); !s.ok()) return s;
  if (absl::Status s = CheckSeconds("hold_s", in.hold_s()); !s.ok()) return s;
  if (in.over_size() > 2) return Bad("over", absl::StrCat("has ", in.over_size(), " claims, allowed are 2"));
  once::ClaimRequest ask{.key = in.key(),
                         .fingerprint = in.fingerprint(),
                         .claim = Get(in.claim()),
                         .hold = absl::Seconds(in.hold_s())};
  for (const v1::OnceClaimId& claim : in.over()) ask.over.push_back(Get(claim));
  return ask;
}

struct AskWriter {
  absl::Time now;
  v1::OnceRequest& out;
  void operator()(const once::ClaimRequest& ask) const {
    v1::OnceClaim& claim = *out.mutable_claim();
    claim.set_key(ask.key);
    claim.set_fingerprint(ask.fingerprint);
    Put(ask.claim, *claim.mutable_claim());
    claim.set_hold_s(Seconds(ask.hold));
    for (const once::ClaimId& over : ask.over) Put(over, *claim.add_over());
  }
  void operator()(const once::SettleRequest& ask) const {
    Put(ask.record, now, *out.mutable_settle()->mutable_record());
    Put(ask.instead_of, *out.mutable_settle()->mutable_instead_of());
  }
  void operator()(const once::ReleaseRequest& ask) const {
    out.mutable_release()->set_key(ask.key);
    Put(ask.claim, *out.mutable_release()->mutable_claim());
  }
  void operator()(const once::AttachRequest& ask) const {
    out.mutable_attach()->set_key(ask.key);
    Put(ask.claim, *out.mutable_attach()->mutable_claim());
    out.mutable_attach()->set_patience_s(Seconds(ask.patience));
  }
  void operator()(const once::PullRequest& ask) const {
    out.mutable_pull()->set_replica(ask.replica);
    out.mutable_pull()->set_after(ask.after);
  }
  void operator()(const once::CopyRequest& ask) const { Put(ask.record, now, *out.mutable_copy()); }
};

}  // namespace

v1::OnceRequest EncodeAsk(const once::Request& ask, absl::Time now) {
  v1::OnceRequest out;
  out.set_wire_version(wire::kWireVersion);
  std::visit(AskWriter{now, out}, ask.what);
  return out;
}

v1::OnceReply EncodeReply(const once::Reply& reply, absl::Time now) {
  v1::OnceReply out;
  out.set_wire_version(wire::kWireVersion);
  out.set_verdict(static_cast<v1::OnceReply::Verdict>(reply.verdict));
  for (const once::Record& record : reply.records) Put(record, now, *out.add_records());
  out.set_more(reply.more);
  out.set_cursor(reply.cursor);
  return out;
}

absl::StatusOr<once::Request> DecodeAsk(const v1::OnceRequest& in, absl::Time now) {
  if (absl::Status s = wire::CheckWireVersion(in.wire_version(), "OnceRequest"); !s.ok()) return s;
  switch (in.kind_case()) {
    case v1::OnceRequest::kClaim: {
      auto claim = Get(in.claim());
      if (!claim.ok()) return claim.status();
      return once::Request{.what = *std::move(claim)};
    }
    case v1::OnceRequest::kSettle: {
      auto record = Get(in.settle().record(), now);
      if (!record.ok()) return record.status();
      if (!record->done) return Bad("settle.record", "is not of a key that is done");
      return once::Request{.what = once::SettleRequest{.record = *std::move(record),
                                                       .instead_of = Get(in.settle().instead_of())}};
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
                                                       .patience = absl::Seconds(in.attach().patience_s())}};
    case v1::OnceRequest::kPull:
      if (in.pull().after().size() > kOnceKeyBytesMax) return Bad("pull.after", "is longer than any key");
      return once::Request{.what =
                               once::PullRequest{.replica = in.pull().replica(), .after = in.pull().after()}};
    case v1::OnceRequest::kCopy: {
      auto record = Get(in.copy(), now);
      if (!record.ok()) return record.status();
      return once::Request{.what = once::CopyRequest{*std::move(record)}};
    }
    case v1::OnceRequest::KIND_NOT_SET:
      break;
  }
  return Bad("kind", "is none that this release knows");
}

absl::StatusOr<once::Reply> DecodeReply(const v1::OnceReply& in, absl::Time now) {
  if (absl::Status s = wire::CheckWireVersion(in.wire_version(), "OnceReply"); !s.ok()) return s;
  if (!v1::OnceReply::Verdict_IsValid(in.verdict())) return Bad("verdict", "is none that this release knows");
  if (in.records_size() > kOnceRecordsMax) {
    return Bad("records", absl::StrCat("are ", in.records_size(), ", allowed are ", kOnceRecordsMax));
  }
  once::Reply reply{.verdict = static_cast<once::Verdict>(in.verdict())};
  for (const v1::OnceRecord& record : in.records()) {
    auto value = Get(record, now);
    if (!value.ok()) return value.status();
    reply.records.push_back(*std::move(value));
  }
  const bool must_show = reply.verdict == once::Verdict::kTaken || reply.verdict == once::Verdict::kExpired ||
                         reply.verdict == once::Verdict::kBehind || reply.verdict == once::Verdict::kDone;
  if (must_show && reply.records.empty()) return Bad("records", "are missing for this verdict");
  reply.more = in.more();
  reply.cursor = in.cursor();
  return reply;
}

}  // namespace ringway::router
