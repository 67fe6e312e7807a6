// A fleet as the text of a topology file, for what keeps a fleet as its operator would have written it: the
// journal of a controller that was never given a file (sim/journals/).
//
// Every setting is written, whether or not it has its default, in digits that read back as the same number:
// what is read from the text is the fleet again, bit for bit, but for the shares of the population, which are
// brought to a sum of 1 anew. A struct of core/tier.h that gains a field does not compile here until it is
// written.
//
// Errors: InvalidArgument where no topology file describes the fleet (a value out of its range, a name that
// is none), with the place in the text that would have been written. Pure. Time: quadratic in the regions,
// and that of reading the text, because what was written is read and compared.
#ifndef RINGWAY_TOPOLOGY_TOPOLOGY_TEXT_H_
#define RINGWAY_TOPOLOGY_TOPOLOGY_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "core/fleet.h"

namespace ringway {

absl::StatusOr<std::string> TopologyText(const Fleet& fleet);

}  // namespace ringway

#endif  // RINGWAY_TOPOLOGY_TOPOLOGY_TEXT_H_
