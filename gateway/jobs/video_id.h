// The name of a job, which says where it lives: any router can tell from it whom to ask.
//
//   video_<created, 8 hex><draw, 12 hex>_<check, 4 hex>_<owner>      video_6740c0de8f3a11b2c4d5_9e1f_eu-1
//
// The owner is the router that keeps the job. What is not a letter, a digit, '-' or '.' in its name stands
// as ~XX, so that an id is safe in a URL and as the name of a file. The check is a short hash of the rest: an
// id that was cut off or mistyped is known for what it is, and no other router is asked about it. It keeps
// nobody from making an id up. Ids sort by the second in which they were made.
//
// Pure. Threads: values. Complexity: linear in the text, at most kIdBytesMax.
#ifndef RINGWAY_GATEWAY_JOBS_VIDEO_ID_H_
#define RINGWAY_GATEWAY_JOBS_VIDEO_ID_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringway::gateway {

inline constexpr std::size_t kIdBytesMax = 1024;

struct VideoId {
  std::int64_t created_s = 0;  // since 1970; 32 bits
  std::uint64_t draw = 0;      // 48 random bits
  std::string owner = {};      // name of a router
  bool image = false;          // "image_" instead of "video_": nobody is given this one, but logs show it

  std::string Text() const;
  friend bool operator==(const VideoId&, const VideoId&) = default;
};

// Nothing: no id. For each id there is one text.
std::optional<VideoId> ParseVideoId(std::string_view text);
// Of an id that is one: the router that made it.
inline std::string OwnerOf(std::string_view id) {
  const auto parsed = ParseVideoId(id);
  return parsed ? parsed->owner : "";
}
// Of an id that is one.
inline bool IsImageId(std::string_view id) { return id.starts_with("image_"); }

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_VIDEO_ID_H_
