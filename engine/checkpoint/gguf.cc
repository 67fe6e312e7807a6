#include "engine/checkpoint/gguf.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"

namespace ringway::engine {
namespace {

constexpr std::size_t kGgufHeaderBytesMax = std::size_t{64} << 20;
constexpr std::uint64_t kEntriesMax = 65536;
constexpr std::size_t kNameBytesMax = 1024;
constexpr std::uint32_t kAxesMax = 4;
constexpr std::uint64_t kGgufElementsMax = std::uint64_t{1} << 40;
constexpr std::uint64_t kAlignmentMax = 1 << 20;
constexpr std::int64_t kBlock = 32;
constexpr std::size_t kQ8Bytes = 2 + 32, kQ4Bytes = 2 + 16;

// The types of pairs.
enum : std::uint32_t { kString = 8, kArray = 9, kU32 = 4 };
constexpr std::size_t kScalarBytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

struct TypeRow {
  std::uint32_t number;
  const char* name;
  std::optional<FileDType> dtype;
};
constexpr TypeRow kTypes[] = {
    {0, "f32", FileDType::kF32},    {1, "f16", FileDType::kF16}, {2, "q4_0", FileDType::kQ4},
    {3, "q4_1", std::nullopt},      {6, "q5_0", std::nullopt},   {7, "q5_1", std::nullopt},
    {8, "q8_0", FileDType::kQ8},    {10, "q2_K", std::nullopt},  {11, "q3_K", std::nullopt},
    {12, "q4_K", std::nullopt},     {13, "q5_K", std::nullopt},  {14, "q6_K", std::nullopt},
    {30, "bf16", FileDType::kBF16},
};

std::size_t BytesOf(FileDType dtype, std::int64_t elements) {
  if (dtype == FileDType::kQ8 || dtype == FileDType::kQ4) return QuantisedBytes(dtype, elements);
  return static_cast<std::size_t>(elements) * (dtype == FileDType::kF32 ? 4 : 2);
}

class GgufReader {
 public:
  GgufReader(std::span<const std::byte> file, std::string_view what)
      : file_(file.first(std::min(file.size(), kGgufHeaderBytesMax))), size_(file.size()), what_(what) {}

  absl::StatusOr<GgufHeader> Read() {
    std::uint32_t magic = 0, version = 0;
    std::uint64_t tensors = 0, pairs = 0;
    if (!Take(magic) || !Take(version) || !Take(tensors) || !Take(pairs)) return Short();
    if (version != 2 && version != 3)
      return Wrong(absl::StrCat("is GGUF of version ", version, "; 2 and 3 are read"));
    if (tensors > kEntriesMax || pairs > kEntriesMax)
      return Wrong(absl::StrCat("claims ", tensors, " tensors and ", pairs, " pairs; at most ", kEntriesMax,
                                " of each are allowed"));
    for (std::uint64_t i = 0; i < pairs; ++i)
      if (absl::Status status = ReadPair(); !status.ok()) return status;
    GgufHeader header;
    for (std::uint64_t i = 0; i < tensors; ++i)
      if (absl::Status status = ReadTensor(header.tensors.emplace_back()); !status.ok()) return status;
    header.data_begin = (at_ + alignment_ - 1) / alignment_ * alignment_;
    if (absl::Status status = Place(header); !status.ok()) return status;
    std::ranges::sort(header.tensors, {}, &StoredTensor::name);
    for (std::size_t i = 1; i < header.tensors.size(); ++i)
      if (header.tensors[i].name == header.tensors[i - 1].name)
        return WrongTensor(header.tensors[i].name, "is there twice");
    return header;
  }

 private:
  absl::Status Wrong(std::string_view text) const {
    return absl::InvalidArgumentError(absl::StrCat(AbslView(what_), ": ", AbslView(text)));
  }
  absl::Status WrongTensor(std::string_view name, std::string_view text) const {
    return Wrong(absl::StrCat("tensor \"", AbslView(name.substr(0, 200)), "\" ", AbslView(text)));
  }
  absl::Status Short() const {
    return Wrong(absl::StrCat("ends within its header, at byte ", at_,
                              " (truncated, or a header of more than ", kGgufHeaderBytesMax, " bytes)"));
  }

