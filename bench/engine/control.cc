// What a control network costs that is off: a request that names one of strength 0 against the same request
// without it, small random weights, in turn, on one thread and in seconds of the processor, of which a busy
// machine takes none away.

#include "absl/strings/str_format.h"
#include "bench/engine/claim.h"
#include "bench/engine/stopwatch.h"
#include "core/check.h"
#include "engine/picture_engine.h"
#include "tests/engine/picture_files.h"

namespace ringway::bench {
namespace {

constexpr double kOffAllowed = 1.005;
constexpr int kSide = 128, kPictureSteps = 3, kRounds = 100, kQuickRounds = 25;

}  // namespace

void MeasureControl(const RunOptions& options, Claims& claims) {
  const engine::ScratchFolder folder;
  engine::WritePictureModel(folder, "picture_sd1");
  engine::WriteControlNet(folder, "edges", "");
  const auto opened = engine::PictureEngine::Open(folder.path(), {.threads = 1});
  RINGWAY_CHECK(opened.ok());
  const engine::PictureRequest without{
      .prompt = "the boat", .width = kSide, .height = kSide, .steps = kPictureSteps};
  engine::PictureRequest off = without, on = without;
  const engine::ControlRequest control{(folder.path() / "edges").string(),
                                       engine::Picture::Blank(kSide, kSide)};
  on.controls = off.controls = {control};
  off.controls[0].strength = 0;
  const auto draw = [&](const engine::PictureRequest& request) {
    return [&] { RINGWAY_CHECK((*opened)->Draw(request, {}, {}).ok()); };
  };
  const int rounds = options.quick ? kQuickRounds : kRounds;
  draw(on)();
  Pair pair;
  for (int i = 0; i <= rounds; ++i) {
    // Either is the first every other time, so that neither always finds the caches as the other left them.
    const bool off_first = i % 2 == 0;
    double a = 0, b = 0;
    if (off_first) a = ProcessorSecondsOf(draw(off));
    b = ProcessorSecondsOf(draw(without));
    if (!off_first) a = ProcessorSecondsOf(draw(off));
    if (i == 0) continue;  // touches memory for the first time
    pair.first = std::min(pair.first, a);
    pair.second = std::min(pair.second, b);
  }
  const double with = ProcessorSecondsOf(draw(on));
  claims.AtLeast("control_off_allowed_of_it", kOffAllowed / pair.ratio(), 1.0,
                 absl::StrFormat("off against without %.4f times (%.2f ms and %.2f ms, the fastest of %d in "
                                 "turn); on, %.2f ms",
                                 pair.ratio(), pair.first * 1e3, pair.second * 1e3, rounds, with * 1e3));
}

}  // namespace ringway::bench
