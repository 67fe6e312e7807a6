// Values as bytes and back, exact to the bit: what a journal is written in.
//
// Integers are varints (zigzag where signed), floating point is its IEEE bits, times and durations are their
// seconds and quarter nanoseconds, which is all that absl keeps. Structs are their fields in order
// (fields.h). A reader never goes beyond its bytes: whatever they are, it ends with ok() or without, and
// containers are no larger than the bytes that are left.
//
// A machine's state is the fields that its classes name (core/state.h), in a form of its own: of its tables
// by id, which are mostly rows of nothing, only the rows that differ from a new one are written; and what is
// pointed at stands in a pool, each content once, in the order in which nothing names what comes after it. So
// the bytes of a state do not depend on which pointers happen to be equal. Events have neither.
//
// The format has no tags. Where it was written by another release, the shapes of that one (shape.h) say how
// many fields a struct has. Threads: values.
#ifndef RINGWAY_JOURNAL_BYTES_H_
#define RINGWAY_JOURNAL_BYTES_H_

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/ids.h"
#include "core/table.h"
#include "core/time.h"
#include "core/world.h"
#include "journal/fields.h"
#include "journal/shape.h"

namespace ringway::journal {

// Tells the types apart that are pointed at.
template <class T>
inline constexpr char kTypeTag = 0;

// What a state being written points at. Places count from 1.
struct WritePool {
  std::vector<std::string> values;
  std::map<std::pair<const char*, std::string>, std::uint64_t> by_content;
  std::map<const void*, std::uint64_t> by_pointer;  // of those that were looked at already
};

// What a state being read points at: the bytes, and what was made of them.
struct ReadPool {
  struct Value {
    std::string_view bytes;
    const char* type = nullptr;  // of `made`
    std::shared_ptr<const void> made;
  };
  std::vector<Value> values;
};

class Writer {
 public:
  // With a pool: in the form of a state. With shapes: as another release would have.
  explicit Writer(std::string& out, WritePool* pool = nullptr, const Shapes* shapes = nullptr)
      : out_(out), pool_(pool), shapes_(shapes) {}

  void Number(std::uint64_t value);
  void Signed(std::int64_t value) {
    Number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }
  void Put(double value);
  void Put(float value) { Put(static_cast<double>(value)); }  // exact
  void Put(std::string_view text);
  void Put(const std::string& text) { Put(std::string_view(text)); }
  void Put(Duration span);
  void Put(Time time) { Put(time - UnixEpoch()); }
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
    if constexpr (std::is_default_constructible_v<T>) {
      if (pool_ != nullptr) return PutRows(items);
    }
    Put(items.raw());
  }
  template <class T, std::size_t N>
  void Put(const absl::InlinedVector<T, N>& items) {
    Number(items.size());
    for (const T& item : items) Put(item);
  }
  template <class T>
  void Put(const std::deque<T>& items) {
    Number(items.size());
    for (const T& item : items) Put(item);
  }
  template <class K, class T>
  void Put(const std::map<K, T>& items) {
    PutPairs(items);
  }
  template <class K, class T>
  void Put(const std::multimap<K, T>& items) {
    PutPairs(items);
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
    if (pool_ != nullptr) return Number(value == nullptr ? 0 : PlaceOf(*value));
    Number(value != nullptr);
    if (value) Put(*value);
  }
  template <class... T>
  void Put(const std::variant<T...>& value) {
    (void)kShapeOf<std::variant<T...>>;
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
      std::size_t left = FieldsOf<T>();
      const auto put = [this, &left](const auto& field) {
        if (left > 0) --left, this->Put(field);
      };
      if constexpr (HasState<const T>) {
        value.VisitState([&put](const auto&... fields) { (put(fields), ...); });
      } else {
        ForFields(value, put);
      }
    }
  }

 private:
  template <class T>
  std::size_t FieldsOf() const {
    const std::size_t shape = kShapeOf<T>;
    return shapes_ == nullptr ? std::numeric_limits<std::size_t>::max() : shapes_->fields(shape);
  }
  template <class Map>
  void PutPairs(const Map& items) {
    Number(items.size());
    for (const auto& [key, value] : items) {
      Put(key);
      Put(value);
    }
  }
  // Their number; then, of each that is not as new, how many are as new before it, plus one; then 0.
  template <class I, class T>
  void PutRows(const IdVector<I, T>& items) {
    const T fresh{};
    std::string as_new;
    Writer(as_new, pool_, shapes_).Put(fresh);
    Number(items.size());
    std::uint64_t step = 1;
    for (const T& item : items.raw()) {
      if (SurelyNew(item, fresh)) {
        ++step;
        continue;
      }
      const std::size_t begin = out_.size();
      Number(step);
      const std::size_t row = out_.size();
      Put(item);
      if (std::string_view(out_).substr(row) == as_new) {
        out_.resize(begin);
        ++step;
      } else {
        step = 1;
      }
    }
    Number(0);
  }

  // Without a look at each field.
  template <class T>
  static bool SurelyNew(const T& item, const T& fresh) {
    if constexpr (requires { item.vacant(); }) return item.vacant();
    if constexpr (std::is_trivially_copyable_v<T>) return std::memcmp(&item, &fresh, sizeof(T)) == 0;
    return false;
  }
  template <class T>
  std::uint64_t PlaceOf(const T& value) {
    if (const auto known = pool_->by_pointer.find(&value); known != pool_->by_pointer.end()) {
      return known->second;
    }
    std::string bytes;
    Writer(bytes, pool_, shapes_).Put(value);
    const auto [at, fresh] = pool_->by_content.try_emplace({&kTypeTag<T>, bytes}, pool_->values.size() + 1);
    if (fresh) pool_->values.push_back(std::move(bytes));
    pool_->by_pointer[&value] = at->second;
    return at->second;
  }

  std::string& out_;
  WritePool* pool_;
  const Shapes* shapes_;
};

