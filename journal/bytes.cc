#include "journal/bytes.h"

#include <bit>

namespace ringway::journal {
namespace {

// The format counts quarters of a nanosecond, from when a machine's clock did.
constexpr std::int64_t kQuartersANano = 4;
constexpr std::size_t kRegionsMax = 100'000;

}  // namespace

void Writer::Number(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
  out_.push_back(static_cast<char>(value));
}

void Writer::Put(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int shift = 0; shift < 64; shift += 8) out_.push_back(static_cast<char>(bits >> shift & 0xff));
}

void Writer::Put(std::string_view text) {
  Number(text.size());
  out_.append(text);
}

void Writer::Put(Duration span) {
  // Parts of a second below four thousand million stand for themselves; above is room for the infinities.
  constexpr std::uint64_t kEver = 4'000'000'000, kNever = 4'000'000'001;
  if (span == InfiniteDuration()) return Number(kEver);
  if (span == -InfiniteDuration()) return Number(kNever);
  const Duration whole = Floor(span, Seconds(1));
  Number(static_cast<std::uint64_t>(ToInt64Nanoseconds(span - whole) * kQuartersANano));
  Signed(ToInt64Seconds(whole));
}

void Writer::Put(const RttMatrix& rtt) {
  Number(rtt.regions());
  for (std::size_t from = 0; from < rtt.regions(); ++from) {
    for (std::size_t to = 0; to < rtt.regions(); ++to) {
      Put(rtt.ms(RegionId(from), RegionId(to)));
      Put(rtt.estimated(RegionId(from), RegionId(to)));
    }
  }
}

void Writer::Put(const TierTable& table) {
  Put(table.tier());
  Number(table.regions());
  Number(table.priorities());
  for (std::size_t priority = 0; priority < table.priorities(); ++priority) {
    for (std::size_t source = 0; source < table.regions(); ++source) {
      Put(table.at(static_cast<Priority>(priority), RegionId(source)));
    }
  }
}

std::uint64_t Reader::Number() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (left_.empty()) break;
    const auto byte = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  ok_ = false;
  return 0;
}

std::string_view Reader::Bytes(std::size_t count) {
  if (count > left_.size()) {
    ok_ = false;
    left_ = {};
    return {};
  }
  const std::string_view bytes = left_.substr(0, count);
  left_.remove_prefix(count);
  return bytes;
}

std::size_t Reader::Size() {
  const std::uint64_t size = Number();
  if (size <= left_.size()) return size;
  ok_ = false;
  return 0;
}

void Reader::Take(double& value) {
  std::uint64_t bits = 0;
  int shift = 0;
  for (const char byte : Bytes(8)) {
    bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) << shift;
    shift += 8;
  }
  value = std::bit_cast<double>(bits);
}

void Reader::Take(std::string& text) { text = std::string(Bytes(Size())); }

void Reader::Take(std::string_view& text) {
  const std::string_view bytes = Bytes(Size());
  // A handful of literals, said again and again.
  for (const std::string& word : words_) {
    if (word == bytes) {
      text = word;
      return;
    }
  }
  text = words_.emplace_back(bytes);
}

void Reader::Take(Duration& span) {
  constexpr std::uint64_t kEver = 4'000'000'000, kNever = 4'000'000'001;
  const std::uint64_t quarters = Number();
  if (quarters == kEver || quarters == kNever) {
    span = quarters == kEver ? InfiniteDuration() : -InfiniteDuration();
    return;
  }
  if (quarters > kNever) ok_ = false;
  span = Seconds(Signed()) + Nanoseconds(static_cast<std::int64_t>(quarters) / kQuartersANano);
}

void Reader::Take(Time& time) {
  Duration since;
  Take(since);
  time = UnixEpoch() + since;
}

void Reader::Take(RttMatrix& rtt) {
  const std::size_t regions = Size();
  if (!ok_ || regions > kRegionsMax || regions * regions > left_.size()) {
    ok_ = false;
    return;
  }
  rtt = RttMatrix(regions);
  for (std::size_t from = 0; from < regions; ++from) {
    for (std::size_t to = 0; to < regions; ++to) {
      double ms = 0;
      bool estimated = false;
      Take(ms);
      Take(estimated);
      rtt.Set(RegionId(from), RegionId(to), ms, estimated ? RttSource::kEstimated : RttSource::kGiven);
    }
  }
}

void Reader::Take(TierTable& table) {
  TierId tier;
  Take(tier);
  const std::size_t regions = Size(), priorities = Size();
  const bool half_empty = (regions == 0) != (priorities == 0);
  if (!ok_ || half_empty || regions > kRegionsMax || priorities > kMaxPriorities ||
      regions * priorities > left_.size()) {
    ok_ = false;
    return;
  }
  table = TierTable(tier, regions, priorities);
  for (std::size_t priority = 0; priority < priorities; ++priority) {
    for (std::size_t source = 0; source < regions; ++source) {
      Take(table.at(static_cast<Priority>(priority), RegionId(source)));
    }
  }
}

std::uint64_t Digest(std::string_view bytes) {
  std::uint64_t digest = 0xcbf29ce484222325;
  for (const char byte : bytes) digest = (digest ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return digest;
}

}  // namespace ringway::journal
