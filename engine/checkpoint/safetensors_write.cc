#include <fstream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/checkpoint/safetensors.h"

namespace ringway::engine {
namespace {

void AppendQuoted(std::string_view text, std::string& out) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string HeaderText(std::span<const std::pair<std::string, Tensor>> tensors,
                       std::span<const std::pair<std::string, std::string>> metadata) {
  std::string text = "{";
  std::string_view separator;
  if (!metadata.empty()) {
    text += "\"__metadata__\":{";
    for (std::size_t i = 0; i < metadata.size(); ++i) {
      if (i > 0) text += ',';
      AppendQuoted(metadata[i].first, text);
      text += ':';
      AppendQuoted(metadata[i].second, text);
    }
    text += '}';
    separator = ",";
  }
  std::size_t at = 0;
  for (const auto& [name, tensor] : tensors) {
    text += separator;
    separator = ",";
    AppendQuoted(name, text);
    absl::StrAppend(&text, ":{\"dtype\":\"", tensor.dtype() == DType::kF32 ? "F32" : "BF16",
                    "\",\"shape\":", tensor.shape().ToString(), ",\"data_offsets\":[", at, ",",
                    at + tensor.size_bytes(), "]}");
    at += tensor.size_bytes();
  }
  text += '}';
  while (text.size() % 8 != 0) text += ' ';
  return text;
}

}  // namespace

absl::Status WriteSafetensors(const std::filesystem::path& path,
                              std::span<const std::pair<std::string, Tensor>> tensors,
                              std::span<const std::pair<std::string, std::string>> metadata) {
  for (const auto& [name, tensor] : tensors) RINGWAY_CHECK(tensor.dtype() != DType::kI32 && !tensor.empty());
  const std::string header = HeaderText(tensors, metadata);
  const auto header_bytes = static_cast<std::uint64_t>(header.size());
  const std::filesystem::path unfinished = path.string() + ".unfinished";
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(&header_bytes), sizeof(header_bytes));
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  for (const auto& [name, tensor] : tensors)
    file.write(reinterpret_cast<const char*>(tensor.bytes()),
               static_cast<std::streamsize>(tensor.size_bytes()));
  file.close();
  std::error_code error;
  if (file.good()) std::filesystem::rename(unfinished, path, error);
  if (!file.good() || error)
    return absl::UnavailableError(
        absl::StrCat(path.string(), ": cannot be written (disk full, or no permission?)"));
  return absl::OkStatus();
}

}  // namespace ringway::engine
