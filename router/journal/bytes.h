// Values as bytes and back, exact to the bit: what a router's journal is written in.
//
// Integers are varints (zigzag where signed), floating point is its IEEE bits, times and durations are their
// seconds and quarter nanoseconds, which is all that absl keeps. Structs are their fields in order
// (fields.h). A reader never goes beyond its bytes: whatever they are, it ends with ok() or without, and
// containers are no larger than the bytes that are left.
//
// The format has no tags; a journal's first record carries the version of the whole. Threads: values.
#ifndef RINGWAY_ROUTER_JOURNAL_BYTES_H_
#define RINGWAY_ROUTER_JOURNAL_BYTES_H_

#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "router/journal/fields.h"

namespace ringway::router::journal {

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void Number(std::uint64_t value);
  void Signed(std::int64_t value) {
    Number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }
  void Put(double value);
  void Put(std::string_view text);
  void Put(const std::string& text) { Put(std::string_view(text)); }
  void Put(absl::Duration span);
  void Put(absl::Time time) { Put(time - absl::UnixEpoch()); }
  void Put(const RttMatrix& rtt);
  void Put(const TierTable& table);
  template <class Tag>
  void Put(Id<Tag> id) {
    Number(static_cast<std::uint32_t>(id.value() + 1));  // nobody, the largest value, becomes 0
  }
  template <class T>
  void Put(const std::vector<T>& items) {
    Number(items.size());
    for (const T& item : items) Put(item);
  }
  template <class I, class T>
  void Put(const IdVector<I, T>& items) {
    Put(items.raw());
  }
  template <class T, std::size_t N>
  void Put(const std::array<T, N>& items) {
    for (const T& item : items) Put(item);
  }
  template <class T>
  void Put(const std::optional<T>& value) {
    Number(value.has_value());
    if (value) Put(*value);
  }
  template <class T>
  void Put(const std::shared_ptr<const T>& value) {
    Number(value != nullptr);
    if (value) Put(*value);
  }
  template <class... T>
  void Put(const std::variant<T...>& value) {
    Number(value.index());
    std::visit([this](const auto& v) { this->Put(v); }, value);
  }
  template <class T>
  void Put(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      Number(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      Signed(value);
    } else if constexpr (std::is_integral_v<T>) {
      Number(value);
    } else {
      ForFields(value, [this](const auto& field) { this->Put(field); });
    }
  }

 private:
  std::string& out_;
};

class Reader {
 public:
  // `words` keeps what string_views of the values point at.
  Reader(std::string_view bytes, std::deque<std::string>& words) : left_(bytes), words_(words) {}

  bool ok() const { return ok_; }
  bool empty() const { return left_.empty(); }

  std::uint64_t Number();
  std::int64_t Signed() {
    const std::uint64_t value = Number();
    return static_cast<std::int64_t>(value >> 1 ^ -(value & 1));
  }
  void Take(double& value);
  void Take(std::string& text);
  void Take(std::string_view& text);
  void Take(absl::Duration& span);
  void Take(absl::Time& time);
  void Take(RttMatrix& rtt);
  void Take(TierTable& table);
  template <class Tag>
  void Take(Id<Tag>& id) {
    id = Id<Tag>(static_cast<std::uint32_t>(Number() - 1));
  }
  template <class T>
  void Take(std::vector<T>& items) {
    items.resize(Size());
    for (T& item : items) Take(item);
  }
  template <class I, class T>
  void Take(IdVector<I, T>& items) {
    items.resize(Size());
    for (T& item : items) Take(item);
  }
  template <class T, std::size_t N>
  void Take(std::array<T, N>& items) {
    for (T& item : items) Take(item);
  }
  template <class T>
  void Take(std::optional<T>& value) {
    value.reset();
    if (Number() != 0) Take(value.emplace());
  }
  template <class T>
  void Take(std::shared_ptr<const T>& value) {
    value = nullptr;
    if (Number() == 0) return;
    auto made = std::make_shared<T>();
    Take(*made);
    value = std::move(made);
  }
  template <class... T>
  void Take(std::variant<T...>& value) {
    const std::uint64_t index = Number();
    if (index >= sizeof...(T)) {
      ok_ = false;
      return;
    }
    std::uint64_t at = 0;
    ((at++ == index ? Take(value.template emplace<T>()) : void()), ...);
  }
  template <class T>
  void Take(T& value) {
    if constexpr (std::is_enum_v<T> || (std::is_integral_v<T> && !std::is_signed_v<T>)) {
      value = static_cast<T>(Number());
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(Signed());
    } else {
      ForFields(value, [this](auto& field) { this->Take(field); });
    }
  }

 private:
  // Of a container whose items take a byte each at least.
  std::size_t Size();
  std::string_view Bytes(std::size_t count);

  std::string_view left_;
  std::deque<std::string>& words_;
  bool ok_ = true;
};

// FNV-1a (Fowler, Noll, Vo), 64 bits.
std::uint64_t Digest(std::string_view bytes);

}  // namespace ringway::router::journal

#endif  // RINGWAY_ROUTER_JOURNAL_BYTES_H_
