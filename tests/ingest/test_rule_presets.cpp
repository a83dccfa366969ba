#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "../support/data.h"
#include "../support/rule_episode.h"
#include "ingest/delivery_rules.h"

// Each rule of each preset, on a text of its form with words of our own.

namespace memuse::ingest {
namespace {

using test::entries_of;
using test::episode_with;
using test::Placed;
using Lines = std::vector<std::string>;

constexpr Role kSystem = Role::system;
constexpr Role kUser = Role::user;
constexpr Role kTool = Role::tool;

struct Case {
  std::string rule;
  Placed placed;
  Lines entries;  ///< as `entries_of` prints them; empty for a delivery of nothing or of unsplit text
};

// clang-format off
const std::vector<Case>& host_cases() {
  static const std::vector<Case> all{
      {"mem0/user-memories", {kSystem, "Answer based on the query and memories.\nUser Memories:\n- Sails on Sundays\n- Owns a kayak\n\nBe kind."},
       {"- [] Sails on Sundays", "- [] Owns a kayak"}},
      {"mem0/user-memories", {kSystem, "Answer based on query and memories.\nUser Memories:\n"}, {}},
      {"mem0/system-message", {kSystem, "System Message: These are the memories I have stored. Use them.\n\n Memory: Sails on Sundays\n\n Memory: Owns a kayak\n\n"},
       {"- [] Sails on Sundays", "- [] Owns a kayak"}},
      {"mem0/relevant-memories", {kUser, "<relevant-memories>\nThe following are stored memories for user \"ana\". Use them:\n- Sails on Sundays [sport]\n</relevant-memories>\n\nPlan my week."},
       {"- [] Sails on Sundays"}},
      {"mem0/relevant-memories", {kUser, "<relevant-memories>\nNo stored memories found for \"ana\".\n</relevant-memories>\nHello"}, {}},
      {"mem0/recalled-memories", {kUser, "<recalled-memories>\nStored memories for \"ana\" (2 total, ranked by importance):\n\nIdentity:\n- Lives at the coast [home] (90%)\n\nHobbies:\n- Owns a kayak (40%)\n\n</recalled-memories>\nHello"},
       {"- [] Lives at the coast", "- [] Owns a kayak"}},
      {"mem0/pi-extension", {kUser, "<mem0-relevant-memories>\nRetrieved automatically.\n1. [home] Lives at the coast (3h ago) [mem0:4f1c-77]\n2. [sport] Owns a kayak [mem0:9a2b-10]\n</mem0-relevant-memories>"},
       {"4f1c-77 [4f1c-77;] Lives at the coast", "9a2b-10 [9a2b-10;] Owns a kayak"}},
      {"mem0/prompt-hook", {kUser, "<system-reminder>\nUserPromptSubmit hook additional context: ### Relevant memories (auto-retrieved for this request)\n\n- [habit] Runs the tests\nbefore lunch [mem0:4f1c77aa]\n- [place] Works from the boat [mem0:?]\n</system-reminder>"},
       {"- [4f1c77aa;] Runs the tests\nbefore lunch", "- [] Works from the boat"}},
      {"mem0/file-read-hook", {kUser, "Prior work on src/tide.py — 1 memories found.\nNeed details? Ask.\n- \u2605 [decision] (2d) Tides are in metres [mem0:4f1c77aa]\n"},
       {"- [4f1c77aa;] Tides are in metres"}},
      {"reasoningbank/memory-items", {kSystem, "You help.\n\nBelow are some memory items that I accumulated from past interaction from the environment. Use them.\n# Memory Item 1\n## Title Read the log\n## Description Logs first.\n## Content Open the log.\n\nThen look for the first error.\n\n# Memory Item 2\n## Title Small steps\n## Description One at a time.\n## Content Change one thing.\n"},
       {"- [Memory Item 1;Read the log;] ## Title Read the log\n## Description Logs first.\n## Content Open the log.\n\nThen look for the first error.",
        "- [Memory Item 2;Small steps;] ## Title Small steps\n## Description One at a time.\n## Content Change one thing."}},
      {"reasoningbank/memory-items", {kSystem, "Below are some memory items that I accumulated from past interaction\nWorkflow: open, edit, save."}, {}},
      {"tencentdb/facts", {kUser, "<relevant-memories>\n- [persona] Sails on Sundays\n- [episodic|trip] Went to the island (\u6d3b\u52a8\u65f6\u95f4: 2026-01-02\u8d77)\n</relevant-memories>\nHello"},
       {"- [] Sails on Sundays", "- [] Went to the island"}},
      {"tencentdb/persona", {kSystem, "You help.\n<user-persona>\nA calm person.\n</user-persona>"}, {"- [] A calm person."}},
      {"tencentdb/core", {kSystem, "You help.\n<user-core>\nA calm person.\n</user-core>"}, {"- [] A calm person."}},
      {"tencentdb/scenes", {kSystem, "<scene-navigation>\n### Path: scenes/boat.md\n**\u70ed\u5ea6**: 3\nSummary: The boat and its parts\n</scene-navigation>"},
       {"scenes/boat.md [scenes/boat.md;] The boat and its parts"}},
      {"tencentdb/skills", {kSystem, "## Skills (mandatory)\nLoad them.\n<available_skills>\n- rig-boat: How to rig the boat\n</available_skills>"}, {"- [rig-boat;] How to rig the boat"}},
      {"tencentdb/skills", {kSystem, "## Skills (mandatory)\nLoad them.\n<available_skills>\n(none)\n</available_skills>"}, {}},
      {"letta/memory-blocks", {kSystem, "<memory_blocks>\nBlocks:\n\n<boat>\n<description>\nThe boat.\n</description>\n<metadata>\n- chars_current=9\n</metadata>\n<warning>\nLines are numbered.\n</warning>\n<value>\n1\u2192 Blue hull.\n2\u2192 Two sails.\n</value>\n</boat>\n\n</memory_blocks>"},
       {"boat [boat;] Blue hull.\nTwo sails."}},
      {"merit/facts", {kSystem, "You are a clerk.\n\nRelevant notes from previous sessions:\n[facts]\norder 7.rebate_cents = 1900  (ep a1-e0)\nuser.berth = north pier  (ep a1-e1)\n[related transcripts]\n[user] hello"},
       {"- [] order 7.rebate_cents = 1900", "- [] user.berth = north pier", "- [] [user] hello"}},
      {"merit/summaries", {kSystem, "You are a clerk.\n\nRelevant notes from previous sessions:\n\n[Episode a1-e0] Rebate was agreed.\nIt is 19.\n[Episode a1-e1] Berth changed."},
       {"- [a1-e0;] Rebate was agreed.\nIt is 19.", "- [a1-e1;] Berth changed."}},
      {"merit/transcripts", {kSystem, "You are a clerk.\n\nRelevant notes from previous sessions:\n[user] hello\n---\n[user] bye"}, {"- [] [user] hello\n---\n[user] bye"}},
      {"generic/memory-tag", {kUser, "Do it.\n\n<retrieved_memories>\n1. The pier closes at six\n2. Ropes are\n   in the shed\n</retrieved_memories>"}, {"- [] The pier closes at six", "- [] Ropes are\n   in the shed"}},
      {"generic/heading", {kSystem, "You help.\n\n## Relevant memories\n- The pier closes at six\n\n## Rules\n- Be kind"}, {"- [] The pier closes at six"}},
      {"zep/wrapped-context", {kSystem, "The following context is retrieved from Zep, the agent's long-term memory. Use it.\n\n<ZEP_CONTEXT>\n<FACTS>\n  - The pier closes at six. (date unknown - present)\n</FACTS>\n<ENTITIES>\n  - pier: Wood and iron.\n</ENTITIES>\n</ZEP_CONTEXT>"},
       {"- [] The pier closes at six.", "- [pier;] Wood and iron."}},
      {"zep/composed-context", {kSystem, "You help.\n# High-level summary of the user\n<USER_SUMMARY>\nSails.\n</USER_SUMMARY>\n<FACTS>\nThe pier closes (at six). (Date range: 2026-01-01 - present)\n  Labels: X\n\n</FACTS>\n<ENTITIES>\nName: pier\nSummary: Wood.\n</ENTITIES>\n<EPISODES>\n(2026-01-01T00:00:00Z) user: hello\n</EPISODES>"},
       {"- [] Sails.", "- [] The pier closes (at six).", "- [pier;] Wood.", "- [] user: hello"}},
      {"graphiti/context-string", {kUser, "    FACTS and ENTITIES represent relevant context to the current conversation.\n    <FACTS>\n            [{\"fact\": \"The pier closes at six.\", \"valid_at\": \"None\"}]\n    </FACTS>\n    <COMMUNITIES>\n            [{\"community_name\": \"harbour\", \"summary\": \"Piers and boats.\"}]\n    </COMMUNITIES>\n\nWhen does it close?"},
       {"- [] The pier closes at six.", "- [harbour;] Piers and boats."}},
      {"amem/notes", {kUser, "Based on the context: memory index:0\t talk start time:20260101\t memory content: Anna says : six\nsharp\t memory context: Piers\t memory keywords: ['pier']\t memory tags: ['time']\n, answer the following question."}, {"- [] Anna says : six\nsharp"}},
      {"amem/experiences", {kUser, "[RELEVANT PAST EXPERIENCES]\nUse them.\n\n**Experience #1** (Relevance: 0.50)\n- **Context:** Build\n- **Key Actions:** Command: make\nStatus: success\n- **Keywords:** make\n- **Tags:** t\n- **Outcome:** Success\n\n[END PAST EXPERIENCES]"}, {"- [Experience #1;] Command: make\nStatus: success"}},
      {"langmem/system-memories", {kSystem, "Help.\n\n## Memories\n<memories>\n[Item(namespace=['m'], key='k-1', value={'kind': 'Note', 'content': {'content': \"Ana's boat is blue\"}}, created_at='2026', updated_at='2026', score=None)]\n</memories>"}, {"k-1 [k-1;] Ana's boat is blue"}},
      {"langmem/memories-text", {kSystem, "Help.\n\nExisting memories:\n<memories>\nThe boat is blue.\n</memories>"}, {"- [] The boat is blue."}},
      {"cognee/prompt-hook", {kUser, "Cognee memory: recall 0 session / 1 trace / 0 graph / 0 agent; saved\n\nRelevant context from this session's memory:\n\n=== Prior agent trace ===\n[trace] Edit \u2014 success\n  output: ok\n"}, {"- [] [trace] Edit \u2014 success\n  output: ok"}},
      {"cognee/prompt-hook", {kUser, "Cognee memory: recall 0 session / 0 trace / 0 graph / 0 agent; saved\n\n(no memory matches for this prompt)"}, {}},
      {"mempalace/wake-up", {kUser, "I keep the harbour log.\n\n## L1 \u2014 ESSENTIAL STORY\n\n[rules]\n  - pier closes at six  (log.md)\n  ... (more in L3 search)"}, {"- [] I keep the harbour log.", "- [log.md;] pier closes at six"}},
      {"memgovern/task-recall", {kUser, "Fix it.\n\nRetrieved bug fix experiences for reference:\nExperience #1 (id=sea/pier12, repo=sea/pier)\nClose the gate.\n\n---\n\nExperience #2 (id=sea/rope3, repo=sea/rope)\nTie it.\n\nCan you help me do it?"},
       {"sea/pier12 [sea/pier12;] Close the gate.", "sea/rope3 [sea/rope3;] Tie it."}},
      {"memgovern/static-memory", {kSystem, "A single retrieved experience-based memory is provided for grounding:\nMemory #1 (similarity 0.5)\n- Source: sea/pier12\nSummary:\nGate was open.\nProcedural Notes:\n1. Close it."}, {"- [Memory #1;sea/pier12;] Summary:\nGate was open.\nProcedural Notes:\n1. Close it."}},
      {"codex/agents-md", {kUser, "# AGENTS.md instructions for /boat\n\n<INSTRUCTIONS>\n- Keep logs\n  in order.\n- Be brief.\n</INSTRUCTIONS>"}, {"- [] Keep logs\n  in order.", "- [] Be brief."}},
      {"codex/agents-md", {kUser, "# AGENTS.md instructions\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>"}, {"- [] Be brief."}},
      {"codex/memory-summary", {kSystem, "## Memory\n\nRead it.\n\n========= MEMORY_SUMMARY BEGINS =========\n- pier: closes at six (rollout_summaries/2026-pier.md)\n========= MEMORY_SUMMARY ENDS =========\n"}, {"- [rollout_summaries/2026-pier.md;] pier: closes at six (rollout_summaries/2026-pier.md)"}},
      {"codex/skill", {kUser, "<skill>\n<name>rig</name>\n<path>/boat/rig/SKILL.md</path>\nPull the rope.\n</skill>"}, {"/boat/rig/SKILL.md [rig;/boat/rig/SKILL.md;] Pull the rope."}},
      {"codex/skill-list", {kSystem, "## Skills\nThere are some.\n### Available skills\n- rig: Rig the boat (file: /boat/rig/SKILL.md)\n- bare: (file: /boat/bare/SKILL.md)\n### How to use skills\n- read: them (file: no)\n"}, {"/boat/rig/SKILL.md [rig;/boat/rig/SKILL.md;] Rig the boat"}},
      {"claude-code/claude-md", {kUser, "<system-reminder>\nContents of /boat/my files/CLAUDE.md:\n\nKeep logs in order.\n</system-reminder>"}, {"- [/boat/my files/CLAUDE.md;] Keep logs in order."}},
      {"claude-code/skill", {kUser, "Base directory for this skill: /boat/.claude/skills/rig\n\nPull the rope."}, {"/boat/.claude/skills/rig [rig;/boat/.claude/skills/rig;] Pull the rope."}},
      {"claude-code/skill-list", {kUser, "<system-reminder>\nThe following skills are available for use with the Skill tool:\n\n- rig: Rig the boat\n</system-reminder>"}, {"- [rig;] Rig the boat"}},
      {"opencode/instructions", {kSystem, "You help.\nInstructions from: /boat/AGENTS.md\n# Rules\n- Be brief.\n"}, {"- [/boat/AGENTS.md;] Be brief."}},
      {"opencode/nested-instructions", {kTool, "1: x\n\n<system-reminder>\nInstructions from: /boat/sail/AGENTS.md\nReef early.\n</system-reminder>", "read", R"({"filePath":"/boat/sail/a"})"}, {"- [/boat/sail/AGENTS.md;] Reef early."}},
      {"gemini-cli/context-file", {kSystem, "You help.\n--- Context from: GEMINI.md ---\n## Gemini Added Memories\n- The pier closes at six\n--- End of Context from: GEMINI.md ---"}, {"- [GEMINI.md;] The pier closes at six"}},
      {"openhands/extra-info", {kUser, "Fix it.\n<EXTRA_INFO>\nThe following information has been included based on a keyword match for \"pier\".\nIt may or may not be relevant to the user's request.\n\nIt closes at six.\n</EXTRA_INFO>"}, {"- [pier;] It closes at six."}},
      {"openhands/memory-context", {kSystem, "<MEMORY_CONTEXT>\n<UNTRUSTED_CONTENT>\nCare.\n</UNTRUSTED_CONTENT>\n\n# User memory (~/.openhands/memory/MEMORY.md)\n- Closes at six\n\n# Project memory (.openhands/memory/MEMORY.md)\nBlue hull.\n</MEMORY_CONTEXT>"},
       {"- [~/.openhands/memory/MEMORY.md;] Closes at six", "- [.openhands/memory/MEMORY.md;] Blue hull."}},
      {"hermes/notebook", {kSystem, "You help.\n\u2550\u2550\u2550\u2550\u2550\u2550\u2550\u2550\u2550\u2550\u2550\u2550\nMEMORY (your persistent notes) [67% \u2014 1,474/2,200 chars]\n\u2550\u2550\u2550\u2550\u2550\u2550\u2550\u2550\u2550\u2550\u2550\u2550\nCloses at six\n\u00a7\nBlue hull\nTwo sails"}, {"- [] Closes at six", "- [] Blue hull\nTwo sails"}},
      {"nemori/memories", {kUser, "Episodic Memories:\n- [2026-01-01 10:00] Sailed out\n    - user: it was calm\n\nSemantic Memories:\n- Pier closes at six\n\nQuestion: when?"}, {"- [] Sailed out\n    - user: it was calm", "- [] Pier closes at six"}},
      {"mem0/opencode", {kSystem, "You help.\n\nRelevant memories:\n- Sails on Sundays\n- Owns a kayak\n\nBe kind."}, {"- [] Sails on Sundays", "- [] Owns a kayak"}},
      {"mem0/companion", {kSystem, "You are a friend.\nMemories:\n- Sails on Sundays\n- Owns a kayak\n"}, {"- [] Sails on Sundays", "- [] Owns a kayak"}},
      {"mem0/companion", {kUser, "Previous memories: sails on Sundays, owns a kayak\n\nHello"}, {"- [] sails on Sundays, owns a kayak"}},
      {"reasoningbank/memory-items", {kSystem, "You help.\n\nBelow are some memory items that I accumulated from past interaction.\n```\n# Memory Item 1\n## Title Read the log\n## Description Logs first.\n## Content Open the log.\n```\n"},
       {"- [Memory Item 1;Read the log;] ## Title Read the log\n## Description Logs first.\n## Content Open the log."}},
      {"tencentdb/proxy-memory", {kSystem, "You help.\n<tdai_injections>\n<user_memory>\n- Closes at six\n- Blue hull\n</user_memory>\n</tdai_injections>"}, {"- [] Closes at six", "- [] Blue hull"}},
      {"tencentdb/proxy-memory", {kSystem, "You help.\n<tdai_injections>\n<tdai_profile_memory>\n</tdai_profile_memory>\n</tdai_injections>"}, {}},
      {"letta/core-memory", {kSystem, "You remember.\n### Memory [last modified: 2026-01-01 10:00]\n5 previous messages.\n\n<persona characters=\"9/2000\">\nCalm.\n</persona>\n<human characters=\"18/2000\">\nName: Ana.\nSails.\n</human>"},
       {"persona [persona;] Calm.", "human [human;] Name: Ana.\nSails."}},
      {"claude-code/claude-md-context", {kUser, "<context name=\"claudeMd\">\n# Rules\n- Keep logs\n- Be brief\n</context>"}, {"- [] Keep logs", "- [] Be brief"}},
      {"claude-code/hook-context", {kUser, "<system-reminder>\nSessionStart:startup hook additional context: The pier closes at six.\n</system-reminder>"}, {"- [] The pier closes at six."}},
      {"codex/user-instructions", {kUser, "<user_instructions>\n\n- Keep logs\n- Be brief\n\n</user_instructions>"}, {"- [] Keep logs", "- [] Be brief"}},
      {"codex/hook-context", {kSystem, "<hook_context>\nThe pier closes at six.\n</hook_context>"}, {"- [] The pier closes at six."}},
      {"openhands/repository-instructions", {kUser, "<REPOSITORY_INFO>\nrepository sea/pier\n</REPOSITORY_INFO>\n\n<REPOSITORY_INSTRUCTIONS>\n# Pier\n- Run `make`\n</REPOSITORY_INSTRUCTIONS>"}, {"- [] Run `make`"}},
      {"openhands/repo-context", {kSystem, "<REPO_CONTEXT>\nRun `make` first.\n</REPO_CONTEXT>"}, {"- [] Run `make` first."}},
      {"openhands/skill-list", {kSystem, "<SKILLS>\nrig: how to rig the boat\n</SKILLS>"}, {"- [] rig: how to rig the boat"}},
      {"langmem/memories-heading", {kSystem, "You help.\n\n## Memories:\n\nThe boat is blue.\n\n## Rules\nBe kind."}, {"- [] The boat is blue."}},
      {"hermes/memory-context", {kUser, "<memory-context>\n- Closes at six\n</memory-context>\n\nWhen?"}, {"- [] Closes at six"}},
      {"hermes/filesystem-memory", {kSystem, "You help.\n<filesystem_memory>\nThe hull is blue.\n</filesystem_memory>"}, {"- [] The hull is blue."}},
      {"zep/question-context", {kUser, "Use these.\n<FACTS>\n  - Ana rigged the boat (event_time: 2026-01-02T10:00:00Z)\n</FACTS>\n<ENTITIES>\n  - Ana: Sails.\n</ENTITIES>\n\nWho rigged the boat?"}, {"- [] Ana rigged the boat", "- [Ana;] Sails."}},
      {"opencode/skill-list", {kSystem, "You help.\n<available_skills>\n  <skill>\n    <name>rig</name>\n    <description>Rig the boat</description>\n    <location>file:///boat/rig/SKILL.md</location>\n  </skill>\n</available_skills>"}, {"- [rig;file:///boat/rig/SKILL.md;] Rig the boat"}},
      {"opencode/skill-lines", {kSystem, "You help.\n## Available Skills\n- **rig**: Rig the boat\n- **moor**: Tie it up\n# Next"}, {"- [rig;] Rig the boat", "- [moor;] Tie it up"}},
      {"generic/memories-for", {kUser, "Relevant Memories for user Ana:\n- Sails on Sundays\n\nQuestion: when does she sail?"}, {"- [] Sails on Sundays"}},
      {"retrieval/documents", {kUser, "<documents>\n<document index=\"1\">\n<source>log.md</source>\n<document_content>\nCloses at six.\n</document_content>\n</document>\n<document index=\"2\">\n<source>hull.md</source>\n<document_content>\nBlue.\n</document_content>\n</document>\n</documents>\n\nWhen?"}, {"- [log.md;] Closes at six.", "- [hull.md;] Blue."}},
      {"retrieval/context-dashes", {kUser, "Context:\n---\nCloses at six.\n---\nWhen?"}, {"- [] Closes at six."}},
      {"retrieval/heading", {kUser, "### Relevant context\n[1] Hours\nCloses at six.\n[2] Hull\nBlue.\n### Question\nWhen?"}, {"- [] Hours\nCloses at six.", "- [] Hull\nBlue."}},
  };
  return all;
}

const std::vector<Case>& agent_cases() {
  const auto tool = [](const char* name, const char* text, const char* arguments = "{}") { return Placed{kTool, text, name, arguments}; };
  static const std::vector<Case> all{
      {"mem0/mcp-search", tool("mcp__mem0__get_memories", R"([{"id": "u-1", "memory": "Closes at six"}, {"id": "u-2", "memory": null}])"), {"u-1 [u-1;] Closes at six"}},
      {"mem0/mcp-search", tool("search_memories", R"({"results": []})"), {}},
      {"letta/archival-search", tool("archival_memory_search", R"j({"status": "OK", "message": "([{'id': 'passage-1', 'content': 'Six'}], 1)", "time": "now"})j"), {"passage-1 [passage-1;] Six"}},
      {"claude-memory-tool/view-file", tool("memory", "Here's the content of /memories/pier.md with line numbers:\n     1\tCloses at six.\n     2\t\n     3\tBlue."), {"- [/memories/pier.md;] Closes at six.", "- [/memories/pier.md;] Blue."}},
      {"claude-memory-tool/view-folder", tool("memory", "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n4.0K\t/memories\n"), {}},
      {"inspect-memory/view-file", tool("memory", "Here's the result of running `cat -n` on /memories/pier.md:\n     1\tCloses at six."), {"- [/memories/pier.md;] Closes at six."}},
      {"inspect-memory/view-folder", tool("memory", "Here are the files and directories up to 2 levels deep in /memories, excluding hidden items:\n1K\t/memories/pier.md\n"), {"/memories/pier.md [/memories/pier.md;] /memories/pier.md"}},
      {"inspect-memory/view-folder", tool("memory", "Directory /memories is empty."), {}},
      {"mcp-memory/entities", tool("mcp__memory__open_nodes", R"({"entities": [{"type": "entity", "name": "pier", "entityType": "place", "observations": ["Closes at six", "Blue"]}], "relations": []})"), {R"(pier [pier;] ["Closes at six","Blue"])"}},
      {"zep/mcp-search", tool("zep.search_graph", R"({"edges": [{"uuid": "e-1", "fact": "Closes at six"}]})"), {"e-1 [e-1;] Closes at six"}},
      {"graphiti/facts", tool("search_facts", R"({"message": "m", "facts": [{"uuid": "e-1", "fact": "Closes\nat six"}]})"), {"e-1 [e-1;] Closes\nat six"}},
      {"graphiti/nodes", tool("graphiti__search_nodes", R"({"message": "No relevant nodes found", "nodes": []})"), {}},
      {"graphiti/episodes", tool("get_episodes", R"({"message": "m", "episodes": [{"uuid": "p-1", "name": "chat", "content": "six"}]})"), {"p-1 [p-1;chat;] six"}},
      {"graphiti/edge", tool("get_entity_edge", R"({"uuid": "e-1", "fact": "Closes at six"})"), {"e-1 [e-1;] Closes at six"}},
      {"langmem/search", tool("search_memory", R"([{"namespace":["m"],"key":"k","value":{"kind":"Note","content":{"when":"six"}},"score":1}])"), {R"(k [k;] {"when":"six"})"}},
      {"langmem/search", tool("search_memory", "[]"), {}},
      {"cognee/graph-context", tool("memory_search", "Nodes:\nNode: pier\n__node_content_start__\nCloses at six.\n__node_content_end__\n\n\nConnections:\npier --[has]--> gate\n"), {"- [pier;] Closes at six.", "- [] pier --[has]--> gate"}},
      {"mempalace/search", tool("mcp__mempalace_search", R"({"query": "q", "results": [{"text": "six", "source_file": "log.md"}]})"), {"- [log.md;] six"}},
      {"mempalace/drawer", tool("mempalace_get_drawer", R"({"drawer_id": "d-1", "content": "six"})"), {"d-1 [d-1;] six"}},
      {"mempalace/diary", tool("mempalace_diary_read", R"({"agent": "a", "entries": [{"date": "d", "content": "six"}]})"), {"- [] six"}},
      {"memgovern/search-preview", tool("bash", "Searching for: 'gate'...\nFound\n\n[1] ID: sea/pier12\n    Issue Content: Gate open.\n\nAt night.\n--------------------------------------------------\n", R"({"command": "exp_search 'gate'"})"), {"sea/pier12 [sea/pier12;] Gate open.\n\nAt night."}},
      {"memgovern/search-preview", tool("exp_search", "Searching for: 'gate'...\n\u26aa No results found."), {}},
      {"memgovern/full-card", tool("exp_read", "FIX EXPERIENCE:\nID:   sea/pier12\nContent:\nClose it.\nIf you find this experience helpful, go on."), {"sea/pier12 [sea/pier12;] Close it."}},
      {"opencode/skill", tool("skill", "<skill_content name=\"rig\">\n# Skill: rig\n\nPull the rope.\n\nBase directory for this skill: file:///boat/rig\nRelative.\n</skill_content>"), {"- [rig;file:///boat/rig;] Pull the rope."}},
      {"agent-wiki/index", tool("bash", "wiki/_index.jsonl:\n{\"kind\": \"skill\", \"id\": \"skill:rig\", \"title\": \"Rig\", \"summary\": \"Pull.\", \"link\": \"skills/rig/SKILL.md\"}\n{\"cut", R"({"command": "head -c 200 wiki/_index.jsonl"})"), {"skill:rig [skill:rig;Rig;skills/rig/SKILL.md;] Pull."}},
      {"agent-wiki/page", tool("Read", "     1\u2192---\n     2\u2192id: skill:rig\n     3\u2192type: skill\n     4\u2192---\n     5\u2192# Rig\n     6\u2192Pull the rope.", R"({"file_path": "/boat/wiki/skills/rig/SKILL.md"})"), {"skill:rig [skill:rig;] # Rig\nPull the rope."}},
      {"wikitrace/insight-page", tool("bash", "# Insight: pull first\n\nid: INS-7\n\nPull, then tie.\n", R"({"command": "cat wiki/insights/pull.md"})"), {"INS-7 [INS-7;pull first;] Pull, then tie."}},
      {"mem0/mcp-search", tool("get_memory", R"({"id": "u-1", "memory": "Closes at six"})"), {"u-1 [u-1;] Closes at six"}},
      {"memgovern/full-card", tool("exp_read_filtered", "FIX EXPERIENCE:\nID:   sea/pier12\nContent:\nClose it.\nIf you find this experience helpful, go on."), {"sea/pier12 [sea/pier12;] Close it."}},
      {"memgovern/full-card", tool("bash", "FIX EXPERIENCE:\nID:   sea/pier12\nContent:\nClose it.\nIf you find this experience helpful, go on.", R"({"command": "exp_read_filtered sea/pier12"})"), {"sea/pier12 [sea/pier12;] Close it."}},
      {"memgovern/held-back", tool("exp_read_filtered", "NOT_HELPFUL"), {}},
      {"memgovern/search-and-read", tool("exp_rag", "RESULT #1\nID:   sea/pier12\nRepo: sea/pier\nBug Description:\n\nGate open.\n\nFull Experience Content:\n\nClose it.\n\n\nRESULT #2\nID:   sea/rope3\nRepo: sea/rope\nBug Description:\n\nRope loose.\n\nFull Experience Content:\n\nTie it.\n\n\n"),
       {"sea/pier12 [sea/pier12;] Bug Description:\n\nGate open.\n\nFull Experience Content:\n\nClose it.", "sea/rope3 [sea/rope3;] Bug Description:\n\nRope loose.\n\nFull Experience Content:\n\nTie it."}},
      {"memgovern/subagent", tool("experience_subagent", "Experience #1 (id=sea/pier12, repo=sea/pier)\nClose it.\n\n---\n\nExperience #2 (id=sea/rope3, repo=sea/rope)\nTie it."), {"sea/pier12 [sea/pier12;] Close it.", "sea/rope3 [sea/rope3;] Tie it."}},
      {"memgovern/subagent", tool("experience_subagent", "Close the gate before the tide."), {"- [] Close the gate before the tide."}},
      {"memgovern/release-search", tool("mcp__experience__exp_search", R"([{"id": "x-12", "score": 0.5, "content_preview": "Gate open", "symptom": "Wet"}])"), {"x-12 [x-12;] Gate open"}},
      {"memgovern/release-card", tool("mcp__experience__exp_read", R"({"id": "x-12", "title": "Gate", "symptom": "Wet", "guidance": "Close it."})"), {"x-12 [x-12;Gate;] Close it."}},
      {"tencentdb/memory-search", tool("tdai_memory_search", "- [persona] Sails on Sundays\n- [episodic|trip] Went to the island (\u6d3b\u52a8\u65f6\u95f4: 2026-01-02)"), {"- [] Sails on Sundays", "- [] Went to the island"}},
      {"tencentdb/memory-search", tool("tdai_conversation_search", "user: when does it close?"), {"- [] user: when does it close?"}},
      {"tencentdb/scene-file", tool("tdai_read_cos", "# Boat\nBlue hull.", R"({"path": "team/scene_blocks/boat.md"})"), {"- [] # Boat\nBlue hull."}},
      {"tencentdb/skill", tool("skill_view", "Pull the rope.", R"({"name": "rig"})"), {"- [] Pull the rope."}},
      {"letta/conversation-search", tool("conversation_search", R"({"status": "OK", "message": {"message": "1 result", "results": [{"timestamp": "t", "role": "user", "content": "It closes at six"}]}, "time": "now"})"), {"- [] It closes at six"}},
      {"openhands/skill", tool("invoke_skill", "Pull the rope.", R"({"name": "rig"})"), {"- [] Pull the rope."}},
      {"zep/mcp-object", tool("mcp__zep__get_edge", R"({"uuid": "e-1", "name": "CLOSES", "fact": "Closes at six"})"), {"e-1 [e-1;CLOSES;] Closes at six"}},
      {"zep/mcp-context", tool("get_user_context", R"({"context": "Closes at six.\nBlue hull."})"), {"- [] Closes at six.\nBlue hull."}},
      {"zep/tool-lines", tool("zep_graph_search", "- Closes at six\n- pier: Wood"), {"- [] Closes at six", "- [] pier: Wood"}},
      {"graphiti/episode-entities", tool("get_episode_entities", R"({"message": "m", "nodes": [{"uuid": "n-1", "name": "pier", "summary": "Wood"}], "edges": [{"uuid": "e-1", "name": "CLOSES", "fact": "At six"}]})"), {"n-1 [n-1;pier;] Wood", "e-1 [e-1;CLOSES;] At six"}},
      {"cognee/recall", tool("mcp__cognee__recall", "[graph] Closes at six\n\n[session] Q: when?\nA: six"), {"- [] Closes at six", "- [] Q: when?\nA: six"}},
      {"cognee/recall", tool("recall", "No relevant results found."), {}},
      {"cognee/document", tool("get_document", R"({"id": "d-1", "text": "Closes at six"})"), {"d-1 [d-1;] Closes at six"}},
      {"mempalace/drawer-list", tool("mempalace_list_drawers", R"({"drawers": [{"drawer_id": "d-1", "content_preview": "Closes..."}]})"), {"d-1 [d-1;] Closes..."}},
      {"mempalace/facts", tool("mempalace_kg_query", R"({"entity": "pier", "facts": [{"subject": "pier", "predicate": "closes_at", "object": "six"}], "count": 1})"), {R"(- [pier;six;] {"subject":"pier","predicate":"closes_at","object":"six"})"}},
      {"mempalace/shell-search", tool("bash", "============================================================\n  Results for: \"pier\"\n============================================================\n\n  [1] harbour / rules\n      Source: log.md\n      Match:  cosine=0.7 bm25=1.2\n\n      Closes at six.\n\n  \u2500\u2500\u2500\u2500\u2500\u2500\u2500\n", R"({"command": "mempalace search pier"})"), {"- [log.md;] Closes at six."}},
      {"mempalace/shell-layers", tool("bash", "## L3 \u2014 SEARCH RESULTS for \"pier\"\n  [1] harbour/rules (sim=0.742)\n      Closes at six.\n      src: log.md", R"({"command": "mempalace recall pier"})"), {"- [log.md;] Closes at six."}},
      {"agent-wiki/summary", tool("bash", "---\ngoal: rig the boat\noutcome: success\nsources:\n  - trajectories/s1.md\n---\nPulled the rope.", R"({"command": "cat kb/summaries/s1.md"})"), {"- [] goal: rig the boat\noutcome: success\nsources:\n  - trajectories/s1.md\n---\nPulled the rope."}},
      {"wikitrace/linked-page", tool("bash", "# Summary: rigging\n\nid: SUM-2\n\nPulled, then tied.\n", R"({"command": "cat wiki/summaries/rig.md"})"), {"SUM-2 [SUM-2;rigging;] Pulled, then tied."}},
      {"amem/search", tool("search_agentic", "[{'id': 'k-1', 'content': \"Ana's boat\", 'tags': ['x'], 'is_neighbor': False, 'score': 0.5}]"), {"k-1 [k-1;] Ana's boat"}},
      {"mcp-memory/entities", tool("mcp__memory__search_nodes", R"({"entities": [{"name": "pier", "entityType": "place", "observations": ["closes at six", "is wet"]}], "relations": []})"), {R"(pier [pier;] ["closes at six","is wet"])"}},
      {"mcp-memory/entities", tool("read_graph", R"({"entities": [], "relations": []})"), {}},
      {"mcp-memory/search", tool("recall_memories", R"({"memories": [{"id": "m-1", "content": "Closes at six"}]})"), {"m-1 [m-1;] Closes at six"}},
      {"mcp-memory/search-lines", tool("memory_search", "Found 2:\n- Closes at six\n- Blue\n  hull"), {"- [] Closes at six", "- [] Blue\n  hull"}},
      {"agent-files/instructions-file", tool("bash", "# Pier\n- Keep logs\n- Be brief", R"({"command": "cat AGENTS.md"})"), {"- [] Keep logs", "- [] Be brief"}},
      {"agent-files/memory-file", tool("Read", "     1\u2192# Facts\n     2\u2192- [hours](hours.md) closes at six", R"({"file_path": "/home/me/.claude/projects/boat/memory/MEMORY.md"})"), {"- [] [hours](hours.md) closes at six"}},
      {"agent-files/skill-file", tool("shell", "---\nname: rig\ndescription: Rig the boat\n---\n\nPull the rope.", R"({"command": ["cat", "/boat/rig/SKILL.md"]})"), {"- [rig;] Pull the rope."}},
  };
  return all;
}
// clang-format on

std::vector<Case> all_cases() {
  std::vector<Case> all = host_cases();
  all.insert(all.end(), agent_cases().begin(), agent_cases().end());
  return all;
}

}  // namespace

TEST_CASE("rule presets: every rule has a text that it finds") {
  std::set<std::string> tested;
  for (const Case& one : all_cases()) tested.insert(one.rule);
  const DeliveryRules all = DeliveryRules::load({"all"});
  for (const RuleSet& set : all.sets()) {
    for (const DeliveryRule& rule : set.rules) {
      INFO(rule.name);
      CHECK(tested.count(rule.name) == 1);
    }
  }
}

TEST_CASE("rule presets: docs/delivery-rules.md lists every rule and how sure it is") {
  const std::string page = test::read_file(std::filesystem::path(MEMUSE_SOURCE_DIR) / "docs" / "delivery-rules.md");
  const DeliveryRules all = DeliveryRules::load({"all"});
  for (const RuleSet& set : all.sets()) {
    for (const DeliveryRule& rule : set.rules) {
      INFO(rule.name);
      const std::size_t row = page.find("| `" + rule.name + "` |");
      REQUIRE(row != std::string::npos);
      const std::string line = page.substr(row, page.find('\n', row) - row);
      CHECK_THAT(line, Catch::EndsWith("| " + std::string(name(rule.known_from)) + " |"));
    }
  }
}

TEST_CASE("rule presets: each rule splits a text of its form, alone and beside all others") {
  const DeliveryRules all = DeliveryRules::load({"all"});
  for (const Case& one : all_cases()) {
    const DeliveryRules own = DeliveryRules::load({one.rule.substr(0, one.rule.find('/'))});
    for (const DeliveryRules* rules : {&own, &all}) {
      INFO(one.rule << (rules == &all ? ", all presets: " : ": ") << one.placed.text);
      Episode episode = episode_with(one.placed);
      rules->apply(episode);
      CHECK(entries_of(episode) == one.entries);
      CHECK(episode.deliveries.size() == 1);
      for (const Delivery& delivery : episode.deliveries) {
        CHECK(rule_of(delivery) == one.rule);
        CHECK(delivery.consuming_step == (one.placed.role == Role::tool ? 2 : 1));
      }
    }
  }
}

TEST_CASE("rule presets: the same texts printed from a file, or said by the agent, give nothing") {
  const DeliveryRules all = DeliveryRules::load({"all"});
  for (const Case& one : all_cases()) {
    INFO(one.rule << ": " << one.placed.text);
    for (const Placed& place : {Placed{kTool, one.placed.text, "bash", R"({"command":"cat docs/forms.txt"})"},
                                Placed{kTool, one.placed.text, "view", R"({"path":"/repo/tests/data.py"})"},
                                Placed{Role::assistant, one.placed.text}}) {
      Episode episode = episode_with(place);
      CHECK(all.apply(episode).deliveries == 0);
    }
  }
}

}  // namespace memuse::ingest
