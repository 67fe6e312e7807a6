// A small sound topology whose parts a test replaces: two regions, one tier.
#ifndef RINGWAY_TESTS_TOPOLOGY_TEXTS_H_
#define RINGWAY_TESTS_TOPOLOGY_TEXTS_H_

#include <string>
#include <string_view>

namespace ringway {

inline constexpr std::string_view kWorldText = R"(
apiVersion: ringway/v1
kind: World
metadata: {name: small}
spec:
  regions:
    - name: paris
      title: Paris
      coordinates: {latitudeDeg: 48.8566, longitudeDeg: 2.3522}
      utcOffset: "+01:00"
      populationShare: 0.25
    - name: new-york
      coordinates: {latitudeDeg: 40.7128, longitudeDeg: -74.0060}
      utcOffset: "-05:00"
      populationShare: 0.75
)";

inline constexpr std::string_view kTierText = R"(
---
apiVersion: ringway/v1
kind: Tier
metadata: {name: animate}
spec:
  metrics: [{name: busy, capacityPer: worker}]
  regions:
    - {region: paris, workers: 4}
)";

inline std::string Text(std::string_view a, std::string_view b = "") { return std::string(a).append(b); }

// The text with one piece exchanged; the piece must be there.
inline std::string Edited(std::string text, std::string_view piece, std::string_view by) {
  const std::size_t at = text.find(piece);
  if (at == std::string::npos) return "the test's piece is not in the text";
  return text.replace(at, piece.size(), by);
}

}  // namespace ringway

#endif  // RINGWAY_TESTS_TOPOLOGY_TEXTS_H_
