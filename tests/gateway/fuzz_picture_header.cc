// The first bytes of what strangers send as a picture: read without a fault, and never more than they say.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/check.h"
#include "gateway/jobs/picture_header.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using ringway::gateway::PictureHeader;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const PictureHeader header = ringway::gateway::ReadPictureHeader(text);
  RINGWAY_CHECK((header.width == 0) == (header.height == 0));
  RINGWAY_CHECK(!header.type.empty() || header.width == 0);
  // More bytes behind a header that was whole change nothing.
  if (header.width > 0) {
    const PictureHeader again = ringway::gateway::ReadPictureHeader(std::string(text) + "more");
    RINGWAY_CHECK(again.width == header.width && again.height == header.height);
  }
  return 0;
}
