// Where this program's own files lie: the daemons beside it, the topologies that ship with it.
//
// Nothing is looked for elsewhere, so that no other release on the PATH is started by chance.
// In the source tree that it was built in, beside an installed program, or in the folder that it is run from,
// in this order. Threads: any.
#ifndef RINGWAY_CLI_PROGRAMS_H_
#define RINGWAY_CLI_PROGRAMS_H_

#include <string>

namespace ringway::cli {

// The daemons are built and installed beside this program.
std::string OwnFolder();
// A file of topology/.
std::string ShippedTopology(const std::string& file);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_PROGRAMS_H_
