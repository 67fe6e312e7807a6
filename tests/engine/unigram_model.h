// Small sentencepiece models for tests: the file's bytes from pieces and rewriting rules.
//
// Messages are written field by field as spiece.model has them. CharsmapOf lays a double array out as
// darts-clone does: for every node a base is searched from which all its children's places are free.
#ifndef RINGWAY_TESTS_ENGINE_UNIGRAM_MODEL_H_
#define RINGWAY_TESTS_ENGINE_UNIGRAM_MODEL_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringway::engine {

struct ModelPiece {
  std::string text;
  float score = 0;
  int kind = 1;  // 1 normal, 2 unknown, 3 control, 4 user defined, 5 unused, 6 a byte
};

std::string CharsmapOf(const std::map<std::string, std::string>& rules);

struct UnigramModel {
  std::vector<ModelPiece> pieces;
  std::string charsmap = {};
  bool byte_fallback = false, blank_before = true, fewer_blanks = true;
  int kind = 1;  // unigram

  std::string File() const;
};

// "<pad>", "</s>" and "<unk>" as T5 numbers them, then a few words and the letters of "a small boat, sways".
UnigramModel SmallUnigramModel();
// The same with a piece for each byte.
UnigramModel ByteUnigramModel();

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_UNIGRAM_MODEL_H_
