#include "engine/checkpoint/weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "core/json_reader.h"
#include "engine/checkpoint/block_sum.h"
#include "engine/checkpoint/gguf.h"
#include "engine/checkpoint/plain_name.h"

namespace ringway::engine {
namespace {

constexpr std::size_t kShardsMax = 512;
constexpr std::size_t kIndexBytesMax = 16u << 20;

std::string ShapeText(const std::vector<std::int64_t>& dims) {
  StoredTensor shape;
  shape.dims = dims;
  return shape.ShapeText();
}

}  // namespace

absl::Status Weights::AddFile(const std::filesystem::path& path) {
  absl::StatusOr<MappedFile> file = MappedFile::Open(path);
  if (!file.ok()) return file.status();
  std::vector<StoredTensor> tensors;
  std::uint64_t header_bytes = 0;
  if (IsGguf(file->bytes())) {
    absl::StatusOr<GgufHeader> header = ParseGguf(file->bytes(), file->path());
    if (!header.ok()) return header.status();
    tensors = std::move(header->tensors);
    header_bytes = std::min(header->data_begin, file->bytes().size());
  } else {
    absl::StatusOr<SafetensorsHeader> header = ParseSafetensors(file->bytes(), file->path());
    if (!header.ok()) return header.status();
    tensors = std::move(header->tensors);
    std::memcpy(&header_bytes, file->bytes().data(), sizeof(header_bytes));
    header_bytes += sizeof(header_bytes);
  }
  header_bytes_.push_back(header_bytes);
  for (StoredTensor& stored : tensors) {
    std::string name = stored.name;
    const auto [at, fresh] = tensors_.try_emplace(std::move(name), Slot{files_.size(), std::move(stored)});
    if (!fresh)
      return absl::InvalidArgumentError(
          absl::StrCat(path.string(), ": tensor \"", at->first, "\" is in another shard already"));
  }
  files_.push_back(*std::move(file));
  return absl::OkStatus();
}

absl::StatusOr<Weights> Weights::Open(const std::filesystem::path& path) {
  if (absl::EndsWith(path.string(), ".json")) return OpenShards(path);
  Weights weights;
  weights.description_ = path.string();
  if (absl::Status status = weights.AddFile(path); !status.ok()) return status;
  return weights;
}

absl::StatusOr<Weights> Weights::OpenShards(const std::filesystem::path& index) {
  const absl::StatusOr<std::string> text = ReadSmallFile(index, kIndexBytesMax);
  if (!text.ok()) return text.status();
  const absl::StatusOr<Json> json = Json::Parse(*text, index.string());
  if (!json.ok()) return json.status();
  const Json* map = json->Find("weight_map");
  if (map == nullptr || map->object() == nullptr)
    return absl::InvalidArgumentError(
        absl::StrCat(index.string(), ": needs \"weight_map\", an object of file names"));
  std::set<std::string> shards;
  for (const auto& [name, shard] : *map->object()) {
    if (shard.string() == nullptr || !IsPlainName(*shard.string()))
      return absl::InvalidArgumentError(absl::StrCat(
          index.string(), ": weight_map[\"", name, "\"] must be the plain name of a file beside the index"));
    shards.insert(*shard.string());
  }
  if (shards.empty() || shards.size() > kShardsMax)
    return absl::InvalidArgumentError(absl::StrCat(index.string(), ": names ", shards.size(),
                                                   " shards; 1 to ", kShardsMax, " are allowed"));

  Weights weights;
  weights.description_ = absl::StrCat(index.string(), " (", shards.size(), " shards)");
  for (const std::string& shard : shards)
    if (absl::Status status = weights.AddFile(index.parent_path() / shard); !status.ok()) return status;
  for (const auto& [name, shard] : *map->object())
    if (!weights.Has(name))
      return absl::InvalidArgumentError(absl::StrCat(index.string(), ": tensor \"", name, "\" is not in ",
                                                     *shard.string(), " as the index says"));
  return weights;
}

absl::StatusOr<Weights> Weights::OpenComponent(const std::filesystem::path& directory) {
  std::string tried;
  // An index of shards in half precision has had three names.
  for (const char* ending :
       {".safetensors", ".safetensors.index.json", ".fp16.safetensors", ".safetensors.index.fp16.json",
        ".fp16.safetensors.index.json", ".safetensors.fp16.index.json"}) {
    for (const char* stem : {"diffusion_pytorch_model", "model"}) {
      const std::filesystem::path path = directory / absl::StrCat(stem, ending);
      std::error_code error;
      if (std::filesystem::exists(path, error)) return Open(path);
      absl::StrAppend(&tried, tried.empty() ? "" : ", ", path.filename().string());
    }
  }
  return absl::NotFoundError(absl::StrCat(directory.string(), ": holds no weights; looked for ", tried));
}

absl::StatusOr<Weights> Weights::Selected(const Rename& rename) const {
  Weights selected;
  selected.description_ = description_;
  selected.files_ = files_;
  selected.header_bytes_ = header_bytes_;
  for (const auto& [name, slot] : tensors_) {
    std::optional<std::string> renamed = rename(name);
    if (!renamed) continue;
    Slot own = slot;
    own.stored.name = *renamed;
    own.taken = false;
    if (!selected.tensors_.try_emplace(*std::move(renamed), std::move(own)).second)
      return absl::InvalidArgumentError(
          absl::StrCat(description_, ": tensor \"", name, "\" is there under another name already"));
  }
  return selected;
}

absl::StatusOr<Weights> Weights::Joined(const Weights& other) const {
  Weights joined = *this;
  joined.description_ = absl::StrCat(description_, " with ", other.description_);
  joined.files_.insert(joined.files_.end(), other.files_.begin(), other.files_.end());
  joined.header_bytes_.insert(joined.header_bytes_.end(), other.header_bytes_.begin(),
                              other.header_bytes_.end());
  for (const auto& [name, slot] : other.tensors_) {
    Slot own = slot;
    own.file += files_.size();
    if (!joined.tensors_.try_emplace(name, std::move(own)).second)
      return absl::InvalidArgumentError(
          absl::StrCat(other.description_, ": tensor \"", name, "\" is in ", description_, " already"));
  }
  for (auto& [name, slot] : joined.tensors_) slot.taken = false;
  return joined;
}

const StoredTensor* Weights::Find(std::string_view name) const {
  const auto at = tensors_.find(name);
  return at == tensors_.end() ? nullptr : &at->second.stored;
}

absl::Status Weights::Expect(std::string_view name, const std::vector<std::int64_t>& expected) {
  const auto at = tensors_.find(name);
  if (at == tensors_.end())
    return absl::NotFoundError(
        absl::StrCat(description_, ": has no tensor \"", AbslView(name), "\" ", ShapeText(expected)));
  Slot& slot = at->second;
  std::vector<std::int64_t>& dims = slot.stored.dims;
  if (expected.size() == 2 && dims.size() == 4 && dims[2] == 1 && dims[3] == 1) dims.resize(2);
  if (dims != expected)
    return absl::InvalidArgumentError(absl::StrCat(description_, ": tensor \"", AbslView(name),
                                                   "\" has shape ", slot.stored.ShapeText(),
                                                   "; its configuration asks for ", ShapeText(expected)));
  if (absl::Status status = CheckFloats(slot.stored); !status.ok())
    return absl::Status(status.code(), absl::StrCat(description_, ": ", status.message()));
  slot.taken = true;
  return absl::OkStatus();
}

absl::Status Weights::ReadRows(std::string_view name, std::int64_t first, std::int64_t row_elements,
                               std::span<float> out) const {
  const auto at = tensors_.find(name);
  if (at == tensors_.end())
    return absl::NotFoundError(absl::StrCat(description_, ": has no tensor \"", AbslView(name), "\""));
  const StoredTensor& stored = at->second.stored;
  // A plan that was made for another checkpoint of the same structure reads here without Expect.
  const std::int64_t begin = first * row_elements, count = static_cast<std::int64_t>(out.size());
  if (first < 0 || row_elements < 1 || begin > stored.elements() || count > stored.elements() - begin)
    return absl::InvalidArgumentError(absl::StrCat(
        description_, ": tensor \"", AbslView(name), "\" has shape ", stored.ShapeText(), "; rows ", first,
        " to ", first + count / row_elements, " of ", row_elements, " numbers were asked for"));
  if (absl::Status status = ReadFloats(files_[at->second.file].bytes(), stored, begin, out); !status.ok())
    return status;
  const auto wrong = std::find_if(out.begin(), out.end(), [](float x) { return !std::isfinite(x); });
  if (wrong == out.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(description_, ": tensor \"", AbslView(name), "\" holds ",
                                                 *wrong, " at element ", begin + (wrong - out.begin()),
                                                 "; a network draws nothing with it: fetch the file again"));
}

void Weights::Release(std::string_view name) const {
  const auto at = tensors_.find(name);
  if (at != tensors_.end()) files_[at->second.file].Forget(at->second.stored.begin, at->second.stored.end);
}

std::string Weights::Identity() const {
  std::string identity;
  for (std::size_t f = 0; f < files_.size(); ++f) {
    const MappedFile& file = files_[f];
    const std::span<const std::byte> bytes = file.bytes();
    std::uint64_t sum = BlockSum(bytes.first(header_bytes_[f]), bytes.size());
    const std::size_t sample = std::min(kSampleBytes, bytes.size());
    for (std::size_t i = 0; i < kSamples; ++i)
      sum = BlockSum(bytes.subspan((bytes.size() - sample) / (kSamples - 1) * i, sample), sum);
    sum = BlockSum(bytes.last(sample), sum);
    absl::StrAppend(&identity, bytes.size(), " ", file.modified_ns(), " ", sum, ";");
  }
  return identity;
}

std::vector<std::string> Weights::Untaken() const {
  std::vector<std::string> names;
  for (const auto& [name, slot] : tensors_)
    if (!slot.taken) names.push_back(name);
  return names;
}

std::vector<const StoredTensor*> Weights::All() const {
  std::vector<const StoredTensor*> all;
  all.reserve(tensors_.size());
  for (const auto& [name, slot] : tensors_) all.push_back(&slot.stored);
  return all;
}

}  // namespace ringway::engine
