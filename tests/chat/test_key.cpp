#include <cstdlib>

#include "calls.h"
#include "chat/key_scrubber.h"
#include "model/error.h"
#include "support/temporary_folder.h"

namespace memuse::chat {
namespace {

using test::TemporaryFolder;

/// Sets an environment variable for the life of this object.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (value == nullptr) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, value, 1);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

std::string refusal(const std::string& variable, const std::string& file) {
  try {
    load_key(Protocol::openai, variable, file);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    return error.what();
  }
  FAIL("a key was loaded");
  return "";
}

std::string connect_refusal(const std::string& url, const std::string& key = "") {
  EndpointOptions options;
  options.base_url = url;
  options.key = key;
  try {
    connect(options);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    return error.what();
  }
  return "";
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("key: from a variable, from a file, or none for servers that want none") {
  const TemporaryFolder folder;
  const Variable named("MEMUSE_TEST_KEY", "  sk-from-variable\n");
  CHECK(load_key(Protocol::openai, "MEMUSE_TEST_KEY", "") == "sk-from-variable");
  CHECK(load_key(Protocol::anthropic, "", folder.write("key", "sk-from-file\r\n")) == "sk-from-file");
  const Variable openai("OPENAI_API_KEY", nullptr);
  const Variable anthropic("ANTHROPIC_API_KEY", "sk-usual");
  CHECK(load_key(Protocol::openai, "", "").empty());
  CHECK(load_key(Protocol::anthropic, "", "") == "sk-usual");
  const Variable blank("OPENAI_API_KEY", " ");
  CHECK(load_key(Protocol::openai, "", "").empty());
}

TEST_CASE("key: refusals name the place and never the content") {
  const TemporaryFolder folder;
  const Variable broken("MEMUSE_TEST_KEY", "sk-secret\r\nX-Header: 1");
  CHECK(holds(refusal("MEMUSE_TEST_KEY", ""), "MEMUSE_TEST_KEY"));
  CHECK_FALSE(holds(refusal("MEMUSE_TEST_KEY", ""), "secret"));
  CHECK(holds(refusal("MEMUSE_TEST_NOTHING", ""), "MEMUSE_TEST_NOTHING is not set"));
  // The key itself in place of the variable's name.
  CHECK_FALSE(holds(refusal("sk-secret-0123456789", ""), "secret"));
  CHECK_FALSE(holds(refusal("hf_secretABCDEFGHIJKLMNOPQRSTUVWXYZabc", ""), "secret"));
  for (const std::string& content :
       {std::string(), std::string(" \n"), std::string("sk-secret two"), std::string("sk-secret\x01"),
        std::string("sk-secr\xc3\xa9t"), std::string("secret\0x", 8), std::string(100'000, 's')}) {
    const std::string file = folder.write("key.txt", content);
    CHECK(holds(refusal("", file), "key.txt"));
    CHECK_FALSE(holds(refusal("", file), "secr"));
    CHECK(refusal("", file).size() < 500);
  }
  CHECK(holds(refusal("", folder / "missing"), "cannot be read"));
  CHECK(holds(refusal("", folder.path().string()), "cannot be read"));
  CHECK(holds(refusal("MEMUSE_TEST_KEY", folder.write("key", "k")), "one of them"));
}

TEST_CASE("key: an endpoint takes no key that could change a header, and no address with a secret in it") {
  const std::string good = "http://127.0.0.1:9/v1";
  CHECK(connect_refusal(good, "sk-good").empty());
  CHECK(connect_refusal(good).empty());
  CHECK(holds(connect_refusal(good, "sk-secret\r\nX: y"), "the key holds characters"));
  CHECK_FALSE(holds(connect_refusal(good, "sk-secret\n"), "secret"));
  for (const char* url : {"https://user:secret@host/v1", "https://secret@host/v1", "https://host/v1?key=secret",
                          "https://host/v1#secret", "ftp://host/secret", "file:///etc/secret", "", "://secret",
                          "http://", "javascript:secret", "https://ho st/secret"}) {
    INFO(url);
    CHECK(holds(connect_refusal(url), "--base-url"));
    CHECK_FALSE(holds(connect_refusal(url), "secret"));
  }
}

TEST_CASE("key: the scrubber leaves placeholders of local servers alone") {
  CHECK(KeyScrubber("EMPTY").clean("EMPTY shelves") == "EMPTY shelves");
  CHECK(KeyScrubber("").clean("text") == "text");
  const KeyScrubber scrubber("a+long/key=");
  CHECK(scrubber.clean("1 a+long/key= 2 a%2Blong%2Fkey%3D 3a+long/key=a+long/key=") == "1 [key] 2 [key] 3[key][key]");
}

}  // namespace memuse::chat
