#include "journal/shape.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "journal/bytes.h"

namespace ringway::journal {
namespace {

std::vector<Shape>& Registered() {
  static std::vector<Shape> shapes;
  return shapes;
}

std::uint64_t DigestOfKinds(const Shape& shape, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) absl::StrAppend(&text, shape.kinds[i], "\n");
  return Digest(text) & 0xffff'ffff;
}

}  // namespace

std::size_t RegisterShape(Shape shape) {
  Registered().push_back(std::move(shape));
  return Registered().size() - 1;
}

std::string Shapes::Own(const std::map<std::string, std::size_t>& fewer) {
  std::vector<const Shape*> shapes;
  for (const Shape& shape : Registered()) shapes.push_back(&shape);
  std::sort(shapes.begin(), shapes.end(), [](const Shape* a, const Shape* b) { return a->name < b->name; });
  std::string bytes;
  Writer writer(bytes);
  writer.Number(shapes.size());
  for (const Shape* shape : shapes) {
    const auto lacks = fewer.find(shape->name);
    const std::size_t count = shape->kinds.size() - (lacks == fewer.end() ? 0 : lacks->second);
    writer.Number(Digest(shape->name));
    writer.Number(count);
    writer.Number(DigestOfKinds(*shape, count));
  }
  return bytes;
}

absl::StatusOr<Shapes> Shapes::Of(std::string_view told) {
  std::map<std::uint64_t, std::size_t> places;
  for (std::size_t i = 0; i < Registered().size(); ++i) places[Digest(Registered()[i].name)] = i;
  Shapes shapes;
  shapes.fields_.resize(Registered().size());
  std::deque<std::string> words;
  Reader reader(told, words);
  for (std::uint64_t left = reader.Number(); left > 0 && reader.ok(); --left) {
    const auto place = places.find(reader.Number());
    const std::uint64_t count = reader.Number(), digest = reader.Number();
    // Of a type that this release does not have: nothing that it reads holds one.
    if (!reader.ok() || place == places.end()) continue;
    const Shape& own = Registered()[place->second];
    if (count > own.kinds.size() || digest != DigestOfKinds(own, count)) {
      return absl::FailedPreconditionError(
          absl::StrCat(own.name, " has ", count, " fields there, which are not the first of the ",
                       own.kinds.size(), " of this release: replay it with the release that wrote it"));
    }
    shapes.fields_[place->second] = count;
  }
  if (!reader.ok() || !reader.empty()) return absl::DataLossError("the shapes of a segment are damaged");
  return shapes;
}

}  // namespace ringway::journal
