#include <algorithm>
#include <iterator>

#include "engine/motion/field.h"
#include "engine/motion/region.h"
#include "engine/networks/clip.h"
#include "engine/networks/film_transformer.h"
#include "engine/networks/film_vae.h"
#include "engine/networks/motion_conditioner.h"
#include "engine/networks/t5.h"
#include "engine/networks/unet_sd.h"
#include "engine/networks/vae.h"
#include "engine/pipelines/motion_pipeline.h"
#include "engine/sampler/flow.h"
#include "engine/sampler/noise_grid.h"
#include "engine/text/clip_tokenizer.h"
#include "engine/text/unigram_tokenizer.h"
#include "engine/text/word_tokenizer.h"
#include "tests/engine/fuzz/targets.h"

namespace ringway::engine {

// A vocabulary, merges and a prompt, apart by zero bytes.
bool FuzzTokenizers(std::string_view bytes) {
  constexpr std::int64_t kTokens = 16, kNumbers = 64;
  std::string_view parts[3];
  for (std::string_view& part : parts) {
    const std::size_t end = bytes.find('\0');
    part = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  }
  const auto clip = ClipTokenizer::Parse(parts[0], parts[1], "fuzz", kTokens, kNumbers);
  const auto words = WordTokenizer::Parse(parts[0], "fuzz", kTokens, kNumbers);
  const auto check = [](const std::vector<std::int32_t>& ids) {
    RINGWAY_CHECK(ids.size() == kTokens);
    for (const std::int32_t id : ids) RINGWAY_CHECK(id >= 0 && id < kNumbers);
  };
  if (clip.ok()) check(clip->Encode(parts[2]));
  if (words.ok()) check(words->Encode(parts[2]));
  return clip.ok() || words.ok();
}

// One byte that says how long a prompt is, the prompt, and a sentencepiece model.
bool FuzzUnigram(std::string_view bytes) {
  constexpr std::int64_t kTokens = 16, kNumbers = 512;
  if (bytes.empty()) return false;
  const std::string_view prompt = bytes.substr(1, static_cast<unsigned char>(bytes[0]));
  const auto tokenizer = UnigramTokenizer::Parse(bytes.substr(1 + prompt.size()), "fuzz", kTokens, kNumbers);
  if (!tokenizer.ok()) return false;
  const std::vector<std::int32_t> ids = tokenizer->Encode(prompt);
  RINGWAY_CHECK(ids.size() == kTokens && tokenizer->Length(ids) <= kTokens);
  for (const std::int32_t id : ids) RINGWAY_CHECK(id >= 0 && id < kNumbers);
  (void)tokenizer->Joined(tokenizer->Pieces(prompt));  // pieces of any bytes, not of rewritten text alone
  return true;
}

// The configuration of any component, given to every reader: what one accepts keeps its own bounds.
bool FuzzConfigs(std::string_view bytes) {
  const absl::StatusOr<Json> json = Json::Parse(bytes, "fuzz");
  if (!json.ok() || json->object() == nullptr) return false;
  const Config config(*json, "fuzz");
  const auto field = ReadMotionFieldConfig(config);
  if (field.ok()) {
    RINGWAY_CHECK(field->scale_per_frame.size() == static_cast<std::size_t>(field->frames));
    const std::vector<float> packed(field->elements());
    std::vector<float> cells(static_cast<std::size_t>(2 * field->grid * field->grid));
    MotionField(*field, packed).At(0.3, cells);
  }
  const auto unet = ReadSvdUNetConfig(config);
  if (unet.ok()) RINGWAY_CHECK(unet->layout.heads.size() == unet->layout.channels.size());
  const auto schedule = ReadMotionSchedule(config);
  if (schedule.ok())
    RINGWAY_CHECK(schedule->log_snr_first < schedule->log_snr_last && schedule->wave_lean >= 0 &&
                  schedule->wave_lean <= 1);
  const auto scheduler = ReadSchedulerConfig(config, "DPMSolverMultistepScheduler");
  if (scheduler.ok())
    for (const int steps : {1, 20}) {
      const auto grid = MakeNoiseGrid(*scheduler, steps);
      if (grid.ok()) RINGWAY_CHECK(grid->lambdas.size() == grid->times.size() + 1);
    }
  const auto flow = ReadFlowConfig(config, FlowConfig::kClass);
  if (flow.ok())
    for (const int steps : {1, 20}) RINGWAY_CHECK(FlowLevels(*flow, steps, 500).back() == 0);
  const auto film = ReadFilmVaeConfig(config);
  if (film.ok()) RINGWAY_CHECK(film->doubles.size() == film->channels.size());
  // Each reader is to see the bytes, whatever the others made of them.
  const bool read[] = {field.ok(),
                       unet.ok(),
                       schedule.ok(),
                       scheduler.ok(),
                       ReadSdUNetConfig(config).ok(),
                       ReadMotionAdapterConfig(config).ok(),
                       ReadVaeConfig(config).ok(),
                       ReadClipConfig(config).ok(),
                       ReadT5Config(config).ok(),
                       ReadFilmTransformerConfig(config).ok(),
                       flow.ok(),
                       film.ok(),
                       ReadMotionConditionerConfig(config).ok()};
  return std::any_of(std::begin(read), std::end(read), [](bool one) { return one; });
}

bool FuzzRegion(std::string_view bytes) {
  const auto region = ParseRegion(bytes, 640, 480);
  if (!region.ok()) return false;
  RINGWAY_CHECK(CheckRegion(*region).ok());
  RINGWAY_CHECK(SoftX(*region, 0.5f) >= 0 && Coverage(*region, 3, 3, 8) <= 1.0f);
  return true;
}

}  // namespace ringway::engine
