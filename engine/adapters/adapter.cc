#include "engine/adapters/adapter.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "engine/adapters/adapter_key.h"
#include "engine/checkpoint/model_directory.h"

namespace ringway::engine {
namespace {

constexpr std::int64_t kRankMax = 8192;

// The tensors of one layer, as they stand in the file.
struct LayerTensors {
  const StoredTensor* down = nullptr;
  const StoredTensor* up = nullptr;
  const StoredTensor* mid = nullptr;
  const StoredTensor* alpha = nullptr;
  const StoredTensor* lengths = nullptr;
  bool lengths_of_rows = false;
};

std::int64_t ProductFrom(const std::vector<std::int64_t>& dims, std::size_t first) {
  std::int64_t product = 1;
  for (std::size_t i = first; i < dims.size(); ++i) product *= dims[i];
  return product;
}

class AdapterReader {
 public:
  AdapterReader(const Weights& weights, const std::filesystem::path& file,
                const std::vector<AdaptedPart>& parts)
      : weights_(weights), file_(file), parts_(parts) {}

  absl::StatusOr<std::map<std::string, Adapter::Deltas, std::less<>>> Read() {
    if (absl::Status status = Sort(); !status.ok()) return status;
    if (absl::Status status = ReadPeftConfig(); !status.ok()) return status;
    std::map<std::string, Adapter::Deltas, std::less<>> made;
    for (const auto& [layer, tensors] : layers_) {
      const AdaptedLayer adapted = LayerOf(layer);
      const absl::StatusOr<const StoredTensor*> target = TargetOf(adapted, AnyOf(tensors));
      if (!target.ok()) return target.status();
      absl::StatusOr<LowRank> delta = ReadLayer(layer, tensors, **target);
      if (!delta.ok()) return delta.status();
      if (!made[adapted.part].try_emplace((*target)->name, *std::move(delta)).second)
        return Wrong(AnyOf(tensors), absl::StrCat("adapts \"", (*target)->name, "\" a second time"));
    }
    if (made.empty()) return absl::InvalidArgumentError(absl::StrCat(file_.string(), ": adapts nothing"));
    return made;
  }

 private:
  static const StoredTensor& AnyOf(const LayerTensors& tensors) {
    for (const StoredTensor* t : {tensors.down, tensors.up, tensors.mid, tensors.alpha})
      if (t != nullptr) return *t;
    return *tensors.lengths;
  }
  absl::Status Wrong(const StoredTensor& tensor, std::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat(file_.string(), ": tensor \"", tensor.name, "\" ", AbslView(what)));
  }
  absl::Status WrongShape(const StoredTensor& tensor, std::string_view expected) const {
    return Wrong(tensor, absl::StrCat("has shape ", tensor.ShapeText(), "; ", AbslView(expected)));
  }

  absl::Status Sort() {
    for (const StoredTensor* tensor : weights_.All()) {
      const std::optional<AdapterKey> key = ParseAdapterKey(tensor->name);
      if (!key)
        return Wrong(*tensor,
                     "is of no kind of adapter that is read: LoRA, LoCon and DoRA in the keys of kohya, "
                     "diffusers or peft are (LoHa, LoKr, (IA)3 and whole weights are not)");
      if (absl::Status status = CheckFloats(*tensor); !status.ok())
        return absl::InvalidArgumentError(absl::StrCat(file_.string(), ": ", status.message()));
      LayerTensors& layer = layers_[key->layer];
      const StoredTensor** slots[] = {&layer.down,  &layer.up,      &layer.mid,
                                      &layer.alpha, &layer.lengths, &layer.lengths};
      const StoredTensor*& slot = *slots[static_cast<std::size_t>(key->role)];
      if (slot != nullptr) return Wrong(*tensor, absl::StrCat("says what \"", slot->name, "\" says"));
      slot = tensor;
      if (key->role == AdapterRole::kRowLengths) layer.lengths_of_rows = true;
    }
    return absl::OkStatus();
  }

  // peft keeps alpha in a file of its own.
  absl::Status ReadPeftConfig() {
    const std::filesystem::path path = file_.parent_path() / "adapter_config.json";
    std::error_code error;
    if (file_.filename() != "adapter_model.safetensors" || !std::filesystem::exists(path, error))
      return absl::OkStatus();
    absl::StatusOr<Config> config = Config::Read(path);
    if (!config.ok()) return config.status();
    const auto rank = static_cast<double>(config->Integer("r", 8, 1, kRankMax));
    const double alpha = config->Number("lora_alpha", rank);
    peft_scale_ = alpha / (config->Boolean("use_rslora", false) ? std::sqrt(rank) : rank);
    for (const char* key : {"rank_pattern", "alpha_pattern"})
      if (const Json* pattern = config->json().Find(key);
          pattern != nullptr && pattern->object() != nullptr && !pattern->object()->empty())
        config->Refuse(key, "an empty object");
    return config->status();
  }

