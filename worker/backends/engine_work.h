// What the engine makes of one order: an animation of a photo, or a picture of a prompt.
//
// A work holds one open model for as long as it lives, so the next order of the model finds it resident.
// Which of the two a model is says its model_index.json; without a model it is both, by the order
// (bundled_work.cc). Orders are checked as a whole before anything is
// computed: a setting that the model does not have is InvalidArgument, never left out in silence; Cancelled
// when stopped; ResourceExhausted when the memory for it is not there, after which the next order is served.
//
// Threads: one at a time; stop from anywhere. Bounds: pictures of pixels_max.
#ifndef RINGWAY_WORKER_BACKENDS_ENGINE_WORK_H_
#define RINGWAY_WORKER_BACKENDS_ENGINE_WORK_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "worker/backends/backend.h"

namespace ringway::worker {

struct EngineSettings {
  // A directory, a single file with `configuration`, or a bundled picture model by its name; empty: the
  // bundled ones, which animate photos and draw pictures.
  std::string model = {};
  std::string configuration = {};  // diffusers directory of the model that a single file was made of
  int threads = 0;                 // 0: as many as there are processors
  // Pictures: further models, by the names that jobs ask for, and bytes of weights for all of them; 0: no
  // bound.
  std::map<std::string, std::string> models = {};
  std::size_t memory_bytes_max = 0;
  std::string own_name = {};  // that jobs may call `model` by, beside no name
  // Pictures: what orders may name, and how large they may be.
  std::map<std::string, std::string> adapters = {};  // LoRA files by name
  std::map<std::string, std::string> controls = {};  // directories of control networks by name
  std::map<std::string, std::string> words = {};     // files of learnt words
  std::int64_t pixels_max = 2048 * 2048;
};

struct MadeResult {
  std::string bytes;
  std::string content_type;
  std::string note;  // what of the order was not understood
};

class EngineWork {
 public:
  // `step` of `steps` are finished; the last step is what comes after the solver's.
  using Tell = std::function<void(std::uint32_t step, std::uint32_t steps)>;

  virtual ~EngineWork() = default;
  virtual absl::StatusOr<MadeResult> Make(const WorkOrder& order, const Tell& tell,
                                          const std::stop_token& stop) = 0;
  // Constant; from any thread.
  virtual PictureTerms pictures() const = 0;
};

// What the engine's decoder reads (engine/media/decode.h).
PictureTerms DecodedPictures(PictureNeed need);

// Opens the model. Errors: what is wrong with it.
absl::StatusOr<std::unique_ptr<EngineWork>> OpenEngineWork(const EngineSettings& settings);
absl::StatusOr<std::unique_ptr<EngineWork>> OpenAnimationWork(const EngineSettings& settings);
absl::StatusOr<std::unique_ptr<EngineWork>> OpenPictureWork(const EngineSettings& settings);
absl::StatusOr<std::unique_ptr<EngineWork>> OpenBundledWork(const EngineSettings& settings);

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_BACKENDS_ENGINE_WORK_H_
