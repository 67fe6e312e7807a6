#include "engine/pipelines/learnt_words.h"

#include "absl/strings/str_cat.h"

namespace ringway::engine {
namespace {

constexpr const char* kOfTwo[] = {"clip_l", "clip_g"};

std::string DimsOf(const StoredTensor& stored) {
  std::string text;
  for (const std::int64_t d : stored.dims) absl::StrAppend(&text, text.empty() ? "" : " x ", d);
  return text.empty() ? "a single number" : text;
}

}  // namespace

std::span<const float> LearntWords::Row(std::size_t encoder, std::int32_t row) const {
  return std::span(rows_[encoder])
      .subspan(static_cast<std::size_t>(row) * channels_[encoder], channels_[encoder]);
}

absl::Status LearntWords::Choose(const std::vector<LearntWord>& words,
                                 std::span<const std::int64_t> channels) {
  words_.clear();
  rows_.assign(channels.size(), {});
  channels_.assign(channels.begin(), channels.end());
  if (words.size() > kWordsMax)
    return absl::InvalidArgumentError(
        absl::StrCat(words.size(), " learnt words are named; at most ", kWordsMax, " are allowed"));
  for (const LearntWord& word : words) {
    if (absl::Status added = Add(word, channels); !added.ok()) {
      words_.clear();
      return added;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::int64_t> LearntWords::AddRows(const Weights& weights, const std::string& file,
                                                  const StoredTensor* stored, std::int64_t channels,
                                                  std::vector<float>& to) const {
  const auto& dims = stored->dims;
  const bool fits = (dims.size() == 1 || dims.size() == 2) && dims.back() == channels;
  const std::int64_t rows = dims.size() == 2 ? dims[0] : 1;
  if (!fits || rows < 1 || rows > static_cast<std::int64_t>(kRowsMax))
    return absl::InvalidArgumentError(absl::StrCat(file, ": \"", stored->name, "\" is ", DimsOf(*stored),
                                                   "; this model's table has rows of ", channels,
                                                   " numbers, and 1 to ", kRowsMax, " of them make a word"));
  std::vector<float> values(static_cast<std::size_t>(rows * channels));
  const std::int64_t row = dims.size() == 2 ? channels : 1;  // of one axis each number is a row
  if (absl::Status read = weights.ReadRows(stored->name, 0, row, values); !read.ok()) return read;
  to.insert(to.end(), values.begin(), values.end());
  return rows;
}

absl::Status LearntWords::Add(const LearntWord& word, std::span<const std::int64_t> channels) {
  if (word.word.empty() || word.word.size() > kWordBytesMax)
    return absl::InvalidArgumentError(absl::StrCat(word.path, ": the word for it has ", word.word.size(),
                                                   " bytes; allowed are 1 to ", kWordBytesMax));
  for (const auto& other : words_)
    if (other.word == word.word)
      return absl::InvalidArgumentError(absl::StrCat("the learnt word \"", word.word, "\" is given twice"));
  const absl::StatusOr<Weights> weights = Weights::Open(word.path);
  if (!weights.ok()) return weights.status();
  const std::vector<const StoredTensor*> all = weights->All();
  const bool of_two = weights->Has(kOfTwo[0]) || weights->Has(kOfTwo[1]);
  const bool right = channels.size() == 1
                         ? all.size() == 1 && !of_two
                         : all.size() == 2 && weights->Has(kOfTwo[0]) && weights->Has(kOfTwo[1]);
  if (!right)
    return absl::InvalidArgumentError(absl::StrCat(word.path, ": has ", all.size(), " tensors",
                                                   of_two ? " of XL" : "", "; a word of this model has ",
                                                   channels.size() == 1 ? "one" : "two, clip_l and clip_g"));
  std::int64_t rows = 0;
  for (std::size_t encoder = 0; encoder < channels.size(); ++encoder) {
    const StoredTensor* stored = channels.size() == 1 ? all[0] : weights->Find(kOfTwo[encoder]);
    const auto added = AddRows(*weights, word.path, stored, channels[encoder], rows_[encoder]);
    if (!added.ok()) return added.status();
    if (encoder > 0 && *added != rows)
      return absl::InvalidArgumentError(
          absl::StrCat(word.path, ": \"clip_l\" has ", rows, " rows and \"clip_g\" ", *added));
    rows = *added;
  }
  const std::int32_t first = words_.empty() ? 0 : words_.back().first + words_.back().rows;
  words_.push_back({word.word, first, static_cast<std::int32_t>(rows)});
  return absl::OkStatus();
}

}  // namespace ringway::engine
