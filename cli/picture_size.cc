#include "cli/picture_size.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace ringway::cli {

absl::Status ReadPictureSize(const std::string& text, engine::PictureRequest& request) {
  if (text.empty()) return absl::OkStatus();
  const std::vector<std::string> sides = absl::StrSplit(text, 'x');
  const bool two = sides.size() == 2;
  if (sides.size() > 2 || !absl::SimpleAtoi(sides.front(), &request.width) ||
      !absl::SimpleAtoi(sides.back(), &request.height) || request.width < 1 || request.height < 1 ||
      (!two && sides.size() != 1))
    return absl::InvalidArgumentError(absl::StrCat(
        "--size is \"", text.substr(0, 100), "\"; allowed: WIDTHxHEIGHT or SIDE, in pixels, as 512x768"));
  return absl::OkStatus();
}

}  // namespace ringway::cli
