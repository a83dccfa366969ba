# Writes OUTPUT, a C++ source with a function FUNCTION (in NAMESPACE, declared in HEADER) that gives every file of FOLDER
# that matches PATTERN, sorted by name.
file(GLOB files "${FOLDER}/${PATTERN}")
list(SORT files)
set(code "// Made by cmake/EmbedFiles.cmake.\n")
# C++ promises 65,536 characters for a string literal; every compiler takes more.
string(APPEND code "#ifdef __clang__\n#pragma clang diagnostic ignored \"-Woverlength-strings\"\n#endif\n")
string(APPEND code "#include \"${HEADER}\"\n\n")
string(APPEND code "namespace ${NAMESPACE} {\n\nconst std::vector<EmbeddedFile>& ${FUNCTION}() {\n")
string(APPEND code "  static const std::vector<EmbeddedFile> files{\n")
foreach(path IN LISTS files)
  get_filename_component(name "${path}" NAME_WE)
  file(READ "${path}" text)
  string(APPEND code "      {\"${name}\", R\"memuse_file(${text})memuse_file\"},\n")
endforeach()
string(APPEND code "  };\n  return files;\n}\n\n}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUTPUT}" "${code}")
