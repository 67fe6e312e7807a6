// The one JSON reader of this house: for files and requests that nobody vouches for.
//
// RFC 8259, strictly: no comments, no trailing commas, no duplicate keys, valid escapes. Whether raw bytes
// are UTF-8 is the caller's question. A budget in every direction: bytes, depth, number of values; who reads
// what a stranger sent sets them to what a right request needs. A failure says what was expected and at which
// byte, and is found before more than the budget has been built: a value takes 40 bytes, a string its own.
// Numbers keep whether they were written as integers, because a tensor's offset must not go through a double.
// Objects keep the order of the text and are searched linearly.
//
// One pass, linear in the text whatever it nests (protobuf 3.21's reader is quadratic in the depth and takes
// 70 bytes for each one of "{},"); O(n log n) in the keys of one object. Pure. Threads: values.
#ifndef RINGWAY_CORE_JSON_READER_H_
#define RINGWAY_CORE_JSON_READER_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"

namespace ringway {

struct JsonLimits {
  int depth_max = 32;
  std::size_t values_max = 1'000'000;
  std::size_t bytes_max = std::numeric_limits<std::size_t>::max();
};

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;
  explicit Json(bool value) : value_(value) {}
  explicit Json(std::int64_t value) : value_(value) {}
  explicit Json(double value) : value_(value) {}
  explicit Json(std::string value) : value_(std::move(value)) {}
  explicit Json(Array value) : value_(std::move(value)) {}
  explicit Json(Object value) : value_(std::move(value)) {}

  // `what` names the text in errors, usually a file.
  static absl::StatusOr<Json> Parse(std::string_view text, std::string_view what,
                                    const JsonLimits& limits = {});

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  // Null when the value is of another kind.
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&value_); }
  const std::string* string() const { return std::get_if<std::string>(&value_); }
  const Array* array() const { return std::get_if<Array>(&value_); }
  const Object* object() const { return std::get_if<Object>(&value_); }
  // An integer counts as a number too.
  bool IsNumber() const;
  double number() const;

  // The member of an object; null when absent or when this is not an object.
  const Json* Find(std::string_view key) const;
  // "an object", "a string" ...: for messages.
  std::string_view KindName() const;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

}  // namespace ringway

#endif  // RINGWAY_CORE_JSON_READER_H_
