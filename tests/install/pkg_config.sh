#!/usr/bin/env bash
# usage: pkg_config.sh COMPILER PKGCONFIG_FOLDER VERSION SOURCE PROGRAM
# Compiles SOURCE with what pkg-config says, in one line as a stranger would, and runs it.
set -euo pipefail
compiler=$1 folder=$2 version=$3 source=$4 program=$5
export PKG_CONFIG_PATH=$folder
found=$(pkg-config --modversion anemone)
if [ "$found" != "$version" ]; then
  echo "pkg-config says version $found; the project is $version" >&2
  exit 1
fi
# shellcheck disable=SC2046 # the words of the answer are meant to be split
"$compiler" -std=c++20 -O1 -DEXPECTED_VERSION="\"$version\"" "$source" -o "$program" \
  $(pkg-config --cflags --libs --static anemone)
"$program"
