#include "router/once/record_table.h"

#include <algorithm>
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
// had its quorum, and the one that is done had it. A claim that was given up never ends.
bool EndCounts(const ClaimId& claim, const Record& known) {
  if (known.free) return true;
  if (known.claim == claim) return !known.done;
  return known.claim.round < claim.round || (known.claim.round == claim.round && !known.done);
}

bool Has(const std::vector<ClaimId>& claims, const ClaimId& claim) {
  return std::find(claims.begin(), claims.end(), claim) != claims.end();
}

}  // namespace

// Claims before an end: one of a later round may have been agreed to.
const Record& RecordTable::First(const std::vector<Record>& records) {
  for (const Record& record : records) {
    if (!record.done) return record;
  }
  return records.front();
}

Reply RecordTable::Taken(Time now, const std::vector<Record>& records) {
  const Record& first = First(records);
  const bool expired = !first.done && !first.free && now >= first.until;
  return {.verdict = expired ? Verdict::kExpired : Verdict::kTaken, .records = {first}};
}

std::vector<Record> RecordTable::Known(const std::string& key) const {
  const auto at = records_.find(key);
  return at == records_.end() ? std::vector<Record>() : at->second.records;
}

Reply RecordTable::Claim(Time now, const ClaimRequest& request) {
  std::vector<Record> known = Known(request.key);
  if (known.empty() && records_.size() >= bounds_.records_max) return {.verdict = Verdict::kFull};
  if (!known.empty() && known.front().free) {
    if (request.claim.round <= known.front().claim.round) {
      return {.verdict = Verdict::kBehind, .records = known};
    }
    known.clear();
  }
  // Those that the request takes over from can never end, whether it gets the key or not.
  const std::size_t given_way =
      std::erase_if(known, [&](const Record& r) { return !r.done && Has(request.over, r.claim); });
  const bool own = known.size() == 1 && known.front().claim == request.claim && !known.front().done;
  if (!known.empty() && !own) {
    Reply taken = Taken(now, known);
    if (given_way > 0) Store(now, request.key, std::move(known));
    return taken;
  }
  Store(now, request.key,
        {{.key = request.key,
          .fingerprint = request.fingerprint,
          .claim = request.claim,
          .until = now + request.hold}});
  return {};
}

Reply RecordTable::Settle(Time now, const SettleRequest& request) {
  const ClaimId& claim = request.record.claim;
  std::vector<Record> known = Known(request.record.key);
  if (known.empty() && records_.size() >= bounds_.records_max) return {.verdict = Verdict::kFull};
  bool on_record = false;
  for (const Record& r : known) {
    if (r.claim == claim && r.done) return {};
    on_record |= r.claim == claim && !r.free;
  }
  std::vector<Record> others = known;
  if (request.instead_of.stated()) {
    std::erase_if(others, [&](const Record& r) { return !r.done && r.claim == request.instead_of; });
  }
  const auto against = std::find_if(others.begin(), others.end(), [&](const Record& r) {
    return !EndCounts(claim, r) && (r.done || !on_record);
  });
  if (against != others.end()) return Taken(now, {*against});
  std::erase_if(others, [&](const Record& r) { return EndCounts(claim, r); });
  Record record = request.record;
  record.done = true;
  record.free = false;
  record.until = now + bounds_.keep;
  others.push_back(std::move(record));
  Store(now, request.record.key, std::move(others));
  return {};
}

Reply RecordTable::Release(Time now, const ReleaseRequest& request) {
  std::vector<Record> known = Known(request.key);
  const auto at = std::find_if(known.begin(), known.end(),
                               [&](const Record& r) { return !r.done && r.claim == request.claim; });
  if (at == known.end()) return {};
  if (known.size() > 1 || request.claim.round == 1) {
    known.erase(at);
  } else {
    // An earlier claim may have left its end with one replica. The round has to go on rising, or that end
    // would count for more than a later one.
    at->free = true;
    at->until = now;
  }
  Store(now, request.key, std::move(known));
  return {};
}

Reply RecordTable::Copy(Time now, const Record& record) {
  std::vector<Record> known = Known(record.key);
  if (known.empty() && records_.size() >= bounds_.records_max) return {.verdict = Verdict::kFull};
  if (record.done) {
    for (const Record& r : known) {
      if (r.done && !EndCounts(record.claim, r)) return {};
    }
    std::erase_if(known, [&](const Record& r) { return EndCounts(record.claim, r); });
  } else if (record.free) {
    // Only for its round: the claim may stand elsewhere, as a replica whose consent got lost is released too.
    if (!known.empty() && (!known.front().free || known.front().claim.round >= record.claim.round)) return {};
    known.clear();
  } else {
    const bool over = std::any_of(known.begin(), known.end(), [&](const Record& r) {
      return r.claim == record.claim || (r.done && r.claim.round >= record.claim.round);
    });
    if (over) return {};
    std::erase_if(known, [](const Record& r) { return r.free; });
  }
  if (known.size() >= kRivalsMax) return {.verdict = Verdict::kFull};
  known.push_back(record);
  Store(now, record.key, std::move(known));
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
