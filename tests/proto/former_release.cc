#include "tests/proto/former_release.h"

#include <google/protobuf/descriptor.pb.h>

#include <fstream>
#include <map>
#include <memory>

#include "core/check.h"

namespace ringway {
namespace {

namespace pb = google::protobuf;

// Today's name to that of before.
const std::map<std::string, std::string>& Renamed() {
  static const std::map<std::string, std::string> renamed = {
      {"ringway.v1.OnceRequest", "ringway.v1.OnceAsk"},
  };
  return renamed;
}

// Of its own release a message knows every field and every number by now.
bool Understood(const pb::Message& message) {
  const pb::Reflection& reflection = *message.GetReflection();
  std::vector<const pb::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const pb::FieldDescriptor* field : fields) {
    const int size = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < size; ++i) {
      if (field->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE) {
        const pb::Message& part = field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                                       : reflection.GetMessage(message, field);
        if (!Understood(part)) return false;
      } else if (field->cpp_type() == pb::FieldDescriptor::CPPTYPE_ENUM) {
        const int number = field->is_repeated() ? reflection.GetRepeatedEnumValue(message, field, i)
                                                : reflection.GetEnumValue(message, field);
        if (field->enum_type()->FindValueByNumber(number) == nullptr) return false;
      }
    }
  }
  return true;
}

}  // namespace

FormerRelease::FormerRelease() {
  std::ifstream file(RINGWAY_FORMER_RELEASE, std::ios::binary);
  pb::FileDescriptorSet files;
  RINGWAY_CHECK(files.ParseFromIstream(&file));
  for (const pb::FileDescriptorProto& one : files.file()) RINGWAY_CHECK(pool_.BuildFile(one) != nullptr);
}

std::vector<std::string> FormerRelease::Roots() {
  return {"ringway.v1.RouterMessage", "ringway.v1.ControllerMessage", "ringway.v1.LedgerUp",
          "ringway.v1.LedgerDown",    "ringway.v1.OnceRequest",       "ringway.v1.OnceReply",
          "ringway.v1.JobUp",         "ringway.v1.JobDown",           "ringway.v1.WatchRequest",
          "ringway.v1.WorkerState",   "ringway.v1.DrainRequest",      "ringway.v1.FenceRequest",
          "ringway.v1.RouterState",   "ringway.v1.ControllerState"};
}

const pb::Descriptor* FormerRelease::Find(const std::string& name_today) const {
  const auto renamed = Renamed().find(name_today);
  return pool_.FindMessageTypeByName(renamed != Renamed().end() ? renamed->second : name_today);
}

std::optional<std::string> FormerRelease::Pass(const std::string& name, const std::string& bytes) {
  const pb::Descriptor* const type = Find(name);
  RINGWAY_CHECK(type != nullptr);
  const std::unique_ptr<pb::Message> message(factory_.GetPrototype(type)->New());
  RINGWAY_CHECK(message->ParseFromString(bytes));
  message->DiscardUnknownFields();
  if (!Understood(*message)) return std::nullopt;
  return message->SerializeAsString();
}

}  // namespace ringway
