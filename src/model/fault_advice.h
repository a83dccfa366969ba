#pragma once

#include <string_view>

#include "model/diagnostic.h"

namespace memuse {

/// What to do about a fault, in words that follow "do:"; empty when nothing needs to be done or its sentence says it.
std::string_view fault_advice(Fault fault);

}  // namespace memuse
