#include "tests/engine/film_files.h"

#include <cmath>

#include "engine/text/unigram_tokenizer.h"
#include "tests/engine/film_reference.h"
#include "tests/engine/model_files.h"
#include "tests/engine/unigram_model.h"

namespace ringway::engine {
namespace {

constexpr char kFilmIndex[] = R"({"_class_name":"LTXPipeline","_diffusers_version":"0.32.0",
  "scheduler":["diffusers","FlowMatchEulerDiscreteScheduler"],"text_encoder":["transformers","T5EncoderModel"],
  "tokenizer":["transformers","T5Tokenizer"],"transformer":["diffusers","LTXVideoTransformer3DModel"],
  "vae":["diffusers","AutoencoderKLLTXVideo"]})";
constexpr char kFilmScheduler[] =
    R"({"base_image_seq_len":4,"base_shift":0.95,"max_image_seq_len":64,"max_shift":2.05,
  "shift_terminal":0.1,"use_dynamic_shifting":true,"num_train_timesteps":1000})";
constexpr char kFilmText[] = R"({"d_model":24,"d_kv":8,"d_ff":40,"num_layers":2,"num_heads":3,"vocab_size":32,
  "feed_forward_proj":"gated-gelu","is_encoder_decoder":true})";
constexpr char kFilmTransformer[] = R"({"in_channels":6,"out_channels":6,"num_attention_heads":2,
  "attention_head_dim":16,"cross_attention_dim":32,"num_layers":2,"caption_channels":24})";
constexpr char kFilmVae[] =
    R"({"decoder_block_out_channels":[8,12],"decoder_spatio_temporal_scaling":[true,true],
  "decoder_layers_per_block":[1,1,1],"latent_channels":6,"patch_size":2,"scaling_factor":1.25})";

Config FilmConfigOf(const char* text) { return Config(Json::Parse(text, "film").value(), "film"); }
T5Config Text() { return ReadT5Config(FilmConfigOf(kFilmText)).value(); }
FilmTransformerConfig Transformer() {
  return ReadFilmTransformerConfig(FilmConfigOf(kFilmTransformer)).value();
}
FilmVaeConfig Vae() { return ReadFilmVaeConfig(FilmConfigOf(kFilmVae)).value(); }

using reference::Rows;

struct Caption {
  Rows rows;
  std::vector<bool> counts;
};
Caption CaptionOf(const std::string& prompt) {
  const auto words = UnigramTokenizer::Parse(SmallUnigramModel().File(), "film", 128, 32).value();
  const std::vector<std::int32_t> ids = words.Encode(prompt);
  HashWeights weights;
  Caption caption{reference::T5(Text(), weights, ids), {}};
  for (std::size_t i = 0; i < ids.size(); ++i) caption.counts.push_back(i < words.Length(ids));
  return caption;
}

}  // namespace

void WriteFilmModel(const ScratchFolder& folder) {
  folder.Write("model_index.json", kFilmIndex);
  folder.Write("scheduler/scheduler_config.json", kFilmScheduler);
  folder.Write("tokenizer/spiece.model", SmallUnigramModel().File());
  folder.Write("text_encoder/config.json", kFilmText);
  folder.Write("transformer/config.json", kFilmTransformer);
  folder.Write("vae/config.json", kFilmVae);
  HashWeights texts, all;
  WriteComponentWeights(folder, "text_encoder/model.safetensors", texts,
                        [](HashWeights& w) { BuildT5Encoder(Text(), w, 1, 8); });
  WriteComponentWeights(folder, "transformer/diffusion_pytorch_model.safetensors", all, [](HashWeights& w) {
    BuildFilmTransformer(Transformer(), w, {1, 4, 8});
  });
  WriteComponentWeights(folder, "vae/diffusion_pytorch_model.safetensors", all, [](HashWeights& w) {
    BuildFilmVaeDecoder(Vae(), w, {2, 2, 2});
    RINGWAY_CHECK(
        w.Expect("encoder.conv_in.conv.weight", {8, 12, 3, 3, 3}).ok());  // is there, and is not read
  });
}

std::vector<float> ReferenceFilm(const FilmRequest& request, const SmallFilm& size,
                                 std::vector<float> noise) {
  const FilmVaeConfig vae = Vae();
  const FilmGrid grid{size.frames, size.height, size.width, 4.0 / request.frames_per_second, 8};
  const auto tokens = static_cast<double>(size.frames * size.height * size.width);
  const double shift = std::exp(0.95 + (2.05 - 0.95) * (tokens - 4) / 60);
  std::vector<double> levels;
  for (int i = 0; i < request.steps; ++i) {
    const double even = 1 - static_cast<double>(i) / request.steps;
    levels.push_back(shift / (shift + 1 / even - 1));
  }
  const double stretch = (1 - levels.back()) / 0.9;
  for (double& level : levels) level = 1 - (1 - level) / stretch;
  levels.push_back(0);

  const bool guided = *request.guidance > 1;
  const Caption wanted = CaptionOf(request.prompt), unwanted = CaptionOf(request.negative);
  Rows x = reference::RowsOf(noise, SmallFilm::kLatentChannels);
  HashWeights weights;
  for (std::size_t step = 0; step + 1 < levels.size(); ++step) {
    const auto said = [&](const Caption& caption) {
      return reference::Transformer(Transformer(), weights, grid, x, caption.rows, caption.counts,
                                    1000 * levels[step]);
    };
    const Rows to = said(wanted), from = guided ? said(unwanted) : to;
    for (std::size_t r = 0; r < x.size(); ++r)
      for (std::size_t c = 0; c < x[r].size(); ++c)
        x[r][c] +=
            (levels[step + 1] - levels[step]) * (from[r][c] + *request.guidance * (to[r][c] - from[r][c]));
  }
  for (auto& row : x)
    for (double& value : row) value /= vae.scaling_factor;
  return reference::Flat(reference::Decoder(vae, weights, {size.frames, size.height, size.width}, x));
}

}  // namespace ringway::engine
