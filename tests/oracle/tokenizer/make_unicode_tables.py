#!/usr/bin/env python3
"""Writes anemone/tokenizer/unicode_tables.inc: where the Unicode data behind Hugging Face `tokenizers`
differs from that of PCRE2 10.42 (Unicode 14) and utf8proc 2.8 (Unicode 15).

tokenizers uses several Unicode versions side by side: Oniguruma's regexes (16), Rust's own tables (17),
and two old crates for normalization (9) and punctuation (8). Everything here is found by asking it, one
code point at a time; only "assigned by Unicode 9" and the names of the scripts come from Perl's Unicode
data, and PCRE2's view from the program `regex_probe` that this script builds.

Made with: tokenizers 0.23.3, Perl 5.36 (Unicode 14), libpcre2 10.42.
Needs perl, g++ and libpcre2-dev. Takes some minutes.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

from tokenizers import Regex, normalizers, pre_tokenizers

CODES = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]

PROBE = r"""
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <cstdio>
int main(int argc, char** argv) {
  for (int a = 1; a < argc; ++a) {
    int error; PCRE2_SIZE at;
    auto* code = pcre2_compile((PCRE2_SPTR)argv[a], PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_UCP, &error, &at, nullptr);
    auto* match = pcre2_match_data_create(1, nullptr);
    for (unsigned c = 0; c < 0x110000; ++c) {
      unsigned char u[4]; int n = 0;
      if (c < 0x80) u[n++] = c;
      else if (c < 0x800) { u[n++] = 0xC0 | c >> 6; u[n++] = 0x80 | (c & 63); }
      else if (c < 0x10000) { u[n++] = 0xE0 | c >> 12; u[n++] = 0x80 | (c >> 6 & 63); u[n++] = 0x80 | (c & 63); }
      else { u[n++] = 0xF0 | c >> 18; u[n++] = 0x80 | (c >> 12 & 63); u[n++] = 0x80 | (c >> 6 & 63); u[n++] = 0x80 | (c & 63); }
      const bool skip = c >= 0xD800 && c <= 0xDFFF;
      putchar(!code ? 2 : !skip && pcre2_match(code, u, n, 0, 0, match, nullptr) > 0 ? 1 : 0);
    }
  }
}
"""


def pcre2(patterns):
    with tempfile.TemporaryDirectory() as folder:
        source, tool = Path(folder) / "probe.cc", Path(folder) / "regex_probe"
        source.write_text(PROBE)
        subprocess.run(["g++", "-O1", source, "-o", tool, "-lpcre2-8"], check=True)
        sets = []
        for pattern in patterns:
            bits = subprocess.run([tool, pattern], capture_output=True, check=True).stdout
            sets.append(None if bits[0] == 2 else {c for c in CODES if bits[c]})
        return sets


def oniguruma(pattern):
    try:
        replace = normalizers.Replace(Regex(pattern), "")
    except Exception:
        return None
    return {c for c in CODES if replace.normalize_str(chr(c)) == ""}


def perl(code):
    return subprocess.run(["perl", "-e", code], capture_output=True, check=True).stdout


def ranges(codes):
    runs = []
    for c in sorted(codes):
        if runs and runs[-1][1] == c - 1:
            runs[-1][1] = c
        else:
            runs.append([c, c])
    return runs


def table(name, comment, codes):
    runs = [f"{{0x{a:04X}, 0x{b:04X}}}," for a, b in ranges(codes)]
    lines, line = [], ""
    for run in runs:
        if len(line) + 1 + len(run) > 98:
            lines.append(line)
            line = ""
        line += (" " if line else "  ") + run
    lines.append(line)
    return f"// {comment}\nconstexpr CodeRange {name}[] = {{\n" + "\n".join(lines) + "\n};\n"


def main():
    out = Path(__file__).resolve().parents[3] / "anemone/tokenizer/unicode_tables.inc"
    age9 = perl(r'no warnings; my $re = qr/\p{Present_In: 9.0}/; my $b = ""; for my $c (0..0x10FFFF) {'
                r' $b .= (($c < 0xD800 || $c > 0xDFFF) && chr($c) =~ $re) ? "\1" : "\0"; } print $b;')
    scripts = perl(r'use Unicode::UCD qw(charscripts); print join("\n", sort keys %{charscripts()});').decode().split()
    text = ["// Written by tests/oracle/tokenizer/make_unicode_tables.py, which says how and from what. Do not edit.", ""]
    text.append(table("kAfterUnicode9", "Not assigned in Unicode 9: inert for normalization.",
                      {c for c in CODES if not age9[c]}))
    punctuation = pre_tokenizers.Punctuation()
    text.append(table("kPunctuation", "What the pre-tokenizer Punctuation takes out: P of Unicode 8 and the ASCII symbols.",
                      {c for c in CODES if len(punctuation.pre_tokenize_str("a" + chr(c) + "b")) == 3}))
    strip = normalizers.StripAccents()
    text.append(table("kMarks", "What the normalizer StripAccents removes: M of Unicode 9.",
                      {c for c in CODES if strip.normalize_str(chr(c)) == ""}))
    bert = normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False)
    text.append(table("kNonspacingMarks", "What BertNormalizer's strip_accents removes: Mn of Unicode 8.",
                      {c for c in CODES if bert.normalize_str(chr(c)) == ""}))

    names = ["Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po",
             "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Co", "Alphabetic", "Uppercase", "Lowercase"]
    asked = [(n, rf"\p{{{n}}}", rf"\p{{{n}}}") for n in names]
    asked += [("sc:" + s, rf"\p{{{s}}}", rf"\p{{sc:{s}}}") for s in scripts if s != "Unknown"]
    theirs = pcre2([p for _, _, p in asked])
    text.append("// Code points that Oniguruma (Unicode 16) counts in and PCRE2 10.42 (Unicode 14) does not, as items of a\n"
                "// PCRE2 character class.\nconstexpr NewerItems kNewerItems[] = {")
    for (name, onig, _), has in zip(asked, theirs):
        wants = oniguruma(onig)
        if wants is None or has is None:
            print("no such property:", name, wants is None, has is None, file=sys.stderr)
            continue
        more = ranges(wants - has)
        if has - wants:
            print(f"{name}: PCRE2 has more:", [f"{a:X}-{b:X}" for a, b in ranges(has - wants)], file=sys.stderr)
        if not more:
            continue
        items = [rf"\\x{{{a:X}}}" if a == b else rf"\\x{{{a:X}}}-\\x{{{b:X}}}" for a, b in more]
        lines, line = [], ""
        for item in items:
            if len(line) + len(item) > 88:
                lines.append(line)
                line = ""
            line += item
        lines.append(line)
        text.append(f'  {{"{name}",\n' + "\n".join(f'   "{l}"' for l in lines) + "},")
    text.append("};")
    Path(out).write_text("\n".join(text) + "\n")


main()
