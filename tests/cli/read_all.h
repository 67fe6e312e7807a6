// What is in a file, for tests that read what a program wrote.
//
// Empty where there is none. Whoever writes it may end meanwhile: then this is what was read until then.
#ifndef RINGWAY_TESTS_CLI_READ_ALL_H_
#define RINGWAY_TESTS_CLI_READ_ALL_H_

#include <fstream>
#include <iterator>
#include <string>

namespace ringway {

inline std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace ringway

#endif  // RINGWAY_TESTS_CLI_READ_ALL_H_
