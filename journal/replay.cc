#include "journal/replay.h"

#include "runtime/segment.h"

namespace ringway::journal {

std::string TitleOf(const std::string& directory) {
  const auto segments = runtime::ListSegments(directory);
  if (!segments.ok() || segments->empty()) return "";
  std::string title;
  (void)runtime::ReadSegment(segments->back().path, [&title](std::string_view payload) {
    std::deque<std::string> words;
    Reader reader(payload, words);
    reader.Take(title);
    if (!reader.ok()) title.clear();
    return absl::CancelledError("the first record is enough");
  });
  return title;
}

absl::Status WalkSegments(const std::string& directory, SegmentVisitor& visitor) {
  const auto segments = runtime::ListSegments(directory);
  if (!segments.ok()) return segments.status();
  for (const runtime::SegmentFile& segment : *segments) {
    bool begun = false;
    const auto end = runtime::ReadSegment(segment.path, [&](std::string_view payload) {
      return std::exchange(begun, true) ? visitor.Next(payload) : visitor.First(payload);
    });
    if (!end.ok()) {
      return absl::Status(end.status().code(), absl::StrCat(segment.path, ": ", end.status().message()));
    }
    visitor.End(*end == runtime::SegmentEnd::kWhole);
  }
  return absl::OkStatus();
}

absl::StatusOr<Shapes> TakeTitle(const Title& title, Reader& reader) {
  std::string text;
  std::uint32_t version = 0;
  reader.Take(text);
  if (!reader.ok() || text != title.text)
    return absl::DataLossError(absl::StrCat("not a \"", title.text, "\""));
  reader.Take(version);
  if (!reader.ok() || version != title.version) {
    return absl::FailedPreconditionError(absl::StrCat("a journal of version ", version,
                                                      "; this release reads version ", title.version,
                                                      ": replay it with the release that wrote it"));
  }
  std::string told;
  reader.Take(told);
  if (!reader.ok()) return absl::DataLossError("the beginning of a segment is damaged");
  return Shapes::Of(told);
}

}  // namespace ringway::journal
