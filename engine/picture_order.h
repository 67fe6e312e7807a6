// A still picture as programs order it: bytes of pictures, a prompt, and settings by name.
//
//   negative_prompt (negative)        what should not be there
//   seed       whole number           steps (num_inference_steps)   1 to 1000
//   size       WIDTHxHEIGHT           guidance (guidance_scale)     0 to 100
//   scheduler  a name                 clip_skip                     layers left out of the text encoder
//   strength   with an image          how far from it, above 0, to 1
//   lora       NAME or NAME:STRENGTH, several with commas between them: adapters that the operator registered
//   control    NAME of a control network that the operator registered, with the picture "control";
//              control_strength, control_start and control_end: how much of it, and on which part of the way
//   pictures   what the payload holds, "image=1234,mask=567" in bytes; without it all of it is the image
//
// The picture "mask" is white, or transparent, where the image is to be drawn anew. Learnt words that the
// operator registered work wherever a prompt holds them.
//
// An unknown name is an error that lists these, and so is a setting that would have no effect: nothing of an
// order is left out in silence. Files are opened by registered names alone, so an order reaches no other file
// of the machine. DrawnTexts is what is written beside the pixels, so that a picture says how it was made.
// Pure; any thread. Bounds: kPicturesMax pictures; the rest is the engine's.
#ifndef RINGWAY_ENGINE_PICTURE_ORDER_H_
#define RINGWAY_ENGINE_PICTURE_ORDER_H_

#include <map>
#include <string>
#include <string_view>

#include "engine/media/encode.h"
#include "engine/picture_engine.h"

namespace ringway::engine {

// What an operator registered: names that orders may use, and the files behind them.
struct PictureFiles {
  std::map<std::string, std::string> adapters = {};
  std::map<std::string, std::string> controls = {};  // directories
  std::map<std::string, std::string> words = {};     // learnt ones
};

// InvalidArgument names the setting, what was found and what is allowed, or what is wrong with a picture.
absl::StatusOr<PictureRequest> ReadPictureOrder(std::string_view payload, std::string_view prompt,
                                                const std::map<std::string, std::string>& settings,
                                                const PictureFiles& files);

// "NAME" or "NAME:STRENGTH". Nothing: what follows the last colon is no number.
struct NamedStrength {
  std::string name;
  double strength = 1;
};
NamedStrength SplitStrength(const std::string& text);

// `software`, `model` and `start` (of the picture to start from) are names for people.
PngTexts DrawnTexts(const PictureRequest& request, const DrawnPicture& drawn, const std::string& software,
                    const std::string& model, const std::string& start);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PICTURE_ORDER_H_
