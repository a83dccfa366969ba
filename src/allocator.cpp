// Programs get their memory from jemalloc. An ingest fills fresh memory at the speed at which it parses, and is held up
// by the kernel's page faults: with huge pages there is one for 2 MB instead of 512. glibc's malloc asks for them only
// through an environment variable. Measured in docs/performance.md.

extern "C" {
/// Read by jemalloc when the program starts (jemalloc(3), TUNING).
extern const char* const malloc_conf;
const char* const malloc_conf = "thp:always";
}
