#include "tests/engine/film_reference.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace ringway::engine::reference {
namespace {

double GeluTanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
double SiluOf(double x) { return x / (1 + std::exp(-x)); }

// Weights by name, below a prefix.
struct Part {
  HashWeights& weights;
  std::string prefix;

  Part operator/(const std::string& name) const {
    return {weights, prefix.empty() ? name : prefix + "." + name};
  }
  Part operator/(std::int64_t index) const { return *this / std::to_string(index); }
  std::vector<float> Take(const std::string& name, const std::vector<std::int64_t>& dims) const {
    return weights.Take((*this / name).prefix, dims).value();
  }
};

Row Linear(const Part& part, const Row& x, std::int64_t out, bool bias) {
  const auto in = static_cast<std::int64_t>(x.size());
  const std::vector<float> weight = part.Take("weight", {out, in});
  Row y(static_cast<std::size_t>(out));
  if (bias) std::ranges::copy(part.Take("bias", {out}), y.begin());
  for (std::size_t o = 0; o < y.size(); ++o)
    for (std::size_t i = 0; i < x.size(); ++i) y[o] += weight[o * x.size() + i] * x[i];
  return y;
}
Rows Linear(const Part& part, const Rows& x, std::int64_t out, bool bias) {
  Rows y;
  for (const Row& row : x) y.push_back(Linear(part, row, out, bias));
  return y;
}

Row RmsNorm(const Row& x, double epsilon) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  Row y = x;
  for (double& value : y) value /= std::sqrt(squares / static_cast<double>(x.size()) + epsilon);
  return y;
}
Row LayerNorm(const Row& x, double epsilon) {
  double mean = 0;
  for (const double value : x) mean += value / static_cast<double>(x.size());
  Row y = x;
  for (double& value : y) value -= mean;
  return RmsNorm(y, epsilon);
}
Row Weighted(const Row& x, const std::vector<float>& weight) {
  Row y = x;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] *= weight[i];
  return y;
}
Rows Weighted(const Part& part, const Rows& x, double epsilon) {
  const std::vector<float> weight = part.Take("weight", {static_cast<std::int64_t>(x[0].size())});
  Rows y;
  for (const Row& row : x) y.push_back(Weighted(RmsNorm(row, epsilon), weight));
  return y;
}

template <typename Function>
Rows Each(Rows rows, Function function) {
  for (Row& row : rows)
    for (double& value : row) value = function(value);
  return rows;
}
void AddTo(Rows& x, const Rows& y) {
  for (std::size_t r = 0; r < x.size(); ++r)
    for (std::size_t c = 0; c < x[r].size(); ++c) x[r][c] += y[r][c];
}

// `bias(head, query, key)` is added to the scaled scores.
Rows Attend(const Rows& q, const Rows& k, const Rows& v, std::size_t heads, double scale,
            const std::function<double(std::size_t, std::size_t, std::size_t)>& bias) {
  const std::size_t dim = q[0].size() / heads;
  Rows out(q.size(), Row(q[0].size()));
  for (std::size_t head = 0; head < heads; ++head)
    for (std::size_t i = 0; i < q.size(); ++i) {
      std::vector<double> scores(k.size());
      for (std::size_t j = 0; j < k.size(); ++j) {
        for (std::size_t d = 0; d < dim; ++d) scores[j] += q[i][head * dim + d] * k[j][head * dim + d];
        scores[j] = scores[j] * scale + bias(head, i, j);
      }
      const double most = *std::ranges::max_element(scores);
      double total = 0;
      for (double& score : scores) total += score = std::exp(score - most);
      for (std::size_t j = 0; j < k.size(); ++j)
        for (std::size_t d = 0; d < dim; ++d)
          out[i][head * dim + d] += scores[j] / total * v[j][head * dim + d];
    }
  return out;
}

// As the paper's appendix has it: half of the buckets for what comes after, exact up to a quarter, then
// logarithmic.
std::size_t Bucket(const T5Config& config, std::int64_t from, std::int64_t to) {
  const std::int64_t half = config.buckets / 2, exact = half / 2, far = std::abs(to - from);
  std::int64_t bucket = far;
  if (far >= exact)
    bucket =
        std::min(half - 1,
                 exact + static_cast<std::int64_t>(
                             std::log(static_cast<double>(far) / static_cast<double>(exact)) /
                             std::log(static_cast<double>(config.distance_max) / static_cast<double>(exact)) *
                             static_cast<double>(half - exact)));
  return static_cast<std::size_t>(bucket + (to > from ? half : 0));
}

Row Sinusoid(double time, std::int64_t channels) {  // cosines first
  Row row;
  for (const bool cosine : {true, false})
    for (std::int64_t i = 0; i < channels / 2; ++i) {
      const double angle =
          time * std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(channels / 2));
      row.push_back(cosine ? std::cos(angle) : std::sin(angle));
    }
  return row;
}

