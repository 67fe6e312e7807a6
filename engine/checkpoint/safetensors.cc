#include "engine/checkpoint/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "core/json_reader.h"
#include "engine/checkpoint/gguf.h"

namespace ringway::engine {
namespace {

constexpr std::size_t kHeaderBytesMax = 16u << 20;
constexpr std::int64_t kElementsMax = std::int64_t{1} << 40;
constexpr std::size_t kRankMax = 8;

static_assert(std::endian::native == std::endian::little,
              "safetensors are little-endian, and so is every read");

struct DTypeRow {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array<DTypeRow, 13> kDTypes = {{{"BOOL", 1},
                                               {"U8", 1},
                                               {"I8", 1},
                                               {"I16", 2},
                                               {"U16", 2},
                                               {"F16", 2},
                                               {"BF16", 2},
                                               {"I32", 4},
                                               {"U32", 4},
                                               {"F32", 4},
                                               {"I64", 8},
                                               {"U64", 8},
                                               {"F64", 8}}};

constexpr std::array<std::string_view, 2> kBlockNames = {"Q8_0", "Q4_0"};

std::optional<FileDType> DTypeByName(std::string_view name) {
  for (std::size_t i = 0; i < kDTypes.size(); ++i)
    if (kDTypes[i].name == name) return static_cast<FileDType>(i);
  return std::nullopt;
}

class HeaderReader {
 public:
  HeaderReader(std::string_view what, std::size_t data_begin, std::size_t data_bytes)
      : what_(what), data_begin_(data_begin), data_bytes_(data_bytes) {}

  absl::Status ReadTensor(std::string_view name, const Json& value, StoredTensor& out) const {
    out.name = std::string(name);
    const Json* dtype = value.Find("dtype");
    const Json* shape = value.Find("shape");
    const Json* offsets = value.Find("data_offsets");
    if (dtype == nullptr || shape == nullptr || offsets == nullptr)
      return Wrong(name, "needs dtype, shape and data_offsets");
    if (dtype->string() == nullptr) return Wrong(name, "dtype must be a string");
    const std::optional<FileDType> known = DTypeByName(*dtype->string());
    if (!known) return Wrong(name, absl::StrCat("has the unknown dtype \"", *dtype->string(), "\""));
    out.dtype = *known;
    if (absl::Status s = ReadShape(name, *shape, out); !s.ok()) return s;
    return ReadRange(name, *offsets, out);
  }

  // Sorted by their place, tensors must cover the data from its first byte to its last, each byte once.
  absl::Status CheckCoverage(std::span<const StoredTensor> tensors) const {
    std::vector<const StoredTensor*> by_place;
    by_place.reserve(tensors.size());
    for (const StoredTensor& t : tensors) by_place.push_back(&t);
    std::sort(by_place.begin(), by_place.end(), [](const StoredTensor* a, const StoredTensor* b) {
      return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
    });
    std::size_t at = data_begin_;
    for (const StoredTensor* t : by_place) {
      if (t->begin != at)
        return Wrong(t->name, absl::StrCat("starts at data byte ", t->begin - data_begin_,
                                           "; the tensor before it ends at ", at - data_begin_,
                                           " (tensors may neither overlap nor leave a hole)"));
      at = t->end;
    }
    if (at != data_begin_ + data_bytes_)
      return absl::InvalidArgumentError(absl::StrCat(
          AbslView(what_), ": the header describes ", at - data_begin_, " bytes of data, the file holds ",
          data_bytes_, " (truncated, or not finished downloading?)"));
    return absl::OkStatus();
  }

 private:
  absl::Status Wrong(std::string_view name, std::string_view text) const {
    return absl::InvalidArgumentError(
        absl::StrCat(AbslView(what_), ": tensor \"", AbslView(name.substr(0, 200)), "\" ", AbslView(text)));
  }

