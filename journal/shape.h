// The shapes of what a journal holds: of every struct and variant the kinds of its fields, in order.
//
// Each segment tells the shapes of the release that wrote it, as a name, a count and a digest of the kinds.
// So a release that has appended fields since reads what the one before wrote: it takes as many fields as
// there were, leaves the others as new, and writes actions and states in the same form where it compares
// them. The rule for whoever changes a struct: append; and keep a field that is no longer used for one
// release. Anything else is said when such a journal is read, by the name of the struct.
//
// A struct registers itself where code that writes it is compiled. Pure but for that; threads: any, from main
// on.
#ifndef RINGWAY_JOURNAL_SHAPE_H_
#define RINGWAY_JOURNAL_SHAPE_H_

#include <array>
#include <cstdint>
#include <deque>
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
#include "absl/status/statusor.h"
#include "core/ids.h"
#include "core/time.h"
#include "journal/fields.h"

namespace ringway::journal {

// A class that names its fields (core/state.h).
template <class T>
concept HasState = requires(T& value) {
  value.VisitState([](auto&...) {});
};

// "ringway::router::JobArrived", the same from both compilers for what is no template.
template <class T>
std::string TypeName() {
  const std::string_view own = __PRETTY_FUNCTION__;
  const std::size_t begin = own.find("T = ") + 4;
  return std::string(own.substr(begin, own.find_first_of(";]", begin) - begin));
}

// How a field is written: two fields of one kind may stand for each other. Integers of any width are of one.
template <class T>
struct KindOf {
  static std::string Name() {
    if constexpr (std::is_enum_v<T> || (std::is_integral_v<T> && !std::is_signed_v<T>)) return "n";
    if constexpr (std::is_integral_v<T>) return "i";
    if constexpr (std::is_floating_point_v<T>) return "f";
    if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>) return "s";
    if constexpr (std::is_same_v<T, Time> || std::is_same_v<T, Duration>) return "t";
    return TypeName<T>();
  }
};
template <class Tag>
struct KindOf<Id<Tag>> {
  static std::string Name() { return "id"; }
};
template <class T>
struct KindOf<std::vector<T>> {
  static std::string Name() { return "[" + KindOf<T>::Name(); }
};
template <class T>
struct KindOf<std::deque<T>> : KindOf<std::vector<T>> {};
template <class T, std::size_t N>
struct KindOf<absl::InlinedVector<T, N>> : KindOf<std::vector<T>> {};
template <class I, class T>
struct KindOf<IdVector<I, T>> {
  static std::string Name() { return "{" + KindOf<T>::Name(); }
};
template <class K, class T>
struct KindOf<std::map<K, T>> {
  static std::string Name() { return "<" + KindOf<K>::Name() + "," + KindOf<T>::Name(); }
};
template <class K, class T>
struct KindOf<std::multimap<K, T>> : KindOf<std::map<K, T>> {};
template <class T, std::size_t N>
struct KindOf<std::array<T, N>> {
  static std::string Name() { return std::to_string(N) + KindOf<T>::Name(); }
};
template <class T>
struct KindOf<std::optional<T>> {
  static std::string Name() { return "?" + KindOf<T>::Name(); }
};
template <class T>
struct KindOf<std::shared_ptr<const T>> {
  static std::string Name() { return "*" + KindOf<T>::Name(); }
};
// By the first alternative, for others may be appended.
template <class T, class... More>
struct KindOf<std::variant<T, More...>> {
  static std::string Name() { return "|" + KindOf<T>::Name(); }
};

struct Shape {
  std::string name;
  std::vector<std::string> kinds;
};

template <class T>
struct ShapeOf {
  static Shape Of() {
    Shape shape{.name = TypeName<T>(), .kinds = {}};
    if constexpr (HasState<const T>) {
      // Follows from the types alone: many of these cannot be made here.
      shape.kinds = decltype(std::declval<const T&>().VisitState(std::declval<Types>()))::Kinds();
    } else {
      T value{};
      ForFields(value, [&shape](const auto& field) {
        shape.kinds.push_back(KindOf<std::remove_cvref_t<decltype(field)>>::Name());
      });
    }
    return shape;
  }
  template <class... Fields>
  struct List {
    static std::vector<std::string> Kinds() { return {KindOf<Fields>::Name()...}; }
  };
  struct Types {
    template <class... Fields>
    List<Fields...> operator()(const Fields&...) const;
  };
};
template <class... T>
struct ShapeOf<std::variant<T...>> {
  static Shape Of() { return {.name = KindOf<std::variant<T...>>::Name(), .kinds = {KindOf<T>::Name()...}}; }
};

// The place of a shape among those of this release.
std::size_t RegisterShape(Shape shape);
template <class T>
inline const std::size_t kShapeOf = RegisterShape(ShapeOf<T>::Of());

// Those of another release, as far as this one reads them.
class Shapes {
 public:
  // What this release tells; its bytes depend on the shapes alone. `fewer`, for tests: as if the last so many
  // fields of the shapes of these names had been appended since.
  static std::string Own(const std::map<std::string, std::size_t>& fewer = {});
  // FailedPrecondition, with the struct's name: a later release wrote it, or fields are gone or others.
  static absl::StatusOr<Shapes> Of(std::string_view told);

  // How many of the fields of a shape of ours it has.
  std::size_t fields(std::size_t shape) const { return fields_[shape]; }

 private:
  std::vector<std::size_t> fields_;
};

}  // namespace ringway::journal

#endif  // RINGWAY_JOURNAL_SHAPE_H_