// One row of queries or keys, turned by the place of its latent.
void Turn(Row& row, const FilmGrid& grid, std::size_t token) {
  const auto channels = static_cast<std::int64_t>(row.size()), waves = channels / 6;
  const auto width = static_cast<std::size_t>(grid.width), height = static_cast<std::size_t>(grid.height);
  const double places[] = {static_cast<double>(token / (width * height)) * grid.seconds / 20,
                           static_cast<double>(token / width % height) * grid.pixels / 2048,
                           static_cast<double>(token % width) * grid.pixels / 2048};
  auto at = static_cast<std::size_t>(channels % 6);
  for (std::int64_t wave = 0; wave < waves; ++wave)
    for (const double place : places) {
      const double power = waves == 1 ? 0 : static_cast<double>(wave) / static_cast<double>(waves - 1);
      const double angle = std::pow(10000.0, power) * std::numbers::pi / 2 * (2 * place - 1);
      const double real = row[at], imaginary = row[at + 1];
      row[at++] = real * std::cos(angle) - imaginary * std::sin(angle);
      row[at++] = imaginary * std::cos(angle) + real * std::sin(angle);
    }
}

Rows FilmAttention(const Part& part, const FilmTransformerConfig& c, const Rows& x, const Rows& context,
                   const FilmGrid* grid, const std::vector<bool>& counts) {
  Rows q = Weighted(part / "norm_q", Linear(part / "to_q", x, c.channels(), true), 1e-5);
  Rows k = Weighted(part / "norm_k", Linear(part / "to_k", context, c.channels(), true), 1e-5);
  const Rows v = Linear(part / "to_v", context, c.channels(), true);
  if (grid != nullptr)
    for (Rows* rows : {&q, &k})
      for (std::size_t token = 0; token < rows->size(); ++token) Turn((*rows)[token], *grid, token);
  const auto bias = [&](std::size_t, std::size_t, std::size_t key) {
    return grid != nullptr || counts[key] ? 0.0 : -10000.0;
  };
  const double scale = 1 / std::sqrt(static_cast<double>(c.head_channels));
  return Linear(part / "to_out" / 0, Attend(q, k, v, static_cast<std::size_t>(c.heads), scale, bias),
                c.channels(), true);
}

Rows Modulated(const Rows& x, const Row& shift, const Row& scale, bool centred, double epsilon) {
  Rows y;
  for (const Row& row : x) {
    y.push_back(centred ? LayerNorm(row, epsilon) : RmsNorm(row, epsilon));
    for (std::size_t c = 0; c < row.size(); ++c) y.back()[c] = y.back()[c] * (1 + scale[c]) + shift[c];
  }
  return y;
}

void AddGated(Rows& x, const Rows& y, const Row& gate) {
  for (std::size_t r = 0; r < x.size(); ++r)
    for (std::size_t c = 0; c < x[r].size(); ++c) x[r][c] += y[r][c] * gate[c];
}

Rows TableRows(const Part& part, std::size_t rows, const Row& embedding, std::size_t channels) {
  const std::vector<float> table =
      part.Take("scale_shift_table", {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(channels)});
  Rows result(rows, Row(channels));
  for (std::size_t i = 0; i < table.size(); ++i)
    result[i / channels][i % channels] = table[i] + embedding[i % embedding.size()];
  return result;
}

// A film whose pixels are rows.
struct Film {
  std::int64_t frames = 1, height = 1, width = 1;
  Rows pixels;

  std::size_t At(std::int64_t f, std::int64_t h, std::int64_t w) const {
    return static_cast<std::size_t>((f * height + h) * width + w);
  }
};

Film Conv(const Part& part, const Film& x, std::int64_t out, std::int64_t taps, bool causal) {
  const auto in = x.pixels[0].size();
  const std::vector<float> weight =
      (part / "conv").Take("weight", {out, static_cast<std::int64_t>(in), taps, taps, taps});
  const std::vector<float> bias = (part / "conv").Take("bias", {out});
  const std::int64_t front = causal ? taps - 1 : (taps - 1) / 2, pad = taps / 2;
  Film y{x.frames, x.height, x.width, {}};
  for (std::int64_t f = 0; f < x.frames; ++f)
    for (std::int64_t h = 0; h < x.height; ++h)
      for (std::int64_t w = 0; w < x.width; ++w) {
        Row row(bias.begin(), bias.end());
        for (std::int64_t tap = 0; tap < taps * taps * taps; ++tap) {
          const std::int64_t from =
              std::clamp<std::int64_t>(f + tap / (taps * taps) - front, 0, x.frames - 1);
          const std::int64_t xh = h + tap / taps % taps - pad, xw = w + tap % taps - pad;
          if (xh < 0 || xh >= x.height || xw < 0 || xw >= x.width) continue;
          const Row& pixel = x.pixels[x.At(from, xh, xw)];
          for (std::size_t o = 0; o < row.size(); ++o)
            for (std::size_t i = 0; i < in; ++i)
              row[o] += pixel[i] * weight[(o * in + i) * static_cast<std::size_t>(taps * taps * taps) +
                                          static_cast<std::size_t>(tap)];
        }
        y.pixels.push_back(std::move(row));
      }
  return y;
}

