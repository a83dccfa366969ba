#pragma once

#include <string>
#include <vector>

#include "evidence/evidence_set.h"
#include "evidence/read_ledger.h"
#include "model/labels.h"

namespace memuse::evidence {

/// A whole file or one section of it that an answer needs to have been read.
struct ReadRequirement {
  std::string file;
  ByteRange range;      ///< the whole file, or the section
  std::string section;  ///< name of the section; empty for the whole file
  std::string because;  ///< the claim that asks for it, in words: "every answer", "entry 1: influence is none", …
};

/// What every answer needs, whatever it says (first row of the table of semantics.md §6).
std::vector<ReadRequirement> basic_requirements(const EvidenceSet& evidence);

/// All that `answer` needs, the basic ones included; one per file and section (the first reason is kept), in the order
/// of the files.
std::vector<ReadRequirement> read_requirements(const EvidenceSet& evidence, const Answer& answer);

/// A message for every requirement that the ledger does not cover, which names the file, the missing bytes and the
/// claim; empty when all was read.
std::vector<std::string> unread_faults(const EvidenceSet& evidence, const Answer& answer, const ReadLedger& ledger);

}  // namespace memuse::evidence
