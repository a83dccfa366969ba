// How long do questions about lineage take in a large study? Writes a made-up database of 32,000 episodes with about a
// million deliveries (unless it is there), then answers questions about single items and about origins.
//
//   build/release/bench_lineage /tmp/large.db

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string>

#include "graph/item_lineage.h"
#include "graph/origins.h"
#include "store/item_facts.h"
#include "store/origin_facts.h"
#include "store/writer.h"

namespace {

using namespace memuse;

constexpr std::uint32_t kRuns = 16;
constexpr std::uint32_t kEpisodesPerRun = 2000;
constexpr std::uint32_t kSpans = 10;
constexpr std::uint32_t kDeliveriesPerSpan = 3;
constexpr std::uint32_t kEntries = 3;
constexpr std::uint32_t kOperations = 4;

/// The item of an entry: `everywhere` in each episode, else one of the items that earlier episodes made.
std::string item_name(std::uint32_t episode, std::uint32_t span, std::uint32_t entry) {
  if (span == 0 && entry == 0) return "everywhere";
  const std::uint32_t number = (episode * 7919 + span * 104729 + entry * 1299709) % (kEpisodesPerRun * kOperations);
  return fmt::format("item-{}", number);
}

Episode made_up_episode(std::uint32_t run, std::uint32_t number) {
  Episode episode;
  Arena& arena = episode.arena;
  const auto keep = [&arena](const std::string& text) { return arena.keep(text); };
  episode.id = keep(fmt::format("episode-{}", number));
  episode.task_id = keep(fmt::format("task-{}", number % 500));
  episode.configuration = keep(fmt::format("configuration-{}", run / 4));
  episode.run = keep(fmt::format("run-{}", run % 4));
  episode.position = number + 1;
  episode.repo = keep(fmt::format("lab/project-{}", number % 12));
  episode.outcome = Outcome{number % 3 != 0, std::nullopt, "check"};
  episode.steps.resize(kSpans * kDeliveriesPerSpan);
  for (std::uint32_t span = 0; span < kSpans; ++span) {
    for (std::uint32_t again = 0; again < kDeliveriesPerSpan; ++again) {
      Delivery delivery;
      delivery.id = keep(fmt::format("d{}", span * kDeliveriesPerSpan + again));
      delivery.form = "recall";
      delivery.order = ++episode.lines;
      delivery.consuming_step = span * kDeliveriesPerSpan + again + 1;
      for (std::uint32_t entry = 0; entry < kEntries; ++entry) {
        Entry one;
        one.item = keep(item_name(number, span, entry));
        one.version = keep(fmt::format("{}.1", *one.item));
        one.text = keep(fmt::format("What was learnt as {}: {:0>160}", *one.item, entry));
        delivery.entries.push_back(one);
      }
      episode.deliveries.push_back(std::move(delivery));
    }
    Search search;
    search.id = keep(fmt::format("q{}", span));
    search.query = "what to know";
    for (std::uint32_t entry = 0; entry < kEntries; ++entry) {
      const std::string_view item = keep(item_name(number, span, entry));
      search.returned.push_back({item, keep(fmt::format("{}.1", item)), 0.5});
    }
    search.order = ++episode.lines;
    search.step = span * kDeliveriesPerSpan + 1;
    episode.searches.push_back(std::move(search));
  }
  for (std::uint32_t i = 0; i < kOperations; ++i) {
    MemoryOperation operation;
    operation.op = MemoryOp::create;
    operation.item = keep(fmt::format("item-{}", number * kOperations + i));
    operation.version = keep(fmt::format("{}.1", operation.item));
    operation.text = keep(fmt::format("What was learnt as {}: {:0>160}", operation.item, i));
    operation.operation = "generation";
    operation.steps = {1, 2, 3};
    operation.order = ++episode.lines;
    operation.after_step = episode.step_count();
    if (i + 1 == kOperations) {
      operation.op = MemoryOp::update;
      operation.from = {keep(fmt::format("item-{}.0", number * kOperations + i))};
    }
    episode.memory_operations.push_back(std::move(operation));
  }
  episode.source = {"made-up.jsonl",
                    "memuse-trace",
                    "1",
                    "",
                    number + 1,
                    number * 10,
                    number * 10 + 9,
                    sha256_hex(fmt::format("{}/{}", run, number))};
  return episode;
}

EpisodeSpans made_up_spans() {
  EpisodeSpans spans;
  for (std::uint32_t span = 0; span < kSpans; ++span) {
    Span one{span + 1, span * kDeliveriesPerSpan + 1, (span + 1) * kDeliveriesPerSpan, Routing::judged, {}, {}};
    for (std::uint32_t again = 0; again < kDeliveriesPerSpan; ++again) {
      const std::uint32_t delivery = span * kDeliveriesPerSpan + again;
      one.deliveries.push_back({delivery, delivery + 1, again > 0});
    }
    for (std::uint32_t entry = 0; entry < kEntries; ++entry) {
      one.entries.push_back({entry, Window{one.first_step, one.last_step}});
    }
    spans.spans.push_back(std::move(one));
  }
  return spans;
}

void write_database(const std::string& path) {
  store::Database database = store::Database::open(path);
  store::Writer writer(database);
  const EpisodeSpans spans = made_up_spans();
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    for (std::uint32_t number = 0; number < kEpisodesPerRun; ++number) writer.add(made_up_episode(run, number), spans);
  }
  writer.finish();
}

template <typename Work>
void timed(const std::string& what, const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t cpu_begin = std::clock();
  const std::string found = work();
  const double cpu = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::puts(fmt::format("{:<38} {:>8.3f} s, CPU {:>7.3f} s   {}", what, took.count(), cpu, found).c_str());
}

std::string ask(const store::Database& database, const store::ItemFilter& filter) {
  std::size_t deliveries = 0;
  std::size_t traced = 0;
  for (graph::ItemFacts& facts : store::item_facts(database, filter, std::nullopt)) {
    for (const graph::Showing& showing : graph::item_lineage(std::move(facts)).showings) {
      deliveries += showing.exposure.placements.size();
      if (showing.origin.kind == graph::OriginKind::earlier_episode) ++traced;
    }
  }
  return fmt::format("{} deliveries, {} traced spans", deliveries, traced);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: bench_lineage DATABASE\n", stderr);
    return 2;
  }
  const std::string path = argv[1];
  if (!std::filesystem::exists(path)) {
    timed("write 32,000 episodes", [&] {
      write_database(path);
      return fmt::format("{} deliveries", kRuns * kEpisodesPerRun * kSpans * kDeliveriesPerSpan);
    });
  }
  const store::Database database = store::Database::open_existing(path);
  timed("an item, all runs", [&] { return ask(database, {"item-4712", {}, {}, {}}); });
  timed("an item, one run", [&] { return ask(database, {"item-4712", "configuration-0", "run-0", {}}); });
  timed("an item that is not there", [&] { return ask(database, {"item-x", {}, {}, {}}); });
  timed("an item of every episode, one run", [&] {
    return ask(database, {"everywhere", "configuration-0", "run-0", {}});
  });
  timed("an item of every episode, all runs", [&] { return ask(database, {"everywhere", {}, {}, {}}); });
  timed("origins without answers", [&] {
    std::size_t runs = 0;
    store::for_each_run_of_origins(database, std::nullopt, [&](const graph::RunOriginFacts&) { ++runs; });
    return fmt::format("{} runs", runs);
  });
  return 0;
}
