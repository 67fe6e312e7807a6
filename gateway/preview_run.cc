#include "gateway/preview_run.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/header_text.h"
#include "runtime/child_process.h"
#include "runtime/clock.h"

namespace ringway::gateway {
namespace {

constexpr Duration kStopLook = Milliseconds(100);
constexpr std::size_t kSaidBytesMax = 300;
constexpr int kNoFilm = 1;  // engine/preview/main.cc

// Its first line; it may be of a library, so it is escaped.
std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line(kSaidBytesMax, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return HeaderText::Escaped(line.substr(0, line.find('\n'))).text();
}

absl::Status Judged(int status, const PreviewRun& run) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return absl::InvalidArgumentError(signal == SIGXCPU ? "decoding it takes too long"
                                                        : absl::StrCat("decoding it ended with signal ",
                                                                       signal, " (", strsignal(signal), ")"));
  }
  if (WEXITSTATUS(status) == 0) return absl::OkStatus();
  const std::string said = FirstLine(run.said);
  return WEXITSTATUS(status) == kNoFilm ? absl::InvalidArgumentError(said) : absl::InternalError(said);
}

}  // namespace

std::string PreviewProgram() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / "ringway-preview").string();
}

absl::Status RunPreview(const PreviewRun& run, const std::atomic<bool>& stop) {
  std::error_code ignored;
  std::filesystem::remove(run.said, ignored);
  if (!std::filesystem::exists(run.program, ignored))
    return absl::UnimplementedError(absl::StrCat("there is no ", run.program));
  auto process = runtime::ChildProcess::Start({run.program, run.variant, run.film, run.picture}, run.said);
  if (!process.ok()) return absl::InternalError(process.status().message());
  const Time until = runtime::MonotonicNow() + run.limit;
  while (!stop) {
    if (const auto status = process->WaitFor(kStopLook)) return Judged(*status, run);
    if (runtime::MonotonicNow() > until) return absl::InvalidArgumentError("decoding it takes too long");
  }
  return absl::CancelledError("this router is stopping");
}

}  // namespace ringway::gateway
