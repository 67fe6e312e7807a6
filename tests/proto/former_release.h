// The release before this one, as far as others notice: which messages and fields it knows.
//
// The texts in former_release/ are read when a test begins; no code is made of them. What a process of that
// release writes or reads passes through its descriptors, so whatever it does not know is missing on the
// other side. It does not behave as that release did in anything else.
//
// Names of messages may change from one release to the next, because the wire carries numbers; those that did
// are listed here. Threads: one owner. Complexity: linear in the message, through reflection.
#ifndef RINGWAY_TESTS_PROTO_FORMER_RELEASE_H_
#define RINGWAY_TESTS_PROTO_FORMER_RELEASE_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>

#include <optional>
#include <string>
#include <vector>

namespace ringway {

class FormerRelease {
 public:
  FormerRelease();

  // What is left of a message with this name of today's. Nothing: it says what that release refuses to read,
  // a number of an enumeration that it does not have.
  std::optional<std::string> Pass(const std::string& name, const std::string& bytes);

  // Null: it has none.
  const google::protobuf::Descriptor* Find(const std::string& name_today) const;
  // Today's names of the messages that are streams, calls or files of their own.
  static std::vector<std::string> Roots();

 private:
  google::protobuf::DescriptorPool pool_;
  google::protobuf::DynamicMessageFactory factory_;
};

}  // namespace ringway

#endif  // RINGWAY_TESTS_PROTO_FORMER_RELEASE_H_
