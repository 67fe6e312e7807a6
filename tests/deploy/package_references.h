// What the pages and manuals of an unpacked package refer to, and which of it the package does not hold.
//
// A page's links are relative to the page. A path between backticks is one of the checkout, whose docs/ is
// the folder of the pages; of these only files that an operator uses are looked for: manifests, units,
// topologies, scenarios, pages. Names of sources and of tests are for readers of the sources, who have them.
// In a manual every absolute path below /usr and /etc has to be there, and no path of the machine that built
// the package.
//
// Pure but for reading the files. Findings have file and line.
#ifndef RINGWAY_TESTS_DEPLOY_PACKAGE_REFERENCES_H_
#define RINGWAY_TESTS_DEPLOY_PACKAGE_REFERENCES_H_

#include <filesystem>
#include <string>
#include <vector>

namespace ringway {

// `root`: the unpacked package. "file:line: what is missing", sorted by file.
std::vector<std::string> MissingInPackage(const std::filesystem::path& root);

}  // namespace ringway

#endif  // RINGWAY_TESTS_DEPLOY_PACKAGE_REFERENCES_H_
