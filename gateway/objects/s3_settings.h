// Where an S3-compatible server is and what it wants to see: from the command line, a file, the environment.
//
// The place is http://HOST[:PORT]/BUCKET[/PREFIX], path-style; a bucket's name and a prefix are letters,
// digits and "-_.", so that they need no escapes. There is no https here: what ends TLS stands in front of
// the store. Credentials are those of the AWS programs: a file with aws_access_key_id, aws_secret_access_key
// and perhaps aws_session_token as NAME = VALUE (other lines are skipped, the first profile counts), or the
// environment's AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. They are in no error, no log
// and no command line.
//
// Bound: kCredentialsBytesMax. Threads: values; reading a file blocks.
#ifndef RINGWAY_GATEWAY_OBJECTS_S3_SETTINGS_H_
#define RINGWAY_GATEWAY_OBJECTS_S3_SETTINGS_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "gateway/objects/sigv4.h"

namespace ringway::gateway::objects {

inline constexpr std::size_t kCredentialsBytesMax = 64 << 10;

struct S3Place {
  std::string host = {};
  std::string port = "80";
  std::string authority = {};  // as it stands in the URL: what Host says
  std::string bucket = {};
  std::string prefix = {};  // empty, or ends with '/'
};

struct S3Settings {
  S3Place place = {};
  std::string region = "us-east-1";
  std::string credentials_file = {};  // empty: the environment
  Credentials credentials = {};       // as they were at the start
};

// Errors: InvalidArgument, with what is allowed.
absl::StatusOr<S3Place> ReadS3Place(std::string_view url);

// Of the text of a file. Errors: InvalidArgument, without a word of the text.
absl::StatusOr<Credentials> ReadCredentials(std::string_view text);

// From the file, or from the environment where `path` is empty. Errors: InvalidArgument, naming the file.
absl::StatusOr<Credentials> LoadCredentials(const std::string& path);

}  // namespace ringway::gateway::objects

#endif  // RINGWAY_GATEWAY_OBJECTS_S3_SETTINGS_H_
