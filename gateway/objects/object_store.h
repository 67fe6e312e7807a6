// A store of objects that many routers share: bytes under a key, whole or not there.
//
// What the gateway needs of one, and no more: put, get with a range, head, delete, and a list of keys in the
// order of their bytes. Each call answers exactly once, later and on the loop, unless it is abandoned first;
// Errors: NotFound (no such object), PermissionDenied (the credentials), Unavailable (it does not answer, or
// says so; again later), FailedPrecondition (it will not, whoever asks how often), DataLoss (an answer that
// is none).
//
// Invariants: an object that was put is what a later get gives, or NotFound; putting and deleting again does
// nothing new. Threads: the front's loop. Bounds: what is put is read, and what is got is handed over, in
// pieces; kSmallBytesMax of what is got as one.
#ifndef RINGWAY_GATEWAY_OBJECTS_OBJECT_STORE_H_
#define RINGWAY_GATEWAY_OBJECTS_OBJECT_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "core/time.h"

namespace ringway::gateway::objects {

inline constexpr std::size_t kSmallBytesMax = std::size_t{1} << 20;

// A call under way.
class ObjectCall {
 public:
  virtual ~ObjectCall() = default;
  // Of a stream: the store is not read from until Resume.
  virtual void Pause() = 0;
  virtual void Resume() = 0;
  virtual bool paused() const = 0;
  // Nothing is said any more.
  virtual void Abandon() = 0;
};

// Who gets an object as it comes.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;
  // The object, or its range, is there and will come.
  virtual void OnObjectBegin() = 0;
  virtual void OnObjectBytes(std::string_view bytes) = 0;
  // The last call. OK: all of the bytes have come.
  virtual void OnObjectEnd(const absl::Status& status) = 0;
};

// Bytes that go up: read in pieces, more than once. Fewer than asked for: they cannot be read.
struct ObjectSource {
  std::uint64_t bytes = 0;
  std::function<std::string(std::uint64_t offset, std::size_t count)> read = {};
};

// In the order of their bytes.
struct ObjectList {
  std::vector<std::string> keys = {};
  bool more = false;  // behind the last of them
};

class ObjectStore {
 public:
  using Call = std::shared_ptr<ObjectCall>;
  using Done = std::function<void(const absl::Status&)>;
  using GotSmall = std::function<void(const absl::StatusOr<std::string>&)>;
  using GotSize = std::function<void(const absl::StatusOr<std::uint64_t>&)>;
  using GotList = std::function<void(const absl::StatusOr<ObjectList>&)>;

  virtual ~ObjectStore() = default;

  virtual Call Put(const std::string& key, ObjectSource source, Done done) = 0;
  // `count` bytes from `first`; the sink lives until the end, or until the call is abandoned.
  virtual Call Get(const std::string& key, std::uint64_t first, std::uint64_t count, ObjectSink& sink) = 0;
  // As a whole; FailedPrecondition when it is larger than kSmallBytesMax.
  virtual Call GetSmall(const std::string& key, GotSmall done) = 0;
  virtual Call Head(const std::string& key, GotSize done) = 0;
  // OK also when it was not there.
  virtual Call Delete(const std::string& key, Done done) = 0;
  // At most `count` (1 to 1000) of the keys that begin with `prefix`, behind `after` (empty: from the first).
  virtual Call List(const std::string& prefix, const std::string& after, std::size_t count, GotList done) = 0;

  // Every quarter of a second.
  virtual void OnTick(Time now) = 0;
  // Ends everything; nothing is said any more.
  virtual void Close() = 0;
  // For people: where it is.
  virtual std::string name() const = 0;
};

}  // namespace ringway::gateway::objects

#endif  // RINGWAY_GATEWAY_OBJECTS_OBJECT_STORE_H_
