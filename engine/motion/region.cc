#include "engine/motion/region.h"

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace ringway::engine {
namespace {

constexpr double kBorderSlack = 1e-9;  // of the picture: rounding of 100 %
constexpr double kMargin = 0.125;      // of the shorter side

float SmoothStep(double from, double to, double x) {
  const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return static_cast<float>(t * t * (3 - 2 * t));
}

double MarginOf(const Region& r) { return kMargin / 2 * std::min(r.right - r.left, r.bottom - r.top); }

// Up at `low`, down at `high`; a side at the photo's own border has no edge.
float Between(double low, double high, double margin, double x) {
  const float up = low <= 0 ? 1.0f : SmoothStep(low - margin, low + margin, x);
  const float down = high >= 1 ? 0.0f : SmoothStep(high - margin, high + margin, x);
  return up * (1.0f - down);
}

double Overlap(double low, double high, int cell, int side) {
  return std::max(0.0, std::min(high * side, cell + 1.0) - std::max(low * side, static_cast<double>(cell)));
}

}  // namespace

absl::Status CheckRegion(const Region& r) {
  const bool inside = r.left >= 0 && r.top >= 0 && r.right <= 1 && r.bottom <= 1;
  if (inside && r.right - r.left >= 0.02 && r.bottom - r.top >= 0.02) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("region from ", r.left, ",", r.top, " to ", r.right, ",", r.bottom,
                   " of the photo; it must lie inside and be at least a fiftieth wide and high"));
}

absl::StatusOr<Region> ParseRegion(std::string_view text, int width, int height) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(absl::string_view(text.data(), text.size()), ',');
  const absl::Status wrong = absl::InvalidArgumentError(absl::StrCat(
      "region \"", absl::string_view(text.data(), std::min<std::size_t>(text.size(), 100)),
      "\"; allowed: left,top,right,bottom in pixels, or in hundredths with % behind each number"));
  if (parts.size() != 4) return wrong;
  double sides[4];
  for (std::size_t i = 0; i < 4; ++i) {
    absl::string_view part = parts[i];
    const bool percent = !part.empty() && part.back() == '%';
    if (percent) part.remove_suffix(1);
    if (!absl::SimpleAtod(part, &sides[i]) || !(sides[i] >= 0 && sides[i] <= 1e6)) return wrong;
    sides[i] /= percent ? 100.0 : (i % 2 == 0 ? width : height);
  }
  for (const double side : sides) {
    if (side <= 1 + kBorderSlack) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("region \"", absl::string_view(text.data(), std::min<std::size_t>(text.size(), 100)),
                     "\" goes beyond the picture, which is ", width, " x ", height,
                     " pixels; allowed: left,top,right,bottom up to ", width, ",", height, ",", width, ",",
                     height, " or 100%,100%,100%,100%"));
  }
  const Region region{sides[0], sides[1], std::min(sides[2], 1.0), std::min(sides[3], 1.0)};
  if (absl::Status status = CheckRegion(region); !status.ok()) return status;
  return region;
}

float Coverage(const Region& r, int x, int y, int side) {
  return static_cast<float>(Overlap(r.left, r.right, x, side) * Overlap(r.top, r.bottom, y, side));
}

float SoftX(const Region& r, float x) { return Between(r.left, r.right, MarginOf(r), x); }
float SoftY(const Region& r, float y) { return Between(r.top, r.bottom, MarginOf(r), y); }

}  // namespace ringway::engine
