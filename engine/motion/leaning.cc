#include "engine/motion/leaning.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace ringway::engine {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// sin(2 pi (frame / frames + turns * place / grid) + phase), its squares summing to 1.
std::vector<double> Wave(const MotionFieldConfig& config, int turns, double phase) {
  std::vector<double> wave;
  wave.reserve(static_cast<std::size_t>(config.frames * config.grid));
  const auto frames = static_cast<double>(config.frames), grid = static_cast<double>(config.grid);
  for (std::int64_t f = 0; f < config.frames; ++f)
    for (std::int64_t s = 0; s < config.grid; ++s)
      wave.push_back(std::sin(
          kTurn * (static_cast<double>(f) / frames + turns * static_cast<double>(s) / grid) + phase));
  const double norm = std::sqrt(std::inner_product(wave.begin(), wave.end(), wave.begin(), 0.0));
  for (double& value : wave) value /= norm;
  return wave;
}

}  // namespace

Leaning::Leaning(const MotionFieldConfig& config, float lean, std::span<const float> first)
    : config_(config),
      across_(static_cast<std::size_t>(config.frames * config.grid)),
      change_(across_.size()) {
  RINGWAY_CHECK(lean >= 0 && lean <= 1 && Fits(config) && first.size() == config.elements());
  for (int way = 0; way < 2; ++way)
    for (int i = 0; i < 2 * kLengths; ++i)
      waves_[way][i] = Wave(config, (way == 0 ? -1 : 1) * (i / 2 + 1), i % 2 == 0 ? 0 : kTurn / 4);
  for (int component = 0; component < 2; ++component) {
    const int favoured = first[config.PlaceOf(0, component, 0, 0)] >= 0 ? 0 : 1;
    more_[component][favoured] = std::sqrt(1.0 + lean) - 1;
    more_[component][1 - favoured] = std::sqrt(1.0 - lean) - 1;
  }
}

void Leaning::Apply(std::span<float> noise) {
  for (int component = 0; component < 2; ++component) {
    ReadAcross(component, noise);
    std::fill(change_.begin(), change_.end(), 0);
    for (int way = 0; way < 2; ++way) {
      for (const Table& wave : waves_[way]) {
        const double more = more_[component][way] * InAcross(wave);
        for (std::size_t i = 0; i < change_.size(); ++i) change_[i] += more * wave[i];
      }
    }
    std::size_t i = 0;
    for (std::int64_t f = 0; f < config_.frames; ++f)
      for (std::int64_t s = 0; s < config_.grid; ++s, ++i)
        for (std::int64_t along = 0; along < config_.grid; ++along)
          noise[PlaceOf(component, f, s, along)] += static_cast<float>(change_[i]);
  }
}

void Leaning::ReadAcross(std::int64_t component, std::span<const float> packed) {
  RINGWAY_CHECK(packed.size() == config_.elements());
  std::size_t i = 0;
  for (std::int64_t f = 0; f < config_.frames; ++f) {
    for (std::int64_t s = 0; s < config_.grid; ++s, ++i) {
      double sum = 0;
      for (std::int64_t along = 0; along < config_.grid; ++along)
        sum += packed[PlaceOf(component, f, s, along)];
      across_[i] = sum / static_cast<double>(config_.grid);
    }
  }
}

std::size_t Leaning::PlaceOf(std::int64_t component, std::int64_t frame, std::int64_t across,
                             std::int64_t along) const {
  return component == 0 ? config_.PlaceOf(frame, 0, across, along) : config_.PlaceOf(frame, 1, along, across);
}

double Leaning::InAcross(const Table& wave) const {
  return std::inner_product(wave.begin(), wave.end(), across_.begin(), 0.0);
}

}  // namespace ringway::engine
