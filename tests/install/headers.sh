#!/usr/bin/env bash
# usage: headers.sh COMPILER INCLUDE_FOLDER
# Every installed header compiles by itself, and so includes installed headers alone.
set -euo pipefail
compiler=$1 folder=$2
count=0
failed=0
while IFS= read -r header; do
  count=$((count + 1))
  if ! echo "#include \"$header\"" |
    "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I "$folder" -x c++ -; then
    echo "does not compile by itself: $header" >&2
    failed=$((failed + 1))
  fi
done < <(cd "$folder" && find anemone -name '*.h' | sort)
echo "$count headers, $failed failed"
[ "$count" -gt 0 ] && [ "$failed" -eq 0 ]
