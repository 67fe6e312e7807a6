#include "router/once/record_table.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ringway::router::once {
namespace {

// Of one page: records looked at, records given, bytes after which it ends.
constexpr std::size_t kPageScanMax = 4096;
constexpr std::size_t kPageRecordsMax = 256;
constexpr std::size_t kPageBytesMax = std::size_t{512} << 10;

std::size_t BytesOf(const std::vector<Record>& records) {
  std::size_t bytes = 0;
  for (const Record& record : records) bytes += record.result.bytes ? record.result.bytes->size() : 0;
  return bytes;
}

// Whether the end of `claim` counts for more than what is known. Of two claims of one round only one can have
// had its quorum, and the one that is done had it. A claim that was given up never ends, but it may have
// taken over from one that did, so what is left of it keeps ends of earlier rounds out.
bool EndCounts(const ClaimId& claim, const Record& known) {
  if (known.claim == claim) return true;
  return known.claim.round < claim.round || (known.claim.round == claim.round && !known.done);
}

bool Has(const std::vector<ClaimId>& claims, const ClaimId& claim) {
  return std::find(claims.begin(), claims.end(), claim) != claims.end();
}

bool Stands(const Record& record) { return !record.done && !record.free; }

// Takes the standing claims out that `gone` says, and leaves their latest round behind as a record that is
// free: neither claims nor ends of an earlier one may come back. What stands of that round or a later one
// does the same. Returns whether there were any.
template <class Gone>
bool TakeOut(Time now, std::vector<Record>& known, Gone gone) {
  std::optional<Record> latest;
  const auto later = [&](const Record& record) {
    return !latest || latest->claim.round < record.claim.round;
  };
  for (const Record& record : known) {
    if (Stands(record) && gone(record) && later(record)) latest = record;
  }
  if (!latest) return false;
  std::erase_if(known, [&](const Record& record) { return Stands(record) && gone(record); });
  std::erase_if(known, [&](const Record& r) { return r.free && r.claim.round <= latest->claim.round; });
  const bool kept = std::any_of(known.begin(), known.end(),
                                [&](const Record& r) { return r.claim.round >= latest->claim.round; });
  if (kept || latest->claim.round == 1) return true;
  latest->free = true;
  latest->until = now;
  known.push_back(*std::move(latest));
  return true;
}

}  // namespace

// Claims before an end: one of a later round may have been agreed to.
const Record& RecordTable::First(const std::vector<Record>& records) {
  const auto claim = std::find_if(records.begin(), records.end(), Stands);
  if (claim != records.end()) return *claim;
  const auto end = std::find_if(records.begin(), records.end(), [](const Record& r) { return r.done; });
  return end != records.end() ? *end : records.front();
}

Reply RecordTable::Taken(Time now, const Record& by, const std::vector<Record>& known) {
  const bool expired = Stands(by) && now >= by.until;
  Reply reply{.verdict = expired ? Verdict::kExpired : Verdict::kTaken, .records = {by}};
  if (by.done) return reply;
  for (const Record& record : known) {
    if (record.done) reply.records.push_back(record);
  }
  return reply;
}

std::vector<Record> RecordTable::Known(const std::string& key) const {
  const auto at = records_.find(key);
  return at == records_.end() ? std::vector<Record>() : at->second.records;
}

// A standing claim of somebody else's comes first; then an end that the request's round does not exceed,
// which is told without a promise; then the rounds that were given up.
std::optional<Reply> RecordTable::Objection(Time now, const ClaimId& claim,
                                            const std::vector<Record>& known) {
  bool own = false;
  for (const Record& record : known) {
    if (!Stands(record)) continue;
    if (record.claim != claim) return Taken(now, record, known);
    own = true;
  }
  if (own) return std::nullopt;
  for (const bool done : {true, false}) {
    for (const Record& record : known) {
      if (Stands(record) || record.done != done || claim.round > record.claim.round) continue;
      return done ? Taken(now, record, known) : Reply{.verdict = Verdict::kBehind, .records = {record}};
    }
  }
  return std::nullopt;
}

Reply RecordTable::Claim(Time now, const ClaimRequest& request) {
  std::vector<Record> known = Known(request.key);
  if (known.empty() && records_.size() >= bounds_.records_max) return {.verdict = Verdict::kFull};
  // Those that the request takes over from can never end, whether it gets the key or not.
  // One of the same round could have an end somewhere, and there must not be two.
  const bool given_way = TakeOut(now, known, [&](const Record& r) {
    return r.claim.round < request.claim.round && Has(request.over, r.claim);
  });
  if (std::optional<Reply> objection = Objection(now, request.claim, known)) {
    if (given_way) Store(now, request.key, std::move(known));
    return *std::move(objection);
  }
  std::erase_if(known, [&](const Record& r) {
    return r.claim == request.claim || (r.free && r.claim.round <= request.claim.round);
  });
  Reply granted;
  for (const Record& record : known) {
    if (record.done) granted.records.push_back(record);
  }
  known.push_back({.key = request.key,
                   .fingerprint = request.fingerprint,
                   .claim = request.claim,
                   .until = now + request.hold});
  Store(now, request.key, std::move(known));
  return granted;
}

