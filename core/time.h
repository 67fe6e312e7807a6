// Moments and spans of the machines: whole nanoseconds in 64 bits.
//
// The names and the rules are absl's (what is infinite stays infinite, what would overflow becomes infinite),
// so that one reads like the other; a value is eight bytes instead of twelve or sixteen, and a sum or a
// comparison is an instruction or two instead of a call. The price is the range: a span reaches 146 years
// (2^62 ns), a moment from 1823 to 2116, and what lies farther is infinite; fractions of a nanosecond are
// rounded away.
//
// Both types convert to and from absl's without being asked, so that whoever formats, parses or waits uses
// absl as before. The operators are templates that accept no conversion: an expression of one of ours and one
// of absl's is absl's, and never ambiguous.
#ifndef RINGWAY_CORE_TIME_H_
#define RINGWAY_CORE_TIME_H_

#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string_view>
#include <type_traits>
#include <utility>

#include "absl/time/time.h"
#include "core/absl_view.h"

namespace ringway {

class Duration {
 public:
  // From this many nanoseconds on, either way, a value is infinite; the largest pair of them still adds up in
  // 64 bits.
  static constexpr std::int64_t kInfinite = (std::int64_t{1} << 62) - 1;

  constexpr Duration() = default;
  Duration(absl::Duration span) : Duration(absl::ToInt64Nanoseconds(span)) {}  // NOLINT: meant to be implicit
  constexpr operator absl::Duration() const {                                  // NOLINT: meant to be implicit
    if (ns_ >= kInfinite) return absl::InfiniteDuration();
    return ns_ <= -kInfinite ? -absl::InfiniteDuration() : absl::Nanoseconds(ns_);
  }

  static constexpr Duration OfNanos(std::int64_t ns) { return Duration(ns); }
  // Rounded to the nearest; what is not a number is infinite, as absl has it.
  static constexpr Duration OfNanos(double ns) {
    if (!(ns < static_cast<double>(kInfinite))) return Duration(kInfinite);
    if (ns <= -static_cast<double>(kInfinite)) return Duration(-kInfinite);
    return Duration(static_cast<std::int64_t>(ns + (ns < 0 ? -0.5 : 0.5)));
  }
  constexpr std::int64_t nanos() const { return ns_; }
  constexpr bool infinite() const { return ns_ >= kInfinite || ns_ <= -kInfinite; }

  constexpr Duration operator-() const { return Duration(-ns_); }
  constexpr Duration& operator+=(Duration b) {
    if (!near() || !b.near()) return *this = FarSum(*this, b);
    ns_ += b.ns_;
    return *this;
  }
  constexpr Duration& operator-=(Duration b) {
    if (!near() || !b.near()) return *this = FarSum(*this, -b);
    ns_ -= b.ns_;
    return *this;
  }
  constexpr Duration& operator%=(Duration b) {
    if (infinite() || b.ns_ == 0) return *this = Duration(ns_ < 0 ? -kInfinite : kInfinite);
    if (!b.infinite()) ns_ %= b.ns_;
    return *this;
  }
  template <typename N>
  requires std::is_arithmetic_v<N>
  constexpr Duration& operator*=(N n) {
    if constexpr (std::is_floating_point_v<N>) {
      if (infinite()) return *this = Duration((ns_ < 0) == (n < 0) ? kInfinite : -kInfinite);
      return *this = OfNanos(static_cast<double>(ns_) * static_cast<double>(n));
    } else {
      std::int64_t product = 0;
      if (infinite() || __builtin_mul_overflow(ns_, n, &product)) {
        product = (ns_ < 0) == std::cmp_less(n, 0) ? kInfinite : -kInfinite;
      }
      return *this = Duration(product);
    }
  }
  template <typename N>
  requires std::is_arithmetic_v<N>
  constexpr Duration& operator/=(N n) {
    if (infinite() || n == N{}) return *this = Duration((ns_ < 0) == (n < N{}) ? kInfinite : -kInfinite);
    if constexpr (std::is_floating_point_v<N>)
      return *this = OfNanos(static_cast<double>(ns_) / static_cast<double>(n));
    return *this = Duration(ns_ / static_cast<std::int64_t>(n));
  }

