#include "case_file.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace anemone::tests {
namespace {

// Lines of "> " or "! " back to the bytes they stand for.
void add_line(std::string& text, const std::string& line) {
  const bool is_open = line.size() > 1 && line[1] == '\\';
  text += line.size() > 2 ? line.substr(2) : "";
  if (!is_open) text += "\n";
}

void print_lines(std::string& text, char mark, const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const auto end = bytes.find('\n', at);
    const std::string line = bytes.substr(at, end == std::string::npos ? end : end - at);
    text += mark;
    if (end == std::string::npos) {
      text += "\\" + line + "\n";
      return;
    }
    text += (line.empty() ? "" : " " + line) + "\n";
    at = end + 1;
  }
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

std::vector<Case> parse_cases(const std::string& text) {
  std::vector<Case> cases;
  std::string words;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.starts_with("$ ")) {
      cases.push_back({});
      cases.back().words = words;
      cases.back().command = line.substr(2);
      cases.back().line = number;
      words.clear();
    } else if (line.empty() || line[0] == '#') {
      words += line + "\n";
    } else if (!cases.empty() && line[0] == '>') {
      add_line(cases.back().out, line);
    } else if (!cases.empty() && line[0] == '!') {
      add_line(cases.back().err, line);
    } else if (!cases.empty() && line.starts_with("= ")) {
      cases.back().status = std::stoi(line.substr(2));
    } else {
      throw std::runtime_error("line " + std::to_string(number) + " begins with no mark: " + line);
    }
  }
  return cases;
}

std::string print_cases(const std::vector<Case>& cases) {
  std::string text;
  for (const Case& one : cases) {
    text += one.words + "$ " + one.command + "\n";
    print_lines(text, '>', one.out);
    print_lines(text, '!', one.err);
    if (one.status != 0) text += "= " + std::to_string(one.status) + "\n";
  }
  return text;
}

std::vector<Case> run_cases(const std::vector<Case>& cases, const std::filesystem::path& folder,
                            const std::filesystem::path& tool,
                            const std::filesystem::path& models) {
  ::setenv("MODELS", models.c_str(), 1);
  const std::string path = tool.parent_path().string() + ":" + std::getenv("PATH");
  ::setenv("PATH", path.c_str(), 1);
  const auto work = folder / "work";
  std::filesystem::create_directories(work);
  std::vector<Case> results = cases;
  for (Case& one : results) {
    const auto script = folder / "script";
    std::ofstream(script) << "cd '" << work.string() << "'\n" << one.command << "\n";
    const int status = std::system(("sh '" + script.string() + "' >'" + (folder / "out").string() +
                                    "' 2>'" + (folder / "err").string() + "' </dev/null")
                                       .c_str());
    one.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    one.out = read(folder / "out");
    one.err = read(folder / "err");
  }
  return results;
}

}  // namespace anemone::tests
