// A file that is written whole or not at all, whatever happens meanwhile.
//
// The bytes go to a new file with the ending .tmp in the same folder (what lies there already, a symbolic
// link too, is removed and never followed), are synced, and take the place of the old file; then the folder
// is synced. Readable by the owner alone. A symbolic link at `path` itself is replaced by the file.
// When it fails, the old file is as it was and nothing is left of the new one; after a kill, a .tmp may be.
//
// Threads: one writer a path.
#ifndef RINGWAY_RUNTIME_WHOLE_FILE_H_
#define RINGWAY_RUNTIME_WHOLE_FILE_H_

#include <initializer_list>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace ringway::runtime {

// The parts, one after the other. Errors: Internal, with the file and what could not be done.
absl::Status WriteWholeFile(const std::string& path, std::initializer_list<std::string_view> parts);

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_WHOLE_FILE_H_
