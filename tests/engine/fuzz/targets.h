// The fuzz targets of the engine: one function a parser, fed with bytes nobody vouches for.
//
// Each returns true when the input was accepted, and aborts (RINGWAY_CHECK) when a parser accepted something
// that breaks its own promise. The same functions run under libFuzzer (RINGWAY_FUZZ, one program a target)
// and in the ordinary tests on a thousand damaged copies of valid files.
#ifndef RINGWAY_TESTS_ENGINE_FUZZ_TARGETS_H_
#define RINGWAY_TESTS_ENGINE_FUZZ_TARGETS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ringway::engine {

bool FuzzJson(std::string_view bytes);
bool FuzzSafetensors(std::string_view bytes);
bool FuzzGguf(std::string_view bytes);
bool FuzzPng(std::string_view bytes);
bool FuzzJpeg(std::string_view bytes);
bool FuzzWebp(std::string_view bytes);
bool FuzzExif(std::string_view bytes);
bool FuzzFilm(std::string_view bytes);
bool FuzzTokenizers(std::string_view bytes);
bool FuzzUnigram(std::string_view bytes);
bool FuzzConfigs(std::string_view bytes);
bool FuzzRegion(std::string_view bytes);

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_FUZZ_TARGETS_H_
