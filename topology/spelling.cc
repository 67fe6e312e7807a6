#include "topology/spelling.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace ringway {
namespace {

constexpr std::size_t kWordMax = 64;
using Line = std::array<int, kWordMax + 1>;

}  // namespace

int SpellingDistance(std::string_view a, std::string_view b) {
  a = a.substr(0, kWordMax);
  b = b.substr(0, kWordMax);
  Line before_last{}, last{}, line{};
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  const auto same = [](char x, char y) { return absl::ascii_tolower(x) == absl::ascii_tolower(y); };
  for (std::size_t i = 1; i <= a.size(); ++i) {
    line[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      line[j] = std::min({last[j] + 1, line[j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) line[j] = std::min(line[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = line;
  }
  return last[b.size()];
}

std::string_view NearestWord(std::string_view word, const std::vector<std::string_view>& known) {
  std::string_view best;
  int best_distance = 4;
  for (const std::string_view candidate : known) {
    const int allowed = std::clamp(static_cast<int>(candidate.size()) / 3, 1, 3);
    const int distance = SpellingDistance(word, candidate);
    if (distance <= allowed && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string DidYouMean(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string_view near = NearestWord(word, known);
  if (near.empty()) return "";
  return absl::StrCat("did you mean \"", absl::string_view(near.data(), near.size()), "\"?");
}

}  // namespace ringway
