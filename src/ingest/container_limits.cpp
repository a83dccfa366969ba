#include "ingest/container_limits.h"

namespace memuse::ingest {
namespace {

thread_local ContainerLimits limits_of_thread;

}  // namespace

const ContainerLimits& container_limits() {
  return limits_of_thread;
}

ContainerLimitsScope::ContainerLimitsScope(const ContainerLimits& limits) : outer_(limits_of_thread) {
  limits_of_thread = limits;
}

ContainerLimitsScope::~ContainerLimitsScope() {
  limits_of_thread = outer_;
}

}  // namespace memuse::ingest
