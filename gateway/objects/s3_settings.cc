#include "gateway/objects/s3_settings.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "core/header_text.h"

namespace ringway::gateway::objects {
namespace {

constexpr char kForm[] = "allowed is http://HOST[:PORT]/BUCKET[/PREFIX]";

bool IsPlain(std::string_view text, std::string_view more) {
  return std::all_of(text.begin(), text.end(), [more](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || more.find(c) != std::string_view::npos;
  });
}

bool IsComplete(const Credentials& credentials) {
  const auto plain = [](const std::string& text) {
    return std::all_of(text.begin(), text.end(), IsPrintableAscii);
  };
  // The id stands in a field of the request, between commas and slashes.
  return !credentials.key_id.empty() && IsPlain(credentials.key_id, "-_.+=:@") &&
         !credentials.secret.empty() && plain(credentials.secret) && plain(credentials.session_token);
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

absl::StatusOr<S3Place> ReadS3Place(std::string_view url) {
  const auto wrong = [url](const std::string& why) {
    return absl::InvalidArgumentError(
        absl::StrCat("is '", HeaderText::Escaped(url).text(), "', ", why, "; ", kForm));
  };
  constexpr std::string_view kScheme = "http://";
  if (url.starts_with("https://"))
    return wrong("and TLS is not spoken here: let a proxy on this machine end it and name the proxy");
  if (!url.starts_with(kScheme)) return wrong("which has no scheme that is known");
  std::string_view rest = url.substr(kScheme.size());
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return wrong("which names no bucket");
  S3Place place;
  place.authority = std::string(rest.substr(0, slash));
  rest.remove_prefix(slash + 1);
  const std::size_t colon = place.authority.rfind(':');
  const bool bracketed = place.authority.starts_with('[');
  const std::size_t closed = place.authority.find(']');
  const bool with_port =
      colon != std::string::npos && (!bracketed || (closed != std::string::npos && colon > closed));
  place.host = place.authority.substr(0, with_port ? colon : std::string::npos);
  if (bracketed && place.host.size() > 2) place.host = place.host.substr(1, place.host.size() - 2);
  if (with_port) place.port = place.authority.substr(colon + 1);
  const bool number =
      !place.port.empty() && place.port.size() <= 5 &&
      std::all_of(place.port.begin(), place.port.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!number || place.host.empty() || !IsPlain(place.host, "-._:"))
    return wrong("whose host or port is none");
  const std::size_t end = rest.find('/');
  place.bucket = std::string(rest.substr(0, end));
  place.prefix = end == std::string_view::npos ? "" : std::string(rest.substr(end + 1));
  if (place.bucket.empty() || !IsPlain(place.bucket, "-_.")) return wrong("whose bucket is none");
  const bool dots = absl::StrCat("/", place.prefix, "/").find("/.") != std::string::npos;
  if (!IsPlain(place.prefix, "-_./") || place.prefix.starts_with('/') || dots ||
      place.prefix.find("//") != std::string::npos || place.prefix.size() > 256)
    return wrong("whose prefix is none");
  if (!place.prefix.empty() && !place.prefix.ends_with('/')) place.prefix += '/';
  return place;
}

absl::StatusOr<Credentials> ReadCredentials(std::string_view text) {
  Credentials credentials;
  bool in_profile = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view bare(absl::StripAsciiWhitespace(AbslView(line)).data(),
                                absl::StripAsciiWhitespace(AbslView(line)).size());
    if (bare.starts_with('[') && std::exchange(in_profile, true)) break;
    const std::size_t equals = bare.find('=');
    if (equals == std::string_view::npos) continue;
    const auto trimmed = [](std::string_view part) {
      return std::string(absl::StripAsciiWhitespace(AbslView(part)));
    };
    const std::string name = absl::AsciiStrToLower(trimmed(bare.substr(0, equals)));
    const std::string value = trimmed(bare.substr(equals + 1));
    if (name == "aws_access_key_id") credentials.key_id = value;
    if (name == "aws_secret_access_key") credentials.secret = value;
    if (name == "aws_session_token") credentials.session_token = value;
  }
  if (IsComplete(credentials)) return credentials;
  return absl::InvalidArgumentError(
      "has no aws_access_key_id = ... and aws_secret_access_key = ... of printable ASCII");
}

absl::StatusOr<Credentials> LoadCredentials(const std::string& path) {
  if (path.empty()) {
    Credentials credentials{.key_id = Environment("AWS_ACCESS_KEY_ID"),
                            .secret = Environment("AWS_SECRET_ACCESS_KEY"),
                            .session_token = Environment("AWS_SESSION_TOKEN")};
    if (IsComplete(credentials)) return credentials;
    return absl::InvalidArgumentError(
        "the environment has no AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; set them, or name a file");
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(kCredentialsBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad())
    return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be read"));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kCredentialsBytesMax)
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is larger than ", kCredentialsBytesMax, " bytes"));
  auto credentials = ReadCredentials(text);
  if (credentials.ok()) return credentials;
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", credentials.status().message()));
}

}  // namespace ringway::gateway::objects