Reply RecordTable::Settle(Time now, const ViewId& view, const SettleRequest& request) {
  const ClaimId& claim = request.record.claim;
  std::vector<Record> known = Known(request.record.key);
  if (known.empty() && records_.size() >= bounds_.records_max) return {.verdict = Verdict::kFull};
  bool on_record = false;
  for (const Record& r : known) {
    if (r.claim == claim && r.done && r.voted_in == view) return {};
    on_record |= r.claim == claim && Stands(r);
  }
  const auto against = std::find_if(known.begin(), known.end(), [&](const Record& r) {
    return !EndCounts(claim, r) && (r.done || !on_record);
  });
  if (against != known.end()) return Taken(now, *against, known);
  std::erase_if(known, [&](const Record& r) { return EndCounts(claim, r); });
  Record record = request.record;
  record.done = true;
  record.free = false;
  record.until = now + bounds_.keep;
  record.voted_in = view;
  known.push_back(std::move(record));
  Store(now, request.record.key, std::move(known));
  return {};
}

Reply RecordTable::Release(Time now, const ReleaseRequest& request) {
  std::vector<Record> known = Known(request.key);
  if (TakeOut(now, known, [&](const Record& r) { return r.claim == request.claim; })) {
    Store(now, request.key, std::move(known));
  }
  return {};
}

Reply RecordTable::Copy(Time now, Record record) {
  std::vector<Record> known = Known(record.key);
  if (known.empty() && records_.size() >= bounds_.records_max) return {.verdict = Verdict::kFull};
  const ClaimId& claim = record.claim;
  const bool adds_nothing = std::any_of(known.begin(), known.end(), [&](const Record& r) {
    if (record.done) return r.done && (r.claim == claim || !EndCounts(claim, r));
    // Only for its round: the claim may stand elsewhere, as a replica whose consent got lost is released too.
    if (record.free) return r.claim.round >= claim.round;
    return r.claim == claim || (r.done && r.claim.round >= claim.round);
  });
  if (adds_nothing) return {};
  std::erase_if(known, [&](const Record& r) {
    return record.done ? EndCounts(claim, r) : r.free && r.claim.round <= claim.round;
  });
  if (known.size() >= kRivalsMax) return {.verdict = Verdict::kFull};
  record.voted_in = ViewId();
  const std::string key = record.key;
  known.push_back(std::move(record));
  Store(now, key, std::move(known));
  return {};
}

Reply RecordTable::Page(const std::string& after,
                        const std::function<bool(const std::string&)>& wanted) const {
  Reply reply;
  std::size_t bytes = 0;
  std::size_t looked_at = 0;
  for (auto at = records_.upper_bound(after); at != records_.end(); ++at) {
    if (++looked_at > kPageScanMax || reply.records.size() >= kPageRecordsMax || bytes >= kPageBytesMax) {
      reply.more = true;
      break;
    }
    reply.cursor = at->first;
    if (!wanted(at->first)) continue;
    bytes += at->first.size() + BytesOf(at->second.records);
    reply.records.insert(reply.records.end(), at->second.records.begin(), at->second.records.end());
  }
  return reply;
}

const Record* RecordTable::Find(const std::string& key) const {
  const auto at = records_.find(key);
  return at == records_.end() ? nullptr : &First(at->second.records);
}

void RecordTable::Store(Time now, const std::string& key, std::vector<Record> records) {
  if (const auto old = records_.find(key); old != records_.end()) Erase(old);
  if (records.empty()) return;
  Time forget = InfinitePast();
  for (const Record& record : records) {
    forget = std::max(forget, record.done ? record.until : std::max(now, record.until) + bounds_.keep);
  }
  const std::size_t bytes = BytesOf(records);
  records_[key] = {std::move(records), forgets_.emplace(forget, key)};
  if (bytes == 0) return;
  result_bytes_ += bytes;
  results_.push_back(key);
  DropOldResults();
}

void RecordTable::Erase(Records::iterator at) {
  result_bytes_ -= BytesOf(at->second.records);
  forgets_.erase(at->second.forget);
  records_.erase(at);
}

// Keys that are gone already, or have come again, are skipped over; each is looked at once for each time it
// was pushed.
void RecordTable::DropOldResults() {
  while (!results_.empty() &&
         (result_bytes_ > bounds_.result_bytes_max || results_.size() > 2 * bounds_.records_max)) {
    const auto at = records_.find(results_.front());
    results_.pop_front();
    if (at == records_.end()) continue;
    result_bytes_ -= BytesOf(at->second.records);
    for (Record& record : at->second.records) record.result.bytes = nullptr;
  }
}

void RecordTable::Relink() {
  for (auto at = forgets_.begin(); at != forgets_.end();) {
    const auto entry = records_.find(at->second);
    if (entry == records_.end()) {
      at = forgets_.erase(at);  // nothing that was saved: bytes that were damaged
    } else {
      entry->second.forget = at++;
    }
  }
}

void RecordTable::Forget(Time now) {
  while (!forgets_.empty() && forgets_.begin()->first <= now) Erase(records_.find(forgets_.begin()->second));
  // Records go about in the order in which they came, so little that is gone stays behind one that is not.
  while (!results_.empty() && !records_.contains(results_.front())) results_.pop_front();
}

Time RecordTable::NextForget() const { return forgets_.empty() ? InfiniteFuture() : forgets_.begin()->first; }

}  // namespace ringway::router::once
