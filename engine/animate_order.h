// An animation as people and programs order it: bytes of a photo, a prompt, and settings by name.
//
// The command line and the worker's backend read the same names, so that a job does the same wherever it
// runs:
//
//   seed    whole number, default 0          side    pixels of the film's longer side
//   steps   solver steps, 1 to 1000          fps     frames a second, 1 to 100, default the model's own
//   frames  1 to 480                         region  left,top,right,bottom in pixels, or in hundredths with %
//   format  gif, apng, webp, and mp4 where it was built in; default mp4, or gif in a build without it
//
// An unknown name is an error that lists these. Pure; any thread.
#ifndef RINGWAY_ENGINE_ANIMATE_ORDER_H_
#define RINGWAY_ENGINE_ANIMATE_ORDER_H_

#include <map>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "engine/media/encode.h"

namespace ringway::engine {

struct AnimateOrder {
  AnimateRequest request;
  AnimationFormat format = DefaultAnimationFormat();
};

// InvalidArgument names the setting, what was found and what is allowed, or what is wrong with the photo.
absl::StatusOr<AnimateOrder> ReadAnimateOrder(std::string_view photo, std::string_view prompt,
                                              const std::map<std::string, std::string>& settings);

// "image/gif" and its like.
std::string_view ContentTypeOf(AnimationFormat format);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_ANIMATE_ORDER_H_