  template <std::same_as<Duration> T>
  friend constexpr bool operator==(T a, T b) {
    return a.ns_ == b.ns_;
  }
  template <std::same_as<Duration> T>
  friend constexpr std::strong_ordering operator<=>(T a, T b) {
    return a.ns_ <=> b.ns_;
  }
  template <std::same_as<Duration> T>
  friend constexpr T operator+(T a, T b) {
    return a += b;
  }
  template <std::same_as<Duration> T>
  friend constexpr T operator-(T a, T b) {
    return a -= b;
  }
  template <std::same_as<Duration> T>
  friend constexpr T operator%(T a, T b) {
    return a %= b;
  }
  // How often b goes into a, toward zero; infinite spans go by absl's rules for a quotient.
  template <std::same_as<Duration> T>
  friend constexpr std::int64_t operator/(T a, T b) {
    if (a.infinite() || b.ns_ == 0) {
      return (a.ns_ < 0) == (b.ns_ < 0) ? std::numeric_limits<std::int64_t>::max()
                                        : std::numeric_limits<std::int64_t>::min();
    }
    return b.infinite() ? 0 : a.ns_ / b.ns_;
  }
  template <std::same_as<Duration> T, typename N>
  requires std::is_arithmetic_v<N>
  friend constexpr T operator*(T a, N n) { return a *= n; }
  template <std::same_as<Duration> T, typename N>
  requires std::is_arithmetic_v<N>
  friend constexpr T operator*(N n, T a) { return a *= n; }
  template <std::same_as<Duration> T, typename N>
  requires std::is_arithmetic_v<N>
  friend constexpr T operator/(T a, N n) { return a /= n; }
  template <typename H>
  friend H AbslHashValue(H hash, Duration span) {
    return H::combine(std::move(hash), span.ns_);
  }
  friend std::ostream& operator<<(std::ostream& out, Duration span) {
    return out << absl::FormatDuration(span);
  }

 private:
  // The sum and the difference of two such are finite, and nearly all are.
  constexpr bool near() const { return ns_ >= -kInfinite / 2 && ns_ <= kInfinite / 2; }
  static constexpr Duration FarSum(Duration a, Duration b) {
    if (a.infinite()) return a;
    return b.infinite() ? b : Duration(a.ns_ + b.ns_);
  }
  constexpr explicit Duration(std::int64_t ns)
      : ns_(ns >= kInfinite ? kInfinite : (ns <= -kInfinite ? -kInfinite : ns)) {}

  std::int64_t ns_ = 0;
};

// A moment: how long after (or before) the beginning of 1970.
class Time {
 public:
  constexpr Time() = default;
  Time(absl::Time at) : since_(Duration::OfNanos(absl::ToUnixNanos(at))) {}  // NOLINT: meant to be implicit
  constexpr operator absl::Time() const {                                    // NOLINT: meant to be implicit
    if (since_.nanos() >= Duration::kInfinite) return absl::InfiniteFuture();
    return since_.infinite() ? absl::InfinitePast() : absl::FromUnixNanos(since_.nanos());
  }

  static constexpr Time At(Duration since_1970) { return Time(since_1970); }
  constexpr Duration since_1970() const { return since_; }

  constexpr Time& operator+=(Duration b) {
    since_ += b;
    return *this;
  }
  constexpr Time& operator-=(Duration b) {
    since_ -= b;
    return *this;
  }
  template <std::same_as<Time> T>
  friend constexpr bool operator==(T a, T b) {
    return a.since_ == b.since_;
  }
  template <std::same_as<Time> T>
  friend constexpr std::strong_ordering operator<=>(T a, T b) {
    return a.since_ <=> b.since_;
  }
  template <std::same_as<Time> T>
  friend constexpr Duration operator-(T a, T b) {
    return a.since_ - b.since_;
  }
  template <std::same_as<Time> T, std::same_as<Duration> D>
  friend constexpr T operator+(T a, D b) {
    return a += b;
  }
  template <std::same_as<Time> T, std::same_as<Duration> D>
  friend constexpr T operator+(D b, T a) {
    return a += b;
  }
  template <std::same_as<Time> T, std::same_as<Duration> D>
  friend constexpr T operator-(T a, D b) {
    return a -= b;
  }
  template <typename H>
  friend H AbslHashValue(H hash, Time at) {
    return H::combine(std::move(hash), at.since_);
  }
  friend std::ostream& operator<<(std::ostream& out, Time at) { return out << absl::FormatTime(at); }

 private:
  constexpr explicit Time(Duration since) : since_(since) {}

