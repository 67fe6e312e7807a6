#include "controller/canary/choice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ringway::canary {

std::uint64_t PlaceInCanary(std::string_view canary, std::string_view router) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&hash](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash = (hash ^ 0xff) * 0x100000001b3;  // no name has this byte: where one ends, the other begins
  };
  mix(canary);
  mix(router);
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

std::vector<std::string> Choose(std::string_view canary, double share,
                                const std::vector<RouterPlace>& routers) {
  std::map<std::string, std::vector<std::pair<std::uint64_t, std::string>>> by_region;
  for (const RouterPlace& place : routers) {
    by_region[place.region].emplace_back(PlaceInCanary(canary, place.router), place.router);
  }
  std::vector<std::string> chosen;
  for (auto& [region, here] : by_region) {
    if (here.size() < 2) continue;
    std::sort(here.begin(), here.end());
    const auto wanted = static_cast<std::size_t>(std::llround(share * static_cast<double>(here.size())));
    const std::size_t count = std::clamp<std::size_t>(wanted, 1, here.size() - 1);
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(std::move(here[i].second));
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace ringway::canary
