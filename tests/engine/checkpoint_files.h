// Files and directories for the tests of checkpoints: a folder that removes itself, raw safetensors by hand.
//
// Every test gets a fresh folder under the system's temporary directory. RawSafetensors puts a header and
// data together without any check, so that a test can write what no writer would.
#ifndef RINGWAY_TESTS_ENGINE_CHECKPOINT_FILES_H_
#define RINGWAY_TESTS_ENGINE_CHECKPOINT_FILES_H_

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace ringway::engine {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ringway-engine-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~ScratchFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path Write(const std::string& name, std::string_view bytes) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file;
  }

 private:
  std::filesystem::path path_;
};

inline std::string RawSafetensors(std::string_view header, std::size_t data_bytes) {
  std::string file(8, '\0');
  const std::uint64_t size = header.size();
  std::memcpy(file.data(), &size, sizeof(size));
  file += header;
  file.append(data_bytes, '\x01');
  return file;
}

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_CHECKPOINT_FILES_H_