  absl::StatusOr<const StoredTensor*> TargetOf(const AdaptedLayer& layer, const StoredTensor& tensor) {
    const AdaptedPart* part = nullptr;
    for (const AdaptedPart& each : parts_)
      if (each.name == layer.part) part = &each;
    if (part == nullptr)
      return Wrong(tensor,
                   absl::StrCat("adapts the ", layer.part,
                                ", which this model does not have: the adapter is for another model"));
    const StoredTensor* target = nullptr;
    if (layer.flattened) {
      const auto& names = FlattenedNames(*part);
      if (const auto at = names.find(layer.name); at != names.end()) target = at->second;
    } else {
      target = part->weights->Find(layer.name + ".weight");
    }
    if (target != nullptr && target->dims.size() >= 2) return target;
    return Wrong(tensor,
                 absl::StrCat("adapts the layer \"", layer.name, "\", which ", part->weights->description(),
                              " does not have: the adapter is for another model"));
  }

  const std::map<std::string, const StoredTensor*>& FlattenedNames(const AdaptedPart& part) {
    auto& names = flattened_[part.name];
    if (!names.empty()) return names;
    for (const StoredTensor* tensor : part.weights->All()) {
      const std::string_view name = tensor->name, ending = ".weight";
      if (!name.ends_with(ending)) continue;
      const auto add = [&](std::string_view layer) {
        names.try_emplace(Flattened(layer.substr(0, layer.size() - ending.size())), tensor);
      };
      add(name);
      if (const auto other = part.other_name ? part.other_name(name) : std::nullopt) add(*other);
    }
    return names;
  }

  absl::StatusOr<std::vector<float>> Numbers(const StoredTensor& tensor) const {
    std::vector<float> values(static_cast<std::size_t>(tensor.elements()));
    if (absl::Status status = weights_.ReadRows(tensor.name, 0, 1, values); !status.ok()) return status;
    return values;
  }

  absl::StatusOr<LowRank> ReadLayer(const std::string& layer, const LayerTensors& tensors,
                                    const StoredTensor& target) const {
    if (tensors.down == nullptr || tensors.up == nullptr)
      return Wrong(AnyOf(tensors), absl::StrCat("stands alone: \"", layer, "\" has no ",
                                                tensors.down == nullptr ? "down (A)" : "up (B)", " matrix"));
    LowRank made;
    made.rows = target.dims[0];
    made.row = ProductFrom(target.dims, 1);
    made.taps = ProductFrom(target.dims, 2);
    if (absl::Status status = CheckShapes(tensors, target, made); !status.ok()) return status;
    absl::StatusOr<std::vector<float>> up = Numbers(*tensors.up), down = Numbers(*tensors.down);
    if (!up.ok()) return up.status();
    if (!down.ok()) return down.status();
    absl::StatusOr<double> scale = ScaleOf(tensors, made.rank);
    if (!scale.ok()) return scale.status();
    made.up = *std::move(up);
    for (float& value : made.up) value *= static_cast<float>(*scale);
    made.down = *std::move(down);
    if (tensors.mid != nullptr) {
      const absl::StatusOr<std::vector<float>> mid = Numbers(*tensors.mid);
      if (!mid.ok()) return mid.status();
      made.down = Widened(made, *mid);
    }
    if (tensors.lengths == nullptr) return made;
    absl::StatusOr<std::vector<float>> lengths = Numbers(*tensors.lengths);
    if (!lengths.ok()) return lengths.status();
    made.magnitude = *std::move(lengths);
    return made;
  }

