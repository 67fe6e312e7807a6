// One call to the images API while its pictures are drawn, and the answer that they become.
//
// A call for n pictures is n jobs of the normal way, each with a slot, a deadline and a seed of its own: they
// are drawn at once where the fleet has room, and a leaving client cancels what nobody else waits for. They
// are all drawn, or the call is refused with what went wrong with the first that was not. The answer is one
// JSON object with the pictures in base64 (RFC 4648), written piece by piece from the store's files, so that
// ten large pictures never stand in memory.
//
// With an idempotency key the jobs have keys of their own: the key, and the key with #2, #3 ... behind it.
//
// Threads: the front's loop. Bounds: kImagesMax jobs; one piece of kPieceBytes in memory.
#ifndef RINGWAY_GATEWAY_IMAGE_CALL_H_
#define RINGWAY_GATEWAY_IMAGE_CALL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/video_jobs.h"

namespace ringway::gateway {

// Texts and files in base64, one after the other, of a length that is known beforehand.
class Base64Answer {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{192} << 10;
  static_assert(kPieceBytes % 3 == 0);

  void AddText(std::string_view text);
  void AddFile(std::unique_ptr<ResultFile> file, std::uint64_t bytes);
  std::uint64_t length() const { return length_; }
  bool done() const { return at_ == parts_.size(); }
  // The next piece, while not done. Nothing: a file is shorter than was said.
  std::optional<std::string> Next();

 private:
  struct Part {
    std::string text = {};
    std::unique_ptr<ResultFile> file = {};  // none: the text
    std::uint64_t bytes = 0;                // of the file
    std::uint64_t offset = 0;
  };
  std::vector<Part> parts_;
  std::size_t at_ = 0;
  std::uint64_t length_ = 0;
};

struct ImageRefusal {
  int status = 500;
  std::string code;
  std::string message;
  double retry_after_s = 0;
  std::string field = {};  // of the request that is wrong; empty: none
};

class ImageCall {
 public:
  // What stops a call before it has begun; nothing: all its jobs are in `ids`.
  std::optional<ImageRefusal> Begin(VideoJobs& jobs, const VideoOrder& order, const Passage& passage);
  // The jobs that it waits for.
  const std::vector<std::string>& ids() const { return ids_; }
  bool AllOver(const VideoJobs& jobs) const;
  // Of the first that failed; nothing: none did.
  std::optional<ImageRefusal> Refused(const VideoJobs& jobs) const;
  // When all are done. Errors: that of a result which has gone.
  std::optional<ImageRefusal> Compose(const VideoJobs& jobs);
  Base64Answer& answer() { return answer_; }
  // Nobody waits any more: jobs without a key are cancelled, and their pictures removed. An answer that was
  // composed can still be read.
  void Forsake(VideoJobs& jobs) const;

 private:
  // Of a key's job that is known: its id. `again`: it failed, and runs again.
  std::optional<ImageRefusal> FromKey(const VideoJobs& jobs, const std::string& key,
                                      std::uint64_t fingerprint, const Video*& again,
                                      std::string& known) const;

  std::vector<std::string> ids_;
  bool keyed_ = false;
  Base64Answer answer_;
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_IMAGE_CALL_H_