class Reader {
 public:
  // `words` keeps what string_views of the values point at.
  // With shapes: what another release wrote; fields that it had not are left as they are.
  // With a pool: in the form of a state, of which the places below `places_end` may be named.
  Reader(std::string_view bytes, std::deque<std::string>& words, const Shapes* shapes = nullptr,
         ReadPool* pool = nullptr, std::uint64_t places_end = 0)
      : left_(bytes), words_(words), shapes_(shapes), pool_(pool), places_end_(places_end) {}

  bool ok() const { return ok_; }
  bool empty() const { return left_.empty(); }
  std::string_view left() const { return left_; }

  std::uint64_t Number();
  std::int64_t Signed() {
    const std::uint64_t value = Number();
    return static_cast<std::int64_t>(value >> 1 ^ -(value & 1));
  }
  void Take(double& value);
  void Take(float& value) {
    double wide = 0;
    Take(wide);
    value = static_cast<float>(wide);
  }
  void Take(std::string& text);
  void Take(std::string_view& text);
  void Take(Duration& span);
  void Take(Time& time);
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
    if constexpr (std::is_default_constructible_v<T>) {
      if (pool_ != nullptr) return TakeRows(items);
      items.resize(Size());
    } else if (Size() != items.size()) {
      ok_ = false;  // made from the settings, and these are others
      return;
    }
    for (T& item : items) Take(item);
  }
  template <class T, std::size_t N>
  void Take(absl::InlinedVector<T, N>& items) {
    items.resize(Size());
    for (T& item : items) Take(item);
  }
  template <class T>
  void Take(std::deque<T>& items) {
    items.resize(Size());
    for (T& item : items) Take(item);
  }
  template <class K, class T>
  void Take(std::map<K, T>& items) {
    TakePairs(items);
  }
  template <class K, class T>
  void Take(std::multimap<K, T>& items) {
    TakePairs(items);
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
    if (pool_ != nullptr) return TakePlace(value);
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
      std::size_t left = FieldsOf<T>();
      const auto take = [this, &left](auto& field) {
        if (left > 0) --left, this->Take(field);
      };
      if constexpr (HasState<T>) {
        value.VisitState([&take](auto&... fields) { (take(fields), ...); });
      } else {
        ForFields(value, take);
      }
    }
  }

 private:
  template <class T>
  std::size_t FieldsOf() const {
    const std::size_t shape = kShapeOf<T>;
    return shapes_ == nullptr ? std::numeric_limits<std::size_t>::max() : shapes_->fields(shape);
  }
  // Of a container whose items take a byte each at least.
  std::size_t Size();
  std::string_view Bytes(std::size_t count);
  template <class Map>
  void TakePairs(Map& items) {
    items.clear();
    for (std::size_t left = Size(); left > 0 && ok_; --left) {
      typename Map::key_type key{};
      Take(key);
      Take(items.emplace_hint(items.end(), std::move(key), typename Map::mapped_type{})->second);
    }
  }
  template <class I, class T>
  void TakeRows(IdVector<I, T>& items) {
    const std::uint64_t size = Number();
    if (size > kRowsMax) {
      ok_ = false;
      return;
    }
    items.assign(size, T());
    std::uint64_t at = 0;  // plus one
    for (std::uint64_t step = Number(); step > 0 && ok_; step = Number()) {
      at += step;
      if (step > size || at > size) {
        ok_ = false;
        return;
      }
      Take(items[I(at - 1)]);
    }
  }

  template <class T>
  void TakePlace(std::shared_ptr<const T>& value) {
    const std::uint64_t place = Number();
    if (place == 0) return;
    if (place >= places_end_) {
      ok_ = false;
      return;
    }
    ReadPool::Value& known = pool_->values[place - 1];
    if (known.made == nullptr) {
      auto made = std::make_shared<T>();
      Reader reader(known.bytes, words_, shapes_, pool_, place);
      reader.Take(*made);
      ok_ = ok_ && reader.ok() && reader.empty();
      known.made = std::move(made);
      known.type = &kTypeTag<T>;
    }
    ok_ = ok_ && known.type == &kTypeTag<T>;
    if (ok_) value = std::static_pointer_cast<const T>(known.made);
  }

  // Of a table by id: more than there are jobs, workers or routers at one program.
  static constexpr std::uint64_t kRowsMax = std::uint64_t{1} << 24;

  std::string_view left_;
  std::deque<std::string>& words_;
  const Shapes* shapes_;
  ReadPool* pool_;
  std::uint64_t places_end_;
  bool ok_ = true;
};

// FNV-1a (Fowler, Noll, Vo), 64 bits.
std::uint64_t Digest(std::string_view bytes);

}  // namespace ringway::journal

#endif  // RINGWAY_JOURNAL_BYTES_H_