Film NormedSilu(Film x) {
  for (Row& pixel : x.pixels) pixel = RmsNorm(pixel, 1e-8);
  x.pixels = Each(std::move(x.pixels), SiluOf);
  return x;
}

Film Resnet(const Part& part, const Film& x, std::int64_t out, const FilmVaeConfig& c) {
  Film h = Conv(part / "conv1", NormedSilu(x), out, 3, c.causal);
  h = Conv(part / "conv2", NormedSilu(h), out, 3, c.causal);
  Film shortcut = x;
  const auto in = static_cast<std::int64_t>(x.pixels[0].size());
  if (in != out) {
    const std::vector<float> gamma = (part / "norm3").Take("weight", {in});
    const std::vector<float> beta = (part / "norm3").Take("bias", {in});
    for (Row& pixel : shortcut.pixels) {
      pixel = Weighted(LayerNorm(pixel, c.epsilon), gamma);
      for (std::size_t i = 0; i < pixel.size(); ++i) pixel[i] += beta[i];
    }
    shortcut = Conv(part / "conv_shortcut", shortcut, out, 1, c.causal);
  }
  AddTo(h.pixels, shortcut.pixels);
  return h;
}

// Channel ((c * 2 + f) * 2 + h) * 2 + w becomes channel c of the f-th, h-th and w-th of eight pixels.
Film Doubled(const Film& x) {
  Film y{2 * x.frames - 1, 2 * x.height, 2 * x.width, {}};
  for (std::int64_t f = 1; f < 2 * x.frames; ++f)
    for (std::int64_t h = 0; h < y.height; ++h)
      for (std::int64_t w = 0; w < y.width; ++w) {
        const Row& from = x.pixels[x.At(f / 2, h / 2, w / 2)];
        Row pixel;
        for (std::size_t c = static_cast<std::size_t>(f % 2 * 4 + h % 2 * 2 + w % 2); c < from.size(); c += 8)
          pixel.push_back(from[c]);
        y.pixels.push_back(std::move(pixel));
      }
  return y;
}

// Channel (c * p + w) * p + h, the sides the other way round.
Film Unpatched(const Film& x, std::int64_t p) {
  Film y{x.frames, p * x.height, p * x.width, {}};
  for (std::int64_t f = 0; f < y.frames; ++f)
    for (std::int64_t h = 0; h < y.height; ++h)
      for (std::int64_t w = 0; w < y.width; ++w) {
        Row pixel;
        for (std::int64_t c = 0; c < 3; ++c)
          pixel.push_back(
              x.pixels[x.At(f, h / p, w / p)][static_cast<std::size_t>((c * p + w % p) * p + h % p)]);
        y.pixels.push_back(std::move(pixel));
      }
  return y;
}

}  // namespace

Rows RowsOf(std::span<const float> values, std::size_t columns) {
  Rows rows;
  for (std::size_t at = 0; at < values.size(); at += columns)
    rows.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(at),
                      values.begin() + static_cast<std::ptrdiff_t>(at + columns));
  return rows;
}

std::vector<float> Flat(const Rows& rows) {
  std::vector<float> flat;
  for (const Row& row : rows)
    for (const double value : row) flat.push_back(static_cast<float>(value));
  return flat;
}

Rows T5(const T5Config& c, HashWeights& weights, std::span<const std::int32_t> ids) {
  const Part root{weights, ""}, blocks = root / "encoder" / "block";
  const std::vector<float> table = (root / "shared").Take("weight", {c.vocabulary, c.channels});
  Rows x;
  for (const std::int32_t id : ids)
    x.push_back(RowsOf(table, static_cast<std::size_t>(c.channels))[static_cast<std::size_t>(id)]);
  const std::vector<float> biases = (blocks / 0 / "layer" / 0 / "SelfAttention" / "relative_attention_bias")
                                        .Take("weight", {c.buckets, c.heads});
  const auto bias = [&](std::size_t head, std::size_t query, std::size_t key) -> double {
    const std::size_t bucket = Bucket(c, static_cast<std::int64_t>(query), static_cast<std::int64_t>(key));
    return biases[bucket * static_cast<std::size_t>(c.heads) + head];
  };
  const std::int64_t inner = c.heads * c.head_channels;
  for (std::int64_t i = 0; i < c.layers; ++i) {
    const Part attention = blocks / i / "layer" / 0, self = attention / "SelfAttention";
    const Rows n1 = Weighted(attention / "layer_norm", x, c.epsilon);
    const Rows attended =
        Attend(Linear(self / "q", n1, inner, false), Linear(self / "k", n1, inner, false),
               Linear(self / "v", n1, inner, false), static_cast<std::size_t>(c.heads), 1, bias);
    AddTo(x, Linear(self / "o", attended, c.channels, false));
    const Part feed = blocks / i / "layer" / 1, dense = feed / "DenseReluDense";
    const Rows n2 = Weighted(feed / "layer_norm", x, c.epsilon);
    Rows gate = Each(Linear(dense / "wi_0", n2, c.hidden, false), GeluTanh);
    const Rows value = Linear(dense / "wi_1", n2, c.hidden, false);
    for (std::size_t r = 0; r < gate.size(); ++r)
      for (std::size_t k = 0; k < gate[r].size(); ++k) gate[r][k] *= value[r][k];
    AddTo(x, Linear(dense / "wo", gate, c.channels, false));
  }
  return Weighted(root / "encoder" / "final_layer_norm", x, c.epsilon);
}

