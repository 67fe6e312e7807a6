#include "gateway/jobs/picture_check.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "gateway/jobs/field_error.h"

namespace ringway::gateway {
namespace {

// "PNG, JPEG and WebP are read"
std::string ReadTypes(const PictureTerms& terms) {
  std::string text;
  for (std::size_t i = 0; i < terms.types.size(); ++i) {
    const char* const before = i == 0 ? "" : i + 1 == terms.types.size() ? " and " : ", ";
    absl::StrAppend(&text, before, AbslView(PictureTypeName(terms.types[i])));
  }
  return absl::StrCat(text, terms.types.size() == 1 ? " is read" : " are read");
}

absl::Status CheckHeader(const GivenPicture& given, const PictureTerms& terms) {
  const PictureHeader& header = given.header;
  const auto refused = [&given](const std::string& words) {
    return FieldError(given.field, absl::StrCat(given.field, ": ", words));
  };
  if (header.type.empty()) {
    return terms.types.empty() ? absl::OkStatus()
                               : refused(absl::StrCat("this is no picture; ", ReadTypes(terms)));
  }
  const std::string name(PictureTypeName(header.type));
  if (!terms.types.empty() && std::ranges::find(terms.types, header.type) == terms.types.end())
    return refused(absl::StrCat("this is a ", name, " picture; ", ReadTypes(terms)));
  if (terms.pixels_max == 0) return absl::OkStatus();
  if (header.pixels() == 0) return refused(absl::StrCat("the header of this ", name, " picture is damaged"));
  if (header.pixels() <= terms.pixels_max) return absl::OkStatus();
  return refused(absl::StrCat("this picture has ", header.width, " x ", header.height,
                              " pixels; allowed are at most ", terms.pixels_max, " together"));
}

// What an order without a picture lacks. A call that draws from words alone has no field for one.
absl::Status Missing(const VideoOrder& order) {
  if (order.images == 0) {
    return FieldError(
        "input_reference",
        "input_reference is missing, and this model animates a picture; allowed: a picture as a "
        "file, base64 or a data URL");
  }
  return FieldError("model",
                    absl::StrCat("model '", order.model,
                                 "' needs a picture; allowed: POST /v1/images/edits, or POST /v1/videos "
                                 "with input_reference"));
}

}  // namespace

absl::Status CheckPictures(const VideoOrder& order, const PictureTerms& terms) {
  if (order.pictures.empty()) {
    return terms.need == PictureNeed::kRequired ? Missing(order) : absl::OkStatus();
  }
  if (terms.need == PictureNeed::kNone) {
    const std::string& field = order.pictures.front().field;
    return FieldError(field, absl::StrCat(field, " is given, and this model takes no picture; leave it out"));
  }
  for (const GivenPicture& given : order.pictures) {
    if (absl::Status fits = CheckHeader(given, terms); !fits.ok()) return fits;
  }
  return absl::OkStatus();
}

}  // namespace ringway::gateway
