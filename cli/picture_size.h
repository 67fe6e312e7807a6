// The size of a picture as people write it: "512x768", or "512" for a square.
//
// Both commands that draw with a model read it here, so that they take the same. Empty: the model's own size,
// and the request is left as it is. Whether a model draws a size is the engine's question.
//
// Pure; any thread.
#ifndef RINGWAY_CLI_PICTURE_SIZE_H_
#define RINGWAY_CLI_PICTURE_SIZE_H_

#include <string>

#include "engine/picture_engine.h"

namespace ringway::cli {

// Errors: InvalidArgument that shows what was found and what is allowed.
absl::Status ReadPictureSize(const std::string& text, engine::PictureRequest& request);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_PICTURE_SIZE_H_