Rows Transformer(const FilmTransformerConfig& c, HashWeights& weights, const FilmGrid& grid,
                 const Rows& sample, const Rows& words, const std::vector<bool>& counts, double time) {
  const Part root{weights, ""}, embedder = root / "time_embed", caption = root / "caption_projection";
  const std::int64_t channels = c.channels();
  const auto width = static_cast<std::size_t>(channels);
  Rows x = Linear(root / "proj_in", sample, channels, true);
  const Part steps = embedder / "emb" / "timestep_embedder";
  const Rows hidden = Each(Linear(steps / "linear_1", Rows{Sinusoid(time, 256)}, channels, true), SiluOf);
  const Rows embedded = Linear(steps / "linear_2", hidden, channels, true);
  const Row rows = Linear(embedder / "linear", Each(embedded, SiluOf), 6 * channels, true)[0];
  const Rows context =
      Linear(caption / "linear_2", Each(Linear(caption / "linear_1", words, channels, true), GeluTanh),
             channels, true);
  for (std::int64_t i = 0; i < c.layers; ++i) {
    const Part block = root / "transformer_blocks" / i;
    const Rows table = TableRows(block, 6, rows, width);
    const Rows seen = Modulated(x, table[0], table[1], false, c.epsilon);
    AddGated(x, FilmAttention(block / "attn1", c, seen, seen, &grid, counts), table[2]);
    AddTo(x, FilmAttention(block / "attn2", c, x, context, nullptr, counts));
    const Rows fed = Modulated(x, table[3], table[4], false, c.epsilon);
    const Part net = block / "ff" / "net";
    const Rows wide = Each(Linear(net / 0 / "proj", fed, 4 * channels, true), GeluTanh);
    AddGated(x, Linear(net / 2, wide, channels, true), table[5]);
  }
  const Rows last = TableRows(root, 2, embedded[0], width);
  return Linear(root / "proj_out", Modulated(x, last[0], last[1], true, 1e-6), c.out_channels, true);
}

Rows Decoder(const FilmVaeConfig& c, HashWeights& weights, const FilmVaeSize& size, const Rows& latents) {
  const Part root{weights, ""}, decoder = root / "decoder";
  Film x{size.frames, size.height, size.width, latents};
  const std::vector<float> mean = root.Take("latents_mean", {c.latent_channels});
  const std::vector<float> deviation = root.Take("latents_std", {c.latent_channels});
  for (Row& pixel : x.pixels)
    for (std::size_t i = 0; i < pixel.size(); ++i) pixel[i] = pixel[i] * deviation[i] + mean[i];
  x = Conv(decoder / "conv_in", x, c.channels.back(), 3, c.causal);
  for (std::int64_t i = 0; i < c.layers.back(); ++i)
    x = Resnet(decoder / "mid_block" / "resnets" / i, x, c.channels.back(), c);
  for (std::size_t i = 0; i < c.channels.size(); ++i) {
    const std::size_t level = c.channels.size() - 1 - i;
    const std::int64_t out = c.channels[level];
    const Part block = decoder / "up_blocks" / static_cast<std::int64_t>(i);
    if (static_cast<std::int64_t>(x.pixels[0].size()) != out) x = Resnet(block / "conv_in", x, out, c);
    if (c.doubles[level]) x = Doubled(Conv(block / "upsamplers" / 0 / "conv", x, 8 * out, 3, c.causal));
    for (std::int64_t k = 0; k < c.layers[level]; ++k) x = Resnet(block / "resnets" / k, x, out, c);
  }
  x = Conv(decoder / "conv_out", NormedSilu(x), 3 * c.patch * c.patch, 3, c.causal);
  return Unpatched(x, c.patch).pixels;
}

}  // namespace ringway::engine::reference
