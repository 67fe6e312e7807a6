// Control networks (Zhang et al., arXiv:2302.05543) beside a pipeline's UNet: which are open, and what they
// add to it at a step.
//
// A network is a directory in diffusers' layout (ControlNetModel) of the same widths as the UNet; it is
// opened when a request names it for the first time, and kept, kNetworksMax of them, the longest unused first
// out. What it makes of its picture is computed once a request and not at every step. At a step the networks
// whose window holds it run, and what they say, times their strengths, adds up in the inputs of the UNet's
// controlled plan. A step that none of them has runs the plain plan, as if there were none: off costs
// nothing. Nor does a network cost anything that no step has: it is opened, so that a wrong one is told, and
// neither frozen nor shown its picture. Both plans stay, so on, off and other windows freeze nothing.
//
// One thread at a time. Errors: InvalidArgument that names the network's file and field or tensor.
#ifndef RINGWAY_ENGINE_PIPELINES_CONTROL_PARTS_H_
#define RINGWAY_ENGINE_PIPELINES_CONTROL_PARTS_H_

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "engine/networks/unet_sd.h"
#include "engine/pipelines/frozen_part.h"

namespace ringway::engine {

class ControlParts {
 public:
  static constexpr std::size_t kNetworksMax = 4;  // open, and of one request

  // Opens what the request names, freezes what some of so many steps has for the size, and shows it its
  // pictures. `size.count`: pictures that the UNet draws at once.
  absl::Status Prepare(const PipelineContext& context, const SdUNetConfig& unet,
                       const std::vector<ControlRequest>& requests, const PictureSize& size,
                       std::int64_t tokens, int steps);
  // Of the step between these shares of the whole way.
  bool Active(double from, double to) const;
  // Whether some step of so many has one, or has none.
  bool Ever(int steps) const;
  bool Always(int steps) const;
  // What the networks are told: the inputs of the UNet's plan that do not change.
  void Tell(Plan& unet);
  // After Prepare: the networks' plans, and at how many of so many steps each runs.
  std::vector<std::pair<Plan*, int>> Plans(int steps);
  // Runs the active networks on the UNet's inputs and writes its control inputs.
  void Run(Plan& unet, double from, double to);

 private:
  struct Network {
    std::string path;
    Component component;
    ControlNetConfig config;
    FrozenPart condition, net;
  };
  struct Use {
    Network* network = nullptr;
    double strength = 1, begin = 0, end = 1;
    std::vector<float> condition;

    bool Active(double from, double to) const { return strength != 0 && from >= begin && to <= end; }
    // At how many of so many steps.
    int Runs(int steps) const;
  };
  absl::StatusOr<Network*> Open(const PipelineContext& context, const SdUNetConfig& unet,
                                const std::string& path);
  absl::Status Show(const PipelineContext& context, const ControlRequest& request, const PictureSize& size,
                    Use& use);
  void MakeRoom(const PipelineContext& context);

  std::list<Network> open_;  // the longest unused first
  std::vector<Use> uses_;    // of the request
  std::size_t outputs_ = 0;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_CONTROL_PARTS_H_
