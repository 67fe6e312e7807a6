// One line a claim: what was measured, against which bound, and whether it holds.
//
// `--brief` prints "ok|short NAME measured bound" and nothing else; without it, a remark follows that says
// what the figures are made of. Ratios are of two measurements in the same run, so they mean something on a
// busy machine too; absolute rates do not, and are remarks only.
#ifndef RINGWAY_BENCH_ENGINE_CLAIM_H_
#define RINGWAY_BENCH_ENGINE_CLAIM_H_

#include <cstdint>
#include <cstdio>
#include <string>

namespace ringway::bench {

// Of a prompt, in every network that is measured.
constexpr std::int64_t kTokens = 77;

struct RunOptions {
  bool quick = false;
  bool brief = false;
  int threads = 2;
};

class Claims {
 public:
  explicit Claims(bool brief) : brief_(brief) {}
  void AtLeast(const char* name, double measured, double bound, const std::string& remark) {
    const bool holds = measured >= bound;
    all_hold_ = all_hold_ && holds;
    std::printf("%-5s %-44s %.2f %.2f\n", holds ? "ok" : "short", name, measured, bound);
    Remark(remark);
  }
  void Remark(const std::string& text) const {
    if (!brief_) std::printf("        %s\n", text.c_str());
  }
  bool all_hold() const { return all_hold_; }

 private:
  bool brief_;
  bool all_hold_ = true;
};

// Only where oneDNN is there (RINGWAY_HAS_ONEDNN).
void MeasureProducts(const RunOptions& options, Claims& claims);
void MeasureContext(const RunOptions& options, Claims& claims);
// Only where the tests' small models are there (RINGWAY_HAS_MODEL_FILES).
void MeasureControl(const RunOptions& options, Claims& claims);
void MeasureFiles(const RunOptions& options, Claims& claims);
void MeasureInt8(const RunOptions& options, Claims& claims);
void MeasureOpening(const RunOptions& options, Claims& claims);
void MeasurePacked(const RunOptions& options, Claims& claims);
// Only says so where the bundled picture model is absent.
void MeasureScenes(const RunOptions& options, Claims& claims);
void MeasureSizes(const RunOptions& options, Claims& claims);
void MeasureUNet(const RunOptions& options, Claims& claims);
void MeasureAgainstTorch(const RunOptions& options, Claims& claims);

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_ENGINE_CLAIM_H_