  absl::Status ReadShape(std::string_view name, const Json& shape, StoredTensor& out) const {
    const Json::Array* dims = shape.array();
    if (dims == nullptr || dims->size() > kRankMax)
      return Wrong(name, absl::StrCat("must have a shape of at most ", kRankMax, " dimensions"));
    std::int64_t elements = 1;
    for (const Json& dim : *dims) {
      const std::int64_t* size = dim.integer();
      if (size == nullptr || *size < 0 || *size > kElementsMax ||
          (*size > 0 && elements > kElementsMax / *size))
        return Wrong(name, "has an impossible shape");
      elements *= *size;
      out.dims.push_back(*size);
    }
    return absl::OkStatus();
  }

  absl::Status ReadRange(std::string_view name, const Json& offsets, StoredTensor& out) const {
    const Json::Array* pair = offsets.array();
    if (pair == nullptr || pair->size() != 2 || (*pair)[0].integer() == nullptr ||
        (*pair)[1].integer() == nullptr)
      return Wrong(name, "needs data_offsets of two integers");
    const std::int64_t begin = *(*pair)[0].integer();
    const std::int64_t end = *(*pair)[1].integer();
    if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > data_bytes_)
      return Wrong(name, absl::StrCat("lies at data bytes ", begin, " to ", end, "; the file holds ",
                                      data_bytes_, " (truncated, or not finished downloading?)"));
    const std::int64_t bytes =
        out.elements() * static_cast<std::int64_t>(kDTypes[static_cast<std::size_t>(out.dtype)].bytes);
    if (end - begin != bytes)
      return Wrong(name, absl::StrCat("claims ", end - begin, " bytes; ", AbslView(FileDTypeName(out.dtype)),
                                      " ", out.ShapeText(), " takes ", bytes));
    out.begin = data_begin_ + static_cast<std::size_t>(begin);
    out.end = data_begin_ + static_cast<std::size_t>(end);
    return absl::OkStatus();
  }

  std::string_view what_;
  std::size_t data_begin_;
  std::size_t data_bytes_;
};

absl::Status ReadMetadata(const Json& value, std::string_view what, SafetensorsHeader& header) {
  if (value.object() == nullptr)
    return absl::InvalidArgumentError(
        absl::StrCat(AbslView(what), ": __metadata__ must be an object of strings"));
  for (const auto& [key, text] : *value.object()) {
    if (text.string() == nullptr)
      return absl::InvalidArgumentError(
          absl::StrCat(AbslView(what), ": __metadata__ must be an object of strings"));
    header.metadata.emplace_back(key, *text.string());
  }
  return absl::OkStatus();
}

// HalfToFloat without a branch, so that many are converted at once. A half below the normal ones is a whole
// number of 2^-24.
float Widened(std::uint16_t half) {
  constexpr std::uint32_t kNormal = 112u << 23, kNotFinite = 224u << 23;  // from one exponent to the other
  const std::uint32_t sign = (half & 0x8000u) << 16, magnitude = half & 0x7fffu;
  const float tiny = static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1.0p-24f;
  const std::uint32_t large = (magnitude << 13) + (magnitude >= 0x7c00u ? kNotFinite : kNormal);
  return std::bit_cast<float>(sign | (magnitude < 0x400u ? std::bit_cast<std::uint32_t>(tiny) : large));
}

template <typename T, typename Convert>
void ConvertAll(const std::byte* from, std::span<float> out, Convert convert) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    T x;  // tensors in a file are not aligned
    std::memcpy(&x, from + i * sizeof(T), sizeof(T));
    out[i] = convert(x);
  }
}

}  // namespace

std::string_view FileDTypeName(FileDType dtype) {
  const auto number = static_cast<std::size_t>(dtype);
  return number < kDTypes.size() ? kDTypes[number].name : kBlockNames[number - kDTypes.size()];
}

std::int64_t StoredTensor::elements() const {
  std::int64_t n = 1;
  for (std::int64_t d : dims) n *= d;
  return n;
}

std::string StoredTensor::ShapeText() const {
  std::string text = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) absl::StrAppend(&text, i > 0 ? ", " : "", dims[i]);
  return text + "]";
}

