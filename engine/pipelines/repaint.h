// Drawing a part of a picture anew: what a mask means for pixels and for latents.
//
// White is drawn anew, black stays. A UNet for pictures is held to the photo by its latents: after each step
// what stays is replaced by the photo's latents, noised to the level that the step has come to (as diffusers'
// inpainting does with such UNets; Lugmayr et al., arXiv:2201.09865, without its resampling). A UNet for
// inpainting sees the mask and the latents of the photo without what is drawn anew, as more channels of its
// input. At the end the photo's own pixels are laid over what stays, so they come out as they went in.
//
// Pure; one thread. O(pixels).
#ifndef RINGWAY_ENGINE_PIPELINES_REPAINT_H_
#define RINGWAY_ENGINE_PIPELINES_REPAINT_H_

#include <functional>
#include <span>
#include <vector>

#include "engine/media/picture.h"
#include "engine/sampler/step_weights.h"

namespace ringway::engine {

class Repaint {
 public:
  struct Size {
    int width = 0, height = 0;  // of the picture
    int scale = 8;              // of a latent's side
    int channels = 4;           // of a latent
  };
  Repaint(const Picture& mask, const Size& size);

  // The photo, -1 to 1, without what is drawn anew: there it is grey.
  std::vector<float> Masked(std::span<const float> photo) const;
  // What the UNet for inpainting reads behind the latents, by latent: the mask, and the masked photo's
  // latents.
  std::vector<float> Told(std::span<const float> masked_latents) const;
  // Latents that stay, at this level of noise.
  void Hold(std::span<const float> photo_latents, std::span<const float> noise, const NoiseLevel& level,
            std::span<float> x) const;
  // Lays the photo over what stays.
  void LayOver(const std::vector<float>& photo, Picture& drawn) const;

 private:
  Size size_;
  std::vector<float> pixels_;   // 1: is drawn anew
  std::vector<float> latents_;  // the mean of each latent's pixels
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_REPAINT_H_