  bool Skip(std::uint64_t bytes) {
    if (bytes > file_.size() - at_) return false;
    at_ += bytes;
    return true;
  }
  template <typename T>
  bool Take(T& to) {
    if (sizeof(T) > file_.size() - at_) return false;
    std::memcpy(&to, file_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return true;
  }
  bool TakeText(std::string_view& text) {
    std::uint64_t bytes = 0;
    if (!Take(bytes) || bytes > file_.size() - at_) return false;
    text = {reinterpret_cast<const char*>(file_.data()) + at_, static_cast<std::size_t>(bytes)};
    at_ += bytes;
    return true;
  }

  absl::Status SkipValue(std::uint32_t type, std::string_view name) {
    std::string_view text;
    if (type == kString) return TakeText(text) ? absl::OkStatus() : Short();
    if (type != kArray) {
      if (type >= std::size(kScalarBytes))
        return Wrong(
            absl::StrCat("pair \"", AbslView(name.substr(0, 200)), "\" has the unknown type ", type));
      return Skip(kScalarBytes[type]) ? absl::OkStatus() : Short();
    }
    std::uint32_t inner = 0;
    std::uint64_t count = 0;
    if (!Take(inner) || !Take(count)) return Short();
    if (inner == kArray || inner >= std::size(kScalarBytes))
      return Wrong(absl::StrCat("pair \"", AbslView(name.substr(0, 200)), "\" is a list of the type ", inner,
                                ", which is not read"));
    if (inner != kString) {
      const std::size_t each = kScalarBytes[inner];
      return count <= file_.size() / each && Skip(count * each) ? absl::OkStatus() : Short();
    }
    for (std::uint64_t i = 0; i < count; ++i)  // each takes 8 bytes at least, so this ends with the file
      if (!TakeText(text)) return Short();
    return absl::OkStatus();
  }

  absl::Status ReadPair() {
    std::string_view name;
    std::uint32_t type = 0;
    if (!TakeText(name) || !Take(type)) return Short();
    if (name != "general.alignment") return SkipValue(type, name);
    std::uint32_t alignment = 0;
    if (type != kU32 || !Take(alignment)) return Wrong("\"general.alignment\" is no u32");
    if (alignment == 0 || alignment % 8 != 0 || alignment > kAlignmentMax)
      return Wrong(absl::StrCat("\"general.alignment\" is ", alignment, "; allowed are multiples of 8 up to ",
                                kAlignmentMax));
    alignment_ = alignment;
    return absl::OkStatus();
  }

  absl::Status ReadTensor(StoredTensor& out) {
    std::string_view name;
    std::uint32_t axes = 0, type = 0;
    if (!TakeText(name) || !Take(axes)) return Short();
    if (name.empty() || name.size() > kNameBytesMax)
      return Wrong(absl::StrCat("a tensor has a name of ", name.size(), " bytes; 1 to ", kNameBytesMax,
                                " are allowed"));
    if (axes > kAxesMax) return WrongTensor(name, absl::StrCat("has ", axes, " axes; at most 4 are allowed"));
    out.name = std::string(name);
    std::uint64_t elements = 1;
    for (std::uint32_t i = 0; i < axes; ++i) {
      std::uint64_t size = 0;
      if (!Take(size)) return Short();
      if (size == 0 || size > kGgufElementsMax || elements > kGgufElementsMax / size)
        return WrongTensor(name, "has an impossible shape");
      elements *= size;
      out.dims.insert(out.dims.begin(), static_cast<std::int64_t>(size));
    }
    std::uint64_t offset = 0;
    if (!Take(type) || !Take(offset)) return Short();
    const TypeRow* row = std::ranges::find(kTypes, type, &TypeRow::number);
    if (row == std::end(kTypes) || !row->dtype)
      return WrongTensor(
          name, absl::StrCat("is of ",
                             row == std::end(kTypes) ? absl::StrCat("type ", type) : std::string(row->name),
                             "; f32, f16, bf16, q8_0 and q4_0 are read"));
    out.dtype = *row->dtype;
    const bool quantised = out.dtype == FileDType::kQ8 || out.dtype == FileDType::kQ4;
    if (quantised && (out.dims.empty() || out.dims.back() % kBlock != 0))
      return WrongTensor(name, absl::StrCat("is of ", row->name, ", but its rows are no multiple of 32"));
    if (offset % alignment_ != 0 || offset > size_)
      return WrongTensor(name, absl::StrCat("lies at data byte ", offset, "; allowed are multiples of ",
                                            alignment_, " within the file"));
    out.begin = offset;
    out.end = offset + BytesOf(out.dtype, static_cast<std::int64_t>(elements));
    return absl::OkStatus();
  }

  // From data bytes to bytes of the file; each tensor in it, and none over another.
  absl::Status Place(GgufHeader& header) const {
    std::vector<StoredTensor*> by_place;
    for (StoredTensor& tensor : header.tensors) {
      tensor.begin += header.data_begin;
      tensor.end += header.data_begin;
      if (tensor.end > size_)
        return WrongTensor(tensor.name, absl::StrCat("ends at byte ", tensor.end, "; the file has ", size_,
                                                     " (truncated, or not finished downloading?)"));
      by_place.push_back(&tensor);
    }
    std::ranges::sort(by_place, {}, &StoredTensor::begin);
    for (std::size_t i = 1; i < by_place.size(); ++i)
      if (by_place[i]->begin < by_place[i - 1]->end)
        return WrongTensor(by_place[i]->name, absl::StrCat("overlaps \"", by_place[i - 1]->name, "\""));
    return absl::OkStatus();
  }

  const std::span<const std::byte> file_;  // as much of it as a header may have
  const std::size_t size_;
  const std::string_view what_;
  std::size_t at_ = 0;
  std::uint64_t alignment_ = 32;
};

float ScaleAt(const std::byte* block) {
  std::uint16_t half = 0;
  std::memcpy(&half, block, sizeof(half));
  return HalfToFloat(half);
}

}  // namespace

bool IsGguf(std::span<const std::byte> file) {
  return file.size() >= 4 && std::memcmp(file.data(), "GGUF", 4) == 0;
}

absl::StatusOr<GgufHeader> ParseGguf(std::span<const std::byte> file, std::string_view what) {
  if (!IsGguf(file))
    return absl::InvalidArgumentError(absl::StrCat(AbslView(what), ": does not begin with GGUF"));
  return GgufReader(file, what).Read();
}

std::size_t QuantisedBytes(FileDType dtype, std::int64_t elements) {
  return static_cast<std::size_t>(elements / kBlock) * (dtype == FileDType::kQ8 ? kQ8Bytes : kQ4Bytes);
}

void ReadQ8(const std::byte* from, std::int64_t first, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t at = first + static_cast<std::int64_t>(i);
    const std::byte* block = from + at / kBlock * static_cast<std::int64_t>(kQ8Bytes);
    out[i] = ScaleAt(block) * static_cast<float>(static_cast<std::int8_t>(block[2 + at % kBlock]));
  }
}

void ReadQ4(const std::byte* from, std::int64_t first, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t at = first + static_cast<std::int64_t>(i);
    const std::byte* block = from + at / kBlock * static_cast<std::int64_t>(kQ4Bytes);
    const std::int64_t place = at % kBlock;
    const auto pair = static_cast<std::uint8_t>(block[2 + place % 16]);
    const int number = (place < 16 ? pair & 0xf : pair >> 4) - 8;
    out[i] = ScaleAt(block) * static_cast<float>(number);
  }
}

}  // namespace ringway::engine
