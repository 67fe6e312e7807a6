#include "engine/media/libav.h"

#include <dlfcn.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"

namespace ringway::engine {
namespace {

enum Library : std::uint8_t { kFormat, kCodec, kScale, kUtil, kLibraries };

// As the linker would have recorded it.
std::string FileOf(Library library) {
  switch (library) {
    case kFormat:
      return absl::StrCat("libavformat.so.", LIBAVFORMAT_VERSION_MAJOR);
    case kCodec:
      return absl::StrCat("libavcodec.so.", LIBAVCODEC_VERSION_MAJOR);
    case kScale:
      return absl::StrCat("libswscale.so.", LIBSWSCALE_VERSION_MAJOR);
    default:
      return absl::StrCat("libavutil.so.", LIBAVUTIL_VERSION_MAJOR);
  }
}

struct Loaded {
  Libav table;
  absl::Status status;
};

absl::Status Fill(Libav& table) {
  void* handles[kLibraries] = {};
  for (int i = 0; i < kLibraries; ++i) {
    const std::string file = FileOf(static_cast<Library>(i));
    handles[i] = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handles[i] == nullptr)
      return absl::UnimplementedError(absl::StrCat(
          file, ": cannot be loaded, so there are no films in MP4 here: ", dlerror(), "; install FFmpeg"));
  }
#define RINGWAY_LIBAV_FIND(library, function)                                                      \
  table.function = reinterpret_cast<decltype(table.function)>(dlsym(handles[library], #function)); \
  if (table.function == nullptr)                                                                   \
    return absl::UnimplementedError(absl::StrCat(FileOf(library), ": has no ", #function));
  RINGWAY_LIBAV_FUNCTIONS(RINGWAY_LIBAV_FIND)
#undef RINGWAY_LIBAV_FIND
  return absl::OkStatus();
}

const Loaded& Load() {
  static const Loaded& loaded = *[] {
    auto* made = new Loaded;
    made->status = Fill(made->table);
    return made;
  }();
  return loaded;
}

}  // namespace

absl::Status LoadLibav() { return Load().status; }

const Libav& Av() { return Load().table; }

}  // namespace ringway::engine
