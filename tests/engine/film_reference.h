// The networks of the LTX-Video class, and T5's encoder, in double precision and loops: what the engine is
// held to.
//
// Written from the published definitions (arXiv:1910.10683, arXiv:2310.00426, arXiv:2104.09864 and the layer
// grammar of transformers' and diffusers' checkpoints), with none of the engine's graph, kernels or passes:
// weights come from the same source by the same stock names, everything else is written out here, a row or a
// pixel at a time. Slow, so for small widths. Dies when a configuration does not fit.
#ifndef RINGWAY_TESTS_ENGINE_FILM_REFERENCE_H_
#define RINGWAY_TESTS_ENGINE_FILM_REFERENCE_H_

#include <span>
#include <string>
#include <vector>

#include "engine/networks/film_transformer.h"
#include "engine/networks/film_vae.h"
#include "engine/networks/t5.h"
#include "tests/engine/hash_weights.h"

namespace ringway::engine::reference {

using Row = std::vector<double>;
using Rows = std::vector<Row>;  // tokens, or the pixels of a film, frame by frame and line by line

// Of one text.
Rows T5(const T5Config& config, HashWeights& weights, std::span<const std::int32_t> ids);

// Of one film. `counts`: whether a word is no padding.
Rows Transformer(const FilmTransformerConfig& config, HashWeights& weights, const FilmGrid& grid,
                 const Rows& sample, const Rows& words, const std::vector<bool>& counts, double time);

// -1 to 1, a pixel of three numbers a row.
Rows Decoder(const FilmVaeConfig& config, HashWeights& weights, const FilmVaeSize& size, const Rows& latents);

Rows RowsOf(std::span<const float> values, std::size_t columns);
std::vector<float> Flat(const Rows& rows);

}  // namespace ringway::engine::reference

#endif  // RINGWAY_TESTS_ENGINE_FILM_REFERENCE_H_
