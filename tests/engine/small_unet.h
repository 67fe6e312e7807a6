// A video UNet small enough to run hundreds of times, with everything a large one has: two levels, the lower
// of which attends, text, and time.
//
// The inputs of a run are hashes of their names, so two runs differ only by their weights.
#ifndef RINGWAY_TESTS_ENGINE_SMALL_UNET_H_
#define RINGWAY_TESTS_ENGINE_SMALL_UNET_H_

#include <vector>

#include "engine/networks/unet_svd.h"
#include "engine/plan/plan.h"
#include "tests/engine/hash_weights.h"

namespace ringway::engine {

inline UNetLayout SmallLayout(std::vector<std::int64_t> channels = {32, 64}) {
  UNetLayout layout;
  layout.channels = std::move(channels);
  layout.layers = 1;
  layout.heads = {2, 4};
  layout.transformer_layers = {1, 1};
  layout.context_channels = 24;
  layout.down_attends = {false, true};
  layout.up_attends = {true, false};
  return layout;
}

inline Graph SmallVideoUNet(WeightSource& weights, const ClipSize& size, std::int64_t tokens = 5) {
  SvdUNetConfig config;
  config.layout = SmallLayout();
  return BuildSvdUNet(config, weights, size, tokens);
}

inline std::vector<float> RunVideoUNet(Plan& plan) {
  FillHashed("sample", plan.Input("sample"));
  FillHashed("context", plan.Input("context"));
  FillHashed("added", plan.Input("added"), 50.0f);
  plan.Input("time")[0] = 0.7f;
  plan.Run();
  return {plan.Output("prediction").begin(), plan.Output("prediction").end()};
}

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_SMALL_UNET_H_
