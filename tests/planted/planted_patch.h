// A planted fault, as its file in tests/planted/ tells it: a header for people, and a unified diff.
//
//   Fault: what the code does wrong then
//   Suffers: who would, in production
//   Found by: seed N of the seed suite: what its checker says
//
// Applies itself to texts, as patch(1) without fuzz does: a hunk's lines must stand in the file, together and
// in order, at whatever line. No file is written. Threads: values.
#ifndef RINGWAY_TESTS_PLANTED_PLANTED_PATCH_H_
#define RINGWAY_TESTS_PLANTED_PLANTED_PATCH_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringway {

struct PlantedPatch {
  struct Hunk {
    std::vector<std::string> before;
    std::vector<std::string> after;
  };
  std::string fault;
  std::string suffers;
  std::string found_by;
  std::map<std::string, std::vector<Hunk>> files;  // by path from the root
};

PlantedPatch ParsePlanted(std::string_view text);

// The lines with all hunks applied; empty: one does not apply.
std::vector<std::string> Apply(const std::vector<PlantedPatch::Hunk>& hunks,
                               const std::vector<std::string>& lines);

}  // namespace ringway

#endif  // RINGWAY_TESTS_PLANTED_PLANTED_PATCH_H_
