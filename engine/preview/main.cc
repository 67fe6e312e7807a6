// ringway-preview: a picture that stands for a film, from bytes that nobody vouches for.
//
//   ringway-preview thumbnail|spritesheet FILM PICTURE
//
// Routers start it for the videos API; it is a program so that a film which breaks a decoder, or takes for
// ever, ends this process and no router. Exit codes: 0, PICTURE is written; 1, FILM is no film that is
// understood; 2, anything else (the command line, a file that cannot be read or written). One line on
// standard error says why; with 1 it is about the film alone, and is shown to whoever asked for the picture.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <string>
#include <string_view>

#include "engine/checkpoint/mapped_file.h"
#include "engine/media/preview.h"
#include "engine/preview/limits.h"

namespace ringway::engine {
namespace {

constexpr int kNoFilm = 1;
constexpr int kFailed = 2;
constexpr std::string_view kUsage = "usage: ringway-preview thumbnail|spritesheet FILM PICTURE";

int Ends(int code, std::string_view why) {
  std::cerr << "ringway-preview: " << why << "\n";
  return code;
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

int Main(std::string_view name, const std::string& film, const std::string& picture) {
  const auto preview = PreviewOf(name);
  if (!preview) return Ends(kFailed, kUsage);
  const auto mapped = MappedFile::Open(film);
  if (!mapped.ok()) return Ends(kFailed, std::string(mapped.status().message()));
  const int out = open(picture.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640);
  if (out < 0) return Ends(kFailed, picture + " cannot be written");
  const auto bytes = mapped->bytes();
  if (absl::Status limited = LimitThisProcess(bytes.size()); !limited.ok())
    return Ends(kFailed, std::string(limited.message()));
  const auto made = MakePreview({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, *preview);
  if (!made.ok()) {
    const std::string why(made.status().message());
    if (!absl::IsInvalidArgument(made.status())) return Ends(kFailed, film + ": " + why);
    std::cerr << why << "\n";
    return kNoFilm;
  }
  return WriteAll(out, *made) && close(out) == 0 ? 0 : Ends(kFailed, picture + " cannot be written");
}

}  // namespace
}  // namespace ringway::engine

int main(int argc, char** argv) {
  using ringway::engine::Ends;
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::cout << ringway::engine::kUsage << "\n";
    return 0;
  }
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    std::cout << "ringway-preview " RINGWAY_BUILD "\n";
    return 0;
  }
  if (argc != 4) return Ends(ringway::engine::kFailed, ringway::engine::kUsage);
  return ringway::engine::Main(argv[1], argv[2], argv[3]);
}
