// The small vocabulary that tests/engine/reference/clip_tokenizer.py learned, as the files of a checkpoint.
//
// golden/clip_tokens.json holds it beside the prompts that it was tried on. Tests of the tokenizer parse it;
// tests of whole pictures write it where a model directory has it.
//
// Dies when the file is not there or not as expected.
#ifndef RINGWAY_TESTS_ENGINE_CLIP_VOCABULARY_H_
#define RINGWAY_TESTS_ENGINE_CLIP_VOCABULARY_H_

#include <string>

#include "core/json_reader.h"

namespace ringway::engine {

struct ClipVocabulary {
  std::string vocabulary = "{";            // vocab.json
  std::string merges = "#version: 0.2\n";  // merges.txt

  explicit ClipVocabulary(const Json& reference) {
    for (const auto& [token, number] : *reference.Find("vocabulary")->object()) {
      if (vocabulary.size() > 1) vocabulary += ',';
      vocabulary += '"';
      for (const char c : token) {
        if (c == '"' || c == '\\') vocabulary += '\\';
        vocabulary += c;
      }
      vocabulary += "\":" + std::to_string(*number.integer());
    }
    vocabulary += "}";
    for (const Json& merge : *reference.Find("merges")->array()) merges += *merge.string() + "\n";
  }
};

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_CLIP_VOCABULARY_H_
