#include <catch2/catch.hpp>

#include <algorithm>

#include "judge/forms.h"

using namespace memuse::judge;

namespace {

bool contains(const std::vector<std::string>& forms, const std::string& form) {
  return std::find(forms.begin(), forms.end(), form) != forms.end();
}

}  // namespace

TEST_CASE("numbers are converted inside their kind of unit") {
  CHECK(contains(number_forms({"30", "seconds"}), "30000"));
  CHECK(contains(number_forms({"30", "seconds"}), "0.5"));
  CHECK(contains(number_forms({"5", "min"}), "300"));
  CHECK(contains(number_forms({"4.8", "$"}), "480"));
  CHECK(contains(number_forms({"480", "cents"}), "4.8"));
  CHECK(contains(number_forms({"15", "%"}), "0.15"));
  CHECK(contains(number_forms({"3", "MB"}), "3145728"));
  CHECK(number_forms({"46", ""}) == std::vector<std::string>{"46"});
  CHECK(number_forms({"46", "pumps"}) == std::vector<std::string>{"46"});
  CHECK_FALSE(contains(number_forms({"100", "cents"}), "1"));  // too common to be traced
  CHECK_FALSE(contains(number_forms({"7", "ms"}), "0"));
}

TEST_CASE("whole numbers are grouped by thousands") {
  CHECK(grouped_number("1850") == "1,850");
  CHECK(grouped_number("1234567") == "1,234,567");
  CHECK(grouped_number("999").empty());
  CHECK(grouped_number("1850.5").empty());
  CHECK(grouped_number("0419").empty());
}

TEST_CASE("dates are found in their usual spellings") {
  const Date date{2031, 3, 4};
  for (const std::string text : {"2031-03-04", "on 4 March 2031.", "by 4th Mar 2031", "March 4, 2031", "Mar 4 2031",
                                 "04.03.2031", "2031-03-04T10:00Z"}) {
    INFO(text);
    const auto found = dates_in(text);
    REQUIRE(found.size() == 1);
    CHECK(found.front().date == date);
  }
  CHECK(dates_in("03/25/2031").front().date == Date{2031, 3, 25});
  CHECK(dates_in("25/03/2031").front().date == Date{2031, 3, 25});
  CHECK(dates_in("03/04/2031").empty());  // two orders, two dates
  CHECK(dates_in("2031-13-04").empty());
  CHECK(dates_in("4 Pumps 2031").empty());
  CHECK(dates_in("1.2.3.4").empty());
}

TEST_CASE("dates are written in many ways") {
  const auto forms = date_forms({2031, 3, 4});
  for (const std::string form :
       {"2031-03-04", "20310304", "4 March 2031", "March 4, 2031", "04.03.2031", "2031, 3, 4"}) {
    CHECK(contains(forms, form));
  }
}

TEST_CASE("paths lose leading folders down to two components") {
  CHECK(path_forms("./srv/app/conf/pumps.toml") ==
        std::vector<std::string>{"srv/app/conf/pumps.toml", "app/conf/pumps.toml", "conf/pumps.toml"});
  CHECK(path_forms("pumps.toml") == std::vector<std::string>{"pumps.toml"});
  CHECK(path_stem("conf/pumps.tar.gz") == "pumps");
  CHECK(path_stem("bin/drain") == "drain");
  CHECK(path_stem("conf/.env") == ".env");
}
