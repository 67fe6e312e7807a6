// A motion adapter (AnimateDiff, networks/motion_modules.h) beside a pipeline's UNet: the plan that draws the
// frames of a film at once.
//
// An adapter is a directory in diffusers' layout (MotionAdapter) for the UNet's widths. It is opened and
// checked when a request names it for the first time; the newest stays, another one takes its place. Its
// weights are an addition to the UNet's set: the UNet's own are packed once for pictures and films, and with
// a LoRA the overlay lies over both. A request without an adapter runs the plans that it ran before, and sees
// nothing of it.
//
// One thread at a time. Errors: InvalidArgument or NotFound that names the adapter's file and field or
// tensor.
#ifndef RINGWAY_ENGINE_PIPELINES_MOTION_PART_H_
#define RINGWAY_ENGINE_PIPELINES_MOTION_PART_H_

#include <optional>
#include <string>

#include "engine/networks/unet_sd.h"
#include "engine/pipelines/frozen_part.h"

namespace ringway::engine {

class MotionPart {
 public:
  static constexpr std::int64_t kFramesUsual = 16;  // what the released adapters were trained with

  absl::Status Open(const PipelineContext& context, const SdUNetConfig& unet, const std::string& path);
  // After Open. How many frames a film of `wanted` has; 0 wanted: kFramesUsual, or as many as there are
  // positions.
  absl::StatusOr<std::int64_t> FramesOf(int wanted) const;
  // `size.count`: clips drawn at once.
  absl::Status Prepare(const PipelineContext& context, const SdUNetConfig& unet, const PictureSize& size,
                       std::int64_t frames, std::int64_t tokens, const AdapterChoices& adapters);
  // After Prepare.
  Plan& plan() { return part_->plan(); }

 private:
  struct Adapter {
    Component component;
    std::string file;  // its configuration, for messages
    MotionAdapterConfig config;
  };
  static absl::StatusOr<Adapter> ReadAdapter(const SdUNetConfig& unet, const std::string& path);

  std::string path_;  // of what is open
  Adapter adapter_;
  std::optional<FrozenPart> part_;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_MOTION_PART_H_
