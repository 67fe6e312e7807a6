#include "engine/pipelines/motion_part.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ringway::engine {
namespace {

constexpr char kAdapterClass[] = "MotionAdapter";

// Both checkpoints on their own first, so that what is wrong is said of the file that has it.
absl::StatusOr<Weights> CheckedAdapter(const Component& component, const MotionAdapterConfig& config) {
  absl::StatusOr<Weights> weights = Weights::OpenComponent(component.directory);
  if (!weights.ok()) return weights;
  StoredWeights source(*weights);
  if (const Graph graph = BuildMotionModules(config, source); !graph.status().ok()) return graph.status();
  if (absl::Status all = RefuseUntaken(component, *weights); !all.ok()) return all;
  return weights;
}

absl::StatusOr<ComponentWeights> CheckedUNet(const PipelineContext& context, const SdUNetConfig& config) {
  const Component& unet = *context.model.Find("unet");
  absl::StatusOr<ComponentWeights> weights = context.open->WeightsOf(unet);
  if (!weights.ok()) return weights;
  const Graph graph = BuildSdUNet(config, *weights->source, {}, /*tokens=*/1);
  if (!graph.status().ok()) return graph.status();
  if (absl::Status all = RefuseUntaken(unet, weights->source->stored()); !all.ok()) return all;
  return weights;
}

}  // namespace

absl::StatusOr<MotionPart::Adapter> MotionPart::ReadAdapter(const SdUNetConfig& unet,
                                                            const std::string& path) {
  Adapter adapter{{kMotionName, "diffusers", kAdapterClass, path}, {}, {}};
  std::error_code error;
  if (std::filesystem::is_regular_file(adapter.component.directory, error))
    adapter.component.directory = adapter.component.directory.parent_path();
  absl::StatusOr<Config> config = ReadComponentConfig(adapter.component);
  if (!config.ok()) return config.status();
  if (config->Text("_class_name", "") != kAdapterClass) config->Refuse("_class_name", kAdapterClass);
  adapter.file = config->what();
  absl::StatusOr<MotionAdapterConfig> read = ReadMotionAdapterConfig(*std::move(config));
  if (!read.ok()) return read.status();
  adapter.config = *std::move(read);
  if (absl::Status fits = CheckMotionFits(adapter.config, unet.layout, adapter.file); !fits.ok()) return fits;
  return adapter;
}

absl::Status MotionPart::Open(const PipelineContext& context, const SdUNetConfig& unet,
                              const std::string& path) {
  if (part_ && path == path_) return absl::OkStatus();
  absl::StatusOr<Adapter> adapter = ReadAdapter(unet, path);
  if (!adapter.ok()) return adapter.status();
  const absl::StatusOr<Weights> weights = CheckedAdapter(adapter->component, adapter->config);
  if (!weights.ok()) return weights.status();
  const absl::StatusOr<ComponentWeights> pictures = CheckedUNet(context, unet);
  if (!pictures.ok()) return pictures.status();
  absl::StatusOr<Weights> joined = pictures->source->stored().Joined(*weights);
  if (!joined.ok()) return joined.status();
  if (part_) context.open->Forget(adapter_.component.directory);
  const auto source = std::make_shared<StoredWeights>(*std::move(joined));
  const auto set = std::make_shared<WeightSet>(pictures->set, source, IsMotionTensor, WeightSet::Over::kAdds);
  path_ = path;
  adapter_ = *std::move(adapter);
  context.open->Add(adapter_.component.directory, {source, set});
  // To adapters of other kinds, LoRA, it is the UNet.
  part_.emplace(Component{"unet", "diffusers", "UNetMotionModel", adapter_.component.directory});
  return absl::OkStatus();
}

absl::StatusOr<std::int64_t> MotionPart::FramesOf(int wanted) const {
  const std::int64_t most = adapter_.config.positions;
  if (wanted == 0) return std::min(kFramesUsual, most);
  if (wanted >= 1 && wanted <= most) return wanted;
  return absl::InvalidArgumentError(absl::StrCat(adapter_.file, ": \"motion_max_seq_length\" is ", most,
                                                 ", so a film has 1 to ", most, " frames; ", wanted,
                                                 " were asked for"));
}

absl::Status MotionPart::Prepare(const PipelineContext& context, const SdUNetConfig& unet,
                                 const PictureSize& size, std::int64_t frames, std::int64_t tokens,
                                 const AdapterChoices& adapters) {
  return part_->Prepare(
      context, {size.height, size.width, size.count * (adapter_.config.positions + 1) + frames}, {},
      [&](WeightSource& source) {
        return BuildMotionUNet(unet, adapter_.config, source, size, frames, tokens);
      },
      adapters);
}

}  // namespace ringway::engine
