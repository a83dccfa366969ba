#pragma once

#include <memory>
#include <string_view>

#include "model/episode.h"
#include "model/labels.h"
#include "model/span.h"

namespace memuse::judge {

/// Name of the offline judge and of its rules, stored with every answer.
inline constexpr std::string_view kTracer = "tracer/1";

/// The offline judge (semantics.md §10, docs/tracer.md): says of every entry with a credit window what text alone can
/// show. Relevance and accuracy are not assessed.
///
/// The constructor reads the episode once; its work grows with the bytes of the episode. Keeps references to both
/// arguments, which must outlive it. `judge` is a pure function and may be called from several threads.
class Tracer {
 public:
  Tracer(const Episode& episode, const EpisodeSpans& spans);
  Tracer(Tracer&&) noexcept;
  Tracer& operator=(Tracer&&) noexcept;
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;
  ~Tracer();

  /// One answer for every entry of `span` that has a window, in their order; `span` is one of the spans given.
  [[nodiscard]] Answer judge(const Span& span) const;

 private:
  struct Record;
  std::unique_ptr<const Record> record_;
};

}  // namespace memuse::judge