  Duration since_;
};

// ---- spans by their unit; a fraction is rounded to the nearest nanosecond
// ---------------------------------------------

template <std::int64_t kUnit_ns, typename N>
requires std::is_arithmetic_v<N>
constexpr Duration OfUnits(N n) {
  if constexpr (std::is_floating_point_v<N>) {
    return Duration::OfNanos(static_cast<double>(n) * static_cast<double>(kUnit_ns));
  } else if constexpr (kUnit_ns == 1 && std::is_same_v<N, std::int64_t>) {
    return Duration::OfNanos(n);
  } else {
    return Duration::OfNanos(kUnit_ns) * n;
  }
}
template <typename N>
constexpr Duration Nanoseconds(N n) {
  return OfUnits<1>(n);
}
template <typename N>
constexpr Duration Microseconds(N n) {
  return OfUnits<1'000>(n);
}
template <typename N>
constexpr Duration Milliseconds(N n) {
  return OfUnits<1'000'000>(n);
}
template <typename N>
constexpr Duration Seconds(N n) {
  return OfUnits<1'000'000'000>(n);
}
template <typename N>
constexpr Duration Minutes(N n) {
  return OfUnits<60'000'000'000>(n);
}
template <typename N>
constexpr Duration Hours(N n) {
  return OfUnits<3'600'000'000'000>(n);
}
constexpr Duration ZeroDuration() { return {}; }
constexpr Duration InfiniteDuration() { return Duration::OfNanos(Duration::kInfinite); }

// a / b as a number; infinite where a is or b is zero, zero where only b is infinite.
constexpr double FDivDuration(Duration a, Duration b) {
  if (a.infinite() || b.nanos() == 0) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    return (a.nanos() < 0) == (b.nanos() < 0) ? kInf : -kInf;
  }
  return b.infinite() ? 0.0 : static_cast<double>(a.nanos()) / static_cast<double>(b.nanos());
}
constexpr double ToDoubleSeconds(Duration span) { return FDivDuration(span, Seconds(1)); }
constexpr double ToDoubleMilliseconds(Duration span) { return FDivDuration(span, Milliseconds(1)); }
constexpr double ToDoubleMicroseconds(Duration span) { return FDivDuration(span, Microseconds(1)); }
constexpr std::int64_t ToInt64Nanoseconds(Duration span) {
  return span.infinite() ? span / Nanoseconds(1) : span.nanos();
}
constexpr std::int64_t ToInt64Microseconds(Duration span) { return span / Microseconds(1); }
constexpr std::int64_t ToInt64Milliseconds(Duration span) { return span / Milliseconds(1); }
constexpr std::int64_t ToInt64Seconds(Duration span) { return span / Seconds(1); }

constexpr Duration AbsDuration(Duration span) { return span < Duration() ? -span : span; }
// To a multiple of the unit: toward zero, down, up.
constexpr Duration Trunc(Duration span, Duration unit) { return span - span % unit; }
constexpr Duration Floor(Duration span, Duration unit) {
  const Duration whole = Trunc(span, unit);
  return whole <= span ? whole : whole - AbsDuration(unit);
}
constexpr Duration Ceil(Duration span, Duration unit) { return -Floor(-span, unit); }

// True, and *span set, where `text` is a span as absl writes it ("1h2m3.5s").
inline bool ParseDuration(std::string_view text, Duration* span) {
  absl::Duration read;
  if (!absl::ParseDuration(AbslView(text), &read)) return false;
  *span = read;
  return true;
}

// ---- moments
// ----------------------------------------------------------------------------------------------------------

constexpr Time UnixEpoch() { return {}; }
constexpr Time InfiniteFuture() { return Time::At(InfiniteDuration()); }
constexpr Time InfinitePast() { return Time::At(-InfiniteDuration()); }
constexpr Time FromUnixNanos(std::int64_t n) { return Time::At(Nanoseconds(n)); }
constexpr Time FromUnixMicros(std::int64_t n) { return Time::At(Microseconds(n)); }
constexpr Time FromUnixMillis(std::int64_t n) { return Time::At(Milliseconds(n)); }
constexpr Time FromUnixSeconds(std::int64_t n) { return Time::At(Seconds(n)); }

// Down to the unit, before 1970 too; what is infinite is the largest or the smallest number.
constexpr std::int64_t UnixUnits(Time at, Duration unit) {
  const Duration since = at.since_1970();
  return since.infinite() ? since / unit : Floor(since, unit) / unit;
}
constexpr std::int64_t ToUnixNanos(Time at) { return ToInt64Nanoseconds(at.since_1970()); }
constexpr std::int64_t ToUnixMicros(Time at) { return UnixUnits(at, Microseconds(1)); }
constexpr std::int64_t ToUnixMillis(Time at) { return UnixUnits(at, Milliseconds(1)); }
constexpr std::int64_t ToUnixSeconds(Time at) { return UnixUnits(at, Seconds(1)); }

}  // namespace ringway

#endif  // RINGWAY_CORE_TIME_H_