  absl::Status CheckShapes(const LayerTensors& tensors, const StoredTensor& target, LowRank& made) const {
    const auto& down = tensors.down->dims;
    const auto& up = tensors.up->dims;
    const std::string whole =
        absl::StrCat("\"", target.name, "\" of this model has shape ", target.ShapeText());
    if (down.size() < 2 || down[0] < 1 || down[0] > kRankMax)
      return WrongShape(*tensors.down, absl::StrCat("expected: a rank of 1 to ", kRankMax, ", then inputs"));
    made.rank = down[0];
    const std::int64_t inputs = target.dims[1], taps = tensors.mid == nullptr ? made.taps : 1;
    bool same_kernel = ProductFrom(down, 2) == taps;
    for (std::size_t i = 2; taps > 1 && i < std::max(down.size(), target.dims.size()); ++i)
      same_kernel = same_kernel && i < down.size() && i < target.dims.size() && down[i] == target.dims[i];
    if (down[1] != inputs || !same_kernel)
      return WrongShape(*tensors.down, absl::StrCat(whole, ": the adapter is for another model"));
    if (up.size() < 2 || up[0] != made.rows || ProductFrom(up, 2) != 1)
      return WrongShape(*tensors.up, absl::StrCat(whole, ": the adapter is for another model"));
    if (up[1] != made.rank)
      return WrongShape(*tensors.up, absl::StrCat("the rank of \"", tensors.down->name, "\" is ", made.rank));
    if (tensors.mid != nullptr) {
      std::vector<std::int64_t> expected = {made.rank, made.rank};
      expected.insert(expected.end(), target.dims.begin() + 2, target.dims.end());
      if (tensors.mid->dims != expected)
        return WrongShape(*tensors.mid, absl::StrCat("the rank is ", made.rank, ", and ", whole));
    }
    return tensors.lengths == nullptr ? absl::OkStatus() : CheckLengths(tensors, target, made);
  }

  absl::Status CheckLengths(const LayerTensors& tensors, const StoredTensor& target, LowRank& made) const {
    const StoredTensor& lengths = *tensors.lengths;
    const std::int64_t count = lengths.elements(), inputs = target.dims[1];
    const bool first = !lengths.dims.empty() && lengths.dims[0] == count;
    const bool second = lengths.dims.size() >= 2 && lengths.dims[1] == count;
    if (count == made.rows && (first || tensors.lengths_of_rows)) {
      made.lengths = Lengths::kOfRows;
    } else if (count == inputs && second && !tensors.lengths_of_rows) {
      made.lengths = Lengths::kOfInputs;
    } else {
      return WrongShape(lengths, absl::StrCat("expected: a length for each of ", made.rows, " rows",
                                              tensors.lengths_of_rows ? "" : " or inputs"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<double> ScaleOf(const LayerTensors& tensors, std::int64_t rank) const {
    if (tensors.alpha == nullptr) return peft_scale_;
    if (tensors.alpha->elements() != 1) return WrongShape(*tensors.alpha, "alpha is one number");
    const absl::StatusOr<std::vector<float>> alpha = Numbers(*tensors.alpha);
    if (!alpha.ok()) return alpha.status();
    return static_cast<double>((*alpha)[0]) / static_cast<double>(rank);
  }

  // down to [rank][inputs][taps]: mid is a kernel between the two thin ones.
  static std::vector<float> Widened(const LowRank& made, const std::vector<float>& mid) {
    const auto rank = static_cast<std::size_t>(made.rank), taps = static_cast<std::size_t>(made.taps);
    const std::size_t row = static_cast<std::size_t>(made.row), inputs = row / taps;
    std::vector<float> wide(rank * row);
    for (std::size_t a = 0; a < rank; ++a)
      for (std::size_t b = 0; b < rank; ++b)
        for (std::size_t i = 0; i < inputs; ++i)
          for (std::size_t tap = 0; tap < taps; ++tap)
            wide[a * row + i * taps + tap] += mid[(a * rank + b) * taps + tap] * made.down[b * inputs + i];
    return wide;
  }

  const Weights& weights_;
  const std::filesystem::path& file_;
  const std::vector<AdaptedPart>& parts_;
  std::map<std::string, LayerTensors> layers_;  // as many as the file's tensors at most
  std::map<std::string, std::map<std::string, const StoredTensor*>> flattened_;
  double peft_scale_ = 1;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Adapter>> Adapter::Read(const Weights& weights,
                                                             const std::filesystem::path& file,
                                                             const std::vector<AdaptedPart>& parts) {
  auto read = AdapterReader(weights, file, parts).Read();
  if (!read.ok()) return read.status();
  const auto adapter = std::make_shared<Adapter>();
  adapter->parts_ = *std::move(read);
  for (const auto& [part, deltas] : adapter->parts_)
    for (const auto& [name, delta] : deltas) adapter->bytes_ += delta.bytes();
  return adapter;
}

const Adapter::Deltas& Adapter::Of(std::string_view part) const {
  static const Deltas kNothing;
  const auto at = parts_.find(part);
  return at == parts_.end() ? kNothing : at->second;
}

}  // namespace ringway::engine
