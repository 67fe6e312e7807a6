#include "engine/pipelines/control_parts.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/media/resize.h"

namespace ringway::engine {
namespace {

constexpr double kControlStrengthMax = 10;
// A window's end falls between steps; sums of shares of steps are not exact.
constexpr double kShareSlack = 1e-9;
constexpr char kOfCondition[] = "controlnet_cond_embedding.";

std::string WidthsOf(const SdUNetConfig& config) {
  const UNetLayout& layout = config.layout;
  std::string widths =
      absl::StrCat("widths ", absl::StrJoin(layout.channels, ", "), " of ", layout.layers, " layers, heads ",
                   absl::StrJoin(layout.heads, ", "), " and a context of ", layout.context_channels);
  if (config.xl())
    absl::StrAppend(&widths, ", told a summary of ", config.summary_channels, " and sizes of ",
                    config.size_channels);
  return widths;
}

bool Fit(const SdUNetConfig& control, const SdUNetConfig& unet) {
  const UNetLayout &a = control.layout, &b = unet.layout;
  return a.channels == b.channels && a.layers == b.layers && a.down_attends == b.down_attends &&
         a.transformer_layers == b.transformer_layers && a.context_channels == b.context_channels &&
         control.size_channels == unet.size_channels && control.summary_channels == unet.summary_channels;
}

absl::Status CheckUse(const ControlRequest& request) {
  if (!(std::abs(request.strength) <= kControlStrengthMax))
    return absl::InvalidArgumentError(absl::StrCat("the control's strength is ", request.strength,
                                                   "; allowed are ", -kControlStrengthMax, " to ",
                                                   kControlStrengthMax));
  if (!(request.begin >= 0 && request.begin < request.end && request.end <= 1))
    return absl::InvalidArgumentError(absl::StrCat("the control's window is ", request.begin, " to ",
                                                   request.end, "; allowed: a part of 0 to 1"));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ControlParts::Network*> ControlParts::Open(const PipelineContext& context,
                                                          const SdUNetConfig& unet, const std::string& path) {
  const auto at = std::ranges::find(open_, path, &Network::path);
  if (at != open_.end()) {
    open_.splice(open_.end(), open_, at);
    return &open_.back();
  }
  Component component{kControlName, "diffusers", "ControlNetModel", path};
  std::error_code error;
  if (std::filesystem::is_regular_file(component.directory, error))
    component.directory = component.directory.parent_path();
  absl::StatusOr<Config> config = ReadComponentConfig(component);
  if (!config.ok()) return config.status();
  if (config->Text("_class_name", "ControlNetModel") != "ControlNetModel")
    config->Refuse("_class_name", "ControlNetModel");
  const std::string file = config->what();
  const absl::StatusOr<ControlNetConfig> read = ReadControlNetConfig(*std::move(config));
  if (!read.ok()) return read.status();
  if (read->unet.layout.in_channels != unet.layout.out_channels || !Fit(read->unet, unet))
    return absl::InvalidArgumentError(absl::StrCat(file, ": is a control network for ", WidthsOf(read->unet),
                                                   ", but the model's UNet has ", WidthsOf(unet),
                                                   ": they are of different models"));
  MakeRoom(context);
  open_.push_back({path, component, *read, FrozenPart(component), FrozenPart(component)});
  return &open_.back();
}

// Those of the request in hand are the last of the list, and no more than kNetworksMax.
void ControlParts::MakeRoom(const PipelineContext& context) {
  while (open_.size() >= kNetworksMax) {
    context.open->Forget(open_.front().component.directory);
    open_.pop_front();
  }
}

absl::Status ControlParts::Show(const PipelineContext& context, const ControlRequest& request,
                                const PictureSize& size, Use& use) {
  Network& network = *use.network;
  absl::Status status = network.condition.Prepare(
      context, {size.height, size.width},
      {"conv_in.", "time_embedding.", "add_embedding.", "down_blocks.", "mid_block.",
       "controlnet_down_blocks.", "controlnet_mid_block."},
      [&](WeightSource& source) {
        return BuildControlCondition(network.config, source, size.height, size.width);
      });
  if (!status.ok()) return status;
  Plan& plan = network.condition.plan();
  const auto input = plan.Input("picture");
  const std::vector<float> picture =
      ResizeToFloats(request.picture, static_cast<int>(8 * size.width), static_cast<int>(8 * size.height));
  std::ranges::transform(picture, input.begin(), [](float x) { return x / 255.0f; });
  plan.Run();
  const auto condition = plan.Output("condition");
  use.condition.assign(condition.begin(), condition.end());
  return absl::OkStatus();
}

absl::Status ControlParts::Prepare(const PipelineContext& context, const SdUNetConfig& unet,
                                   const std::vector<ControlRequest>& requests, const PictureSize& size,
                                   std::int64_t tokens, int steps) {
  uses_.clear();
  outputs_ = SkipCount(unet.layout) + 1;
  if (requests.size() > kNetworksMax)
    return absl::InvalidArgumentError(
        absl::StrCat(requests.size(), " controls are named; at most ", kNetworksMax, " are allowed"));
  std::vector<Use> uses;
  for (const ControlRequest& request : requests) {
    if (absl::Status status = CheckUse(request); !status.ok()) return status;
    const absl::StatusOr<Network*> network = Open(context, unet, request.network);
    if (!network.ok()) return network.status();
    Use use{*network, request.strength, request.begin, request.end, {}};
    if (use.Runs(steps) == 0) continue;
    absl::Status status = Show(context, request, size, use);
    if (status.ok())
      status = (*network)->net.Prepare(
          context, {size.height, size.width, size.count}, {kOfCondition},
          [&](WeightSource& source) { return BuildControlNet((*network)->config, source, size, tokens); });
    if (!status.ok()) return status;
    uses.push_back(std::move(use));
  }
  uses_ = std::move(uses);
  return absl::OkStatus();
}

int ControlParts::Use::Runs(int steps) const {
  int runs = 0;
  for (int step = 0; step < steps; ++step)
    runs += Active(static_cast<double>(step) / steps + kShareSlack, (step + 1.0) / steps - kShareSlack);
  return runs;
}

bool ControlParts::Active(double from, double to) const {
  return std::ranges::any_of(
      uses_, [&](const Use& use) { return use.Active(from + kShareSlack, to - kShareSlack); });
}

bool ControlParts::Ever(int steps) const {
  for (int step = 0; step < steps; ++step)
    if (Active(static_cast<double>(step) / steps, (step + 1.0) / steps)) return true;
  return false;
}

bool ControlParts::Always(int steps) const {
  for (int step = 0; step < steps; ++step)
    if (!Active(static_cast<double>(step) / steps, (step + 1.0) / steps)) return false;
  return true;
}

std::vector<std::pair<Plan*, int>> ControlParts::Plans(int steps) {
  std::vector<std::pair<Plan*, int>> plans;
  for (Use& use : uses_) plans.emplace_back(&use.network->net.plan(), use.Runs(steps));
  return plans;
}

void ControlParts::Tell(Plan& unet) {
  for (Use& use : uses_)
    for (const char* name : {"context", "summary", "sizes"})
      std::ranges::copy(unet.Input(name), use.network->net.plan().Input(name).begin());
}

void ControlParts::Run(Plan& unet, double from, double to) {
  for (std::size_t i = 0; i < outputs_; ++i) std::ranges::fill(unet.Input(ControlInput(i)), 0.0f);
  for (Use& use : uses_) {
    if (!use.Active(from + kShareSlack, to - kShareSlack)) continue;
    Plan& net = use.network->net.plan();
    for (const char* name : {"sample", "time"}) std::ranges::copy(unet.Input(name), net.Input(name).begin());
    // One network may be used twice, with two pictures.
    const auto condition = net.Input("condition");
    for (std::size_t at = 0; at < condition.size(); at += use.condition.size())
      std::ranges::copy(use.condition, condition.begin() + static_cast<std::ptrdiff_t>(at));
    net.Run();
    for (std::size_t i = 0; i < outputs_; ++i) {
      const std::string name = ControlInput(i);
      const auto said = net.Output(name);
      const auto sum = unet.Input(name);
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += static_cast<float>(use.strength) * said[k];
    }
  }
}

}  // namespace ringway::engine
