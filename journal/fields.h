// The fields of a struct that is journaled, for code that treats them one after the other.
//
// ForFields(value, f) calls f with each field in order. The number of fields stands in a table, kFields,
// because C++20 cannot ask for it; each program's journal specialises its own part (as
// router/journal/fields.h does). A struct that gains a field does not compile until it is counted there, so a
// journal cannot forget one. Here is what all of them know.
//
// Pure; everything is resolved at compile time.
#ifndef RINGWAY_JOURNAL_FIELDS_H_
#define RINGWAY_JOURNAL_FIELDS_H_

#include <type_traits>

#include "core/lease.h"
#include "core/table.h"

namespace ringway::journal {

template <class T>
inline constexpr int kFields = std::is_empty_v<T> ? 0 : -1;

// Fields of this type no journal of the program holds.
template <class T>
inline constexpr bool kLeftOut = false;

template <>
inline constexpr int kFields<Fence> = 2;
template <>
inline constexpr int kFields<Lease> = 2;
template <>
inline constexpr int kFields<Route> = 5;
template <>
inline constexpr int kFields<Row> = 2;

template <class T, class F>
void ForFields(T& value, F&& f) {
  constexpr int n = kFields<std::remove_const_t<T>>;
  static_assert(n >= 0, "count the struct's fields in the table");
  const auto one = [&f](auto& field) {
    if constexpr (!kLeftOut<std::remove_cvref_t<decltype(field)>>) f(field);
  };
  const auto each = [&one](auto&... fields) { (one(fields), ...); };
  if constexpr (n == 0) {
    each();
  } else if constexpr (n == 1) {
    auto& [a] = value;
    each(a);
  } else if constexpr (n == 2) {
    auto& [a, b] = value;
    each(a, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = value;
    each(a, b, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = value;
    each(a, b, c, d);
  } else if constexpr (n == 5) {
    auto& [a, b, c, d, e] = value;
    each(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto& [a, b, c, d, e, g] = value;
    each(a, b, c, d, e, g);
  } else if constexpr (n == 7) {
    auto& [a, b, c, d, e, g, h] = value;
    each(a, b, c, d, e, g, h);
  } else if constexpr (n == 8) {
    auto& [a, b, c, d, e, g, h, i] = value;
    each(a, b, c, d, e, g, h, i);
  } else if constexpr (n == 9) {
    auto& [a, b, c, d, e, g, h, i, j] = value;
    each(a, b, c, d, e, g, h, i, j);
  } else if constexpr (n == 10) {
    auto& [a, b, c, d, e, g, h, i, j, k] = value;
    each(a, b, c, d, e, g, h, i, j, k);
  } else if constexpr (n == 11) {
    auto& [a, b, c, d, e, g, h, i, j, k, l] = value;
    each(a, b, c, d, e, g, h, i, j, k, l);
  } else if constexpr (n == 12) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m] = value;
    each(a, b, c, d, e, g, h, i, j, k, l, m);
  } else {
    static_assert(n == 16);
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r] = value;
    each(a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r);
  }
}

}  // namespace ringway::journal

#endif  // RINGWAY_JOURNAL_FIELDS_H_
