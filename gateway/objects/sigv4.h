// AWS Signature Version 4 in the Authorization field: how a request to an S3-compatible server proves who
// sends it.
//
// The request is written in one canonical way (method, path, query sorted by name, fields sorted by name, the
// SHA-256 of the body), hashed, and signed with a key that is derived from the secret for one day, region and
// service. What is signed is what the caller hands over: Host, Range and every x-amz- field must be in
// `fields`, their names in small letters. A path is encoded once, as S3 wants it.
//
// Source: "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)", Amazon S3 API
// Reference; its examples are the test. SHA-256 and HMAC are OpenSSL's. Pure: the time is an argument.
// Complexity: linear in the request. Threads: values.
#ifndef RINGWAY_GATEWAY_OBJECTS_SIGV4_H_
#define RINGWAY_GATEWAY_OBJECTS_SIGV4_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/time.h"

namespace ringway::gateway::objects {

struct Credentials {
  std::string key_id = {};
  std::string secret = {};
  std::string session_token = {};  // of temporary ones; empty: none
};

// What is signed beside the secret.
struct SignedRequest {
  std::string method = {};
  std::string path = {};                           // not encoded; begins with '/'
  std::map<std::string, std::string> query = {};   // not encoded
  std::map<std::string, std::string> fields = {};  // by name in small letters; the values as they are sent
  std::string body_sha256 = {};                    // in hex
};

// A SHA-256 that grows.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void Add(std::string_view bytes);
  // In hex; nothing may be added afterwards.
  std::string Hex();
  static std::string Of(std::string_view bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// RFC 3986: all but letters, digits, '-', '.', '_' and '~' as %XX; with `slashes`, '/' stays too.
std::string UriEncoded(std::string_view text, bool slashes);
// "a=b&c=", encoded and sorted: how it is signed, and how it goes out.
std::string CanonicalQuery(const std::map<std::string, std::string>& query);
// 20130524T000000Z
std::string AmzDate(Time at);

// The value of Authorization. `at` is what x-amz-date says.
std::string Authorization(const SignedRequest& request, const Credentials& credentials,
                          std::string_view region, Time at);

}  // namespace ringway::gateway::objects

#endif  // RINGWAY_GATEWAY_OBJECTS_SIGV4_H_
