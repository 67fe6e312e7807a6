// Which pictures go with a job, as far as workers have said: whether one is needed, of which types, how
// large.
//
// A worker announces the terms of its model, so that whoever takes a job can refuse a wrong or missing
// picture before any worker is asked. What nobody said is not refused: a server behind a worker may take more
// than is known here, and decides itself. Terms of several workers of a tier are joined to what some worker
// of them takes, because any of them may get the job.
//
// Bounds: kTypesMax types. Pure. Threads: values.
#ifndef RINGWAY_CORE_PICTURE_TERMS_H_
#define RINGWAY_CORE_PICTURE_TERMS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ringway {

enum class PictureNeed : std::uint8_t { kUnsaid, kNone, kOptional, kRequired };

struct PictureTerms {
  static constexpr std::size_t kTypesMax = 16;

  PictureNeed need = PictureNeed::kUnsaid;
  std::uint64_t pixels_max = 0;         // 0: not said
  std::vector<std::string> types = {};  // media types, as "image/png"; none: not said

  // Joins what another worker says.
  void Join(const PictureTerms& other) {
    const bool unsaid = need == PictureNeed::kUnsaid || other.need == PictureNeed::kUnsaid;
    if (unsaid) {
      need = PictureNeed::kUnsaid;
    } else if (need != other.need) {
      need = PictureNeed::kOptional;
    }
    const bool bounded = pixels_max != 0 && other.pixels_max != 0;
    pixels_max = bounded ? std::max(pixels_max, other.pixels_max) : 0;
    if (types.empty() || other.types.empty()) return types.clear();
    for (const std::string& type : other.types) {
      const bool known = std::find(types.begin(), types.end(), type) != types.end();
      if (!known && types.size() < kTypesMax) types.push_back(type);
    }
  }
  friend bool operator==(const PictureTerms&, const PictureTerms&) = default;
};

}  // namespace ringway

#endif  // RINGWAY_CORE_PICTURE_TERMS_H_
