// The frame of every document: apiVersion, kind, metadata.name, spec.
//
// Unknown kinds and versions are problems here, with what is known as the suggestion; what is inside `spec`
// is its kind's own affair. metadata.labels and metadata.annotations are allowed and ignored, as
// Kubernetes tools add them.
#ifndef RINGWAY_TOPOLOGY_ENVELOPE_H_
#define RINGWAY_TOPOLOGY_ENVELOPE_H_

#include <string>
#include <string_view>
#include <vector>

#include "topology/mapping.h"

namespace ringway {

inline constexpr std::string_view kApiVersion = "ringway/v1";

struct Envelope {
  std::size_t kind;  // index into the kinds that the caller accepts
  std::string name;
  Mapping spec;
};

// One for each document whose kind is readable; the rest is in `problems`.
std::vector<Envelope> ReadEnvelopes(const YamlFile& file, const std::vector<std::string_view>& kinds,
                                    Problems& problems);

}  // namespace ringway

#endif  // RINGWAY_TOPOLOGY_ENVELOPE_H_
