#include "topology/topology.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "topology/envelope.h"
#include "topology/read_tier.h"
#include "topology/read_world.h"
#include "topology/remarks.h"

namespace ringway {
namespace {

const std::vector<std::string_view> kWorldKinds = {"World", "Tier"};
enum : std::size_t { kWorld, kTier };

const Envelope* FindWorld(const std::vector<Envelope>& envelopes, Problems& problems) {
  const Envelope* world = nullptr;
  for (const Envelope& envelope : envelopes) {
    if (envelope.kind != kWorld) continue;
    if (world != nullptr) {
      problems.Add({envelope.spec.at(), "kind", "a second World", "one document of kind World a file", ""});
    }
    world = &envelope;
  }
  return world;
}

void ReadTiers(std::vector<Envelope>& envelopes, bool complete, Fleet& fleet, Problems& problems) {
  for (Envelope& envelope : envelopes) {
    if (envelope.kind != kTier) continue;
    if (fleet.tiers.size() >= kTiersMax) {
      return problems.Add(
          {envelope.spec.at(), "kind", "one more Tier", absl::StrCat("at most ", kTiersMax, " tiers"), ""});
    }
    if (!envelope.name.empty() && fleet.FindTier(envelope.name)) {
      problems.Add({envelope.spec.at(), "metadata.name",
                    absl::StrCat(Quoted(envelope.name), " a second time"), "a name of its own", ""});
    }
    fleet.tiers.push_back(ReadTier(envelope.name, envelope.spec, fleet.world, problems));
  }
  if (fleet.tiers.empty() && complete) {
    problems.Add({{}, "kind", "no Tier", "at least one document of kind Tier", ""});
  }
}

}  // namespace

std::optional<TierId> Topology::FindTier(std::string_view name) const {
  if (!name.empty()) return fleet->FindTier(name);
  return fleet->tiers.size() == 1 ? std::optional(TierId(0)) : std::nullopt;
}

std::optional<Topology> ParseTopology(std::string_view text, Problems& problems) {
  const YamlFile file = YamlFile::Parse(text, problems);
  const bool sound_yaml = problems.empty();
  std::vector<Envelope> envelopes = ReadEnvelopes(file, kWorldKinds, problems);
  // Whether what is missing is missing from the file, and not only behind a mistake that is named already.
  const bool complete = problems.empty() || (sound_yaml && envelopes.size() == file.documents().size());
  const Envelope* world = FindWorld(envelopes, problems);
  if (world == nullptr) {
    // Without the regions every name in the tiers would look wrong; what is known so far says enough.
    if (complete) problems.Add({{}, "kind", "no World", "one document of kind World", ""});
    return std::nullopt;
  }
  Fleet fleet;
  Mapping spec = world->spec;
  fleet.canary = ReadCanary(spec);
  fleet.world = ReadWorld(world->name, spec, problems);
  ReadTiers(envelopes, complete, fleet, problems);
  if (!problems.empty()) return std::nullopt;
  Topology topology;
  topology.remarks = WorldRemarks(fleet.world);
  for (const Tier& tier : fleet.tiers) {
    for (std::string& remark : TierRemarks(fleet.world, tier)) topology.remarks.push_back(std::move(remark));
  }
  topology.fleet = std::make_shared<const Fleet>(std::move(fleet));
  return topology;
}

absl::StatusOr<Topology> ParseTopology(std::string_view text, std::string_view file_name) {
  Problems problems(file_name);
  std::optional<Topology> topology = ParseTopology(text, problems);
  if (!topology) return problems.ToStatus();
  return *std::move(topology);
}

absl::StatusOr<std::string> ReadTextFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    const std::string why = absl::StrCat(path, ": cannot be opened: ", std::strerror(errno));
    return errno == EACCES ? absl::PermissionDeniedError(why) : absl::NotFoundError(why);
  }
  std::string text(kYamlBytesMax + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) return absl::NotFoundError(absl::StrCat(path, ": cannot be read; is it a directory?"));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kYamlBytesMax) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": larger than ", kYamlBytesMax, " bytes"));
  }
  return text;
}

absl::StatusOr<Topology> LoadTopology(const std::string& path) {
  absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  return ParseTopology(*text, path);
}

}  // namespace ringway