absl::StatusOr<SafetensorsHeader> ParseSafetensors(std::span<const std::byte> file, std::string_view what) {
  std::uint64_t header_bytes = 0;
  if (file.size() < sizeof(header_bytes))
    return absl::InvalidArgumentError(
        absl::StrCat(AbslView(what), ": has ", file.size(),
                     " bytes; a safetensors file starts with an 8-byte header length"));
  std::memcpy(&header_bytes, file.data(), sizeof(header_bytes));
  if (header_bytes > kHeaderBytesMax || header_bytes > file.size() - sizeof(header_bytes))
    return absl::InvalidArgumentError(absl::StrCat(AbslView(what), ": claims a header of ", header_bytes,
                                                   " bytes; the file has ", file.size(), ", and at most ",
                                                   kHeaderBytesMax, " are allowed"));
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + sizeof(header_bytes),
                              header_bytes);
  absl::StatusOr<Json> json = Json::Parse(text, what);
  if (!json.ok()) return json.status();
  if (json->object() == nullptr)
    return absl::InvalidArgumentError(absl::StrCat(AbslView(what), ": the header must be an object"));

  SafetensorsHeader header;
  const std::size_t data_begin = sizeof(header_bytes) + header_bytes;
  const HeaderReader reader(what, data_begin, file.size() - data_begin);
  for (const auto& [name, value] : *json->object()) {
    const absl::Status status = name == "__metadata__"
                                    ? ReadMetadata(value, what, header)
                                    : reader.ReadTensor(name, value, header.tensors.emplace_back());
    if (!status.ok()) return status;
  }
  if (absl::Status status = reader.CheckCoverage(header.tensors); !status.ok()) return status;
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const StoredTensor& a, const StoredTensor& b) { return a.name < b.name; });
  return header;
}

absl::Status CheckFloats(const StoredTensor& tensor) {
  switch (tensor.dtype) {
    case FileDType::kF32:
    case FileDType::kBF16:
    case FileDType::kF16:
    case FileDType::kF64:
    case FileDType::kQ8:
    case FileDType::kQ4:
      return absl::OkStatus();
    default:
      return absl::InvalidArgumentError(absl::StrCat("tensor \"", tensor.name, "\" holds ",
                                                     AbslView(FileDTypeName(tensor.dtype)),
                                                     "; weights must be F32, F16, BF16 or F64"));
  }
}

absl::Status ReadFloats(std::span<const std::byte> file, const StoredTensor& tensor, std::int64_t first,
                        std::span<float> out) {
  RINGWAY_CHECK(first >= 0 && first <= tensor.elements());
  RINGWAY_CHECK(static_cast<std::int64_t>(out.size()) <= tensor.elements() - first);
  RINGWAY_CHECK(tensor.end <= file.size() && tensor.begin <= tensor.end);
  if (absl::Status status = CheckFloats(tensor); !status.ok()) return status;
  if (tensor.dtype == FileDType::kQ8 || tensor.dtype == FileDType::kQ4) {
    const auto read = tensor.dtype == FileDType::kQ8 ? ReadQ8 : ReadQ4;
    read(file.data() + tensor.begin, first, out);
    return absl::OkStatus();
  }
  const auto size =
      tensor.elements() == 0 ? 0 : (tensor.end - tensor.begin) / static_cast<std::size_t>(tensor.elements());
  const std::byte* from = file.data() + tensor.begin + static_cast<std::size_t>(first) * size;
  switch (tensor.dtype) {
    case FileDType::kF32:
      if (!out.empty()) std::memcpy(out.data(), from, out.size_bytes());
      return absl::OkStatus();
    case FileDType::kBF16:
      ConvertAll<std::uint16_t>(from, out, [](std::uint16_t x) { return ToFloat(BFloat16{x}); });
      return absl::OkStatus();
    case FileDType::kF16:
      ConvertAll<std::uint16_t>(from, out, [](std::uint16_t x) { return Widened(x); });
      return absl::OkStatus();
    case FileDType::kF64:
      ConvertAll<double>(from, out, [](double x) { return static_cast<float>(x); });
      return absl::OkStatus();
    default:  // CheckFloats has refused it
      return absl::InternalError("not a floating-point type");
  }
}

}  // namespace ringway::engine
