"""Lines that are hard on a tokenizer, made from a seed: all scripts, emoji, digits, white space, control tokens
inside text, marks in any order, Hangul jamo, broken UTF-8, and English (text.txt) with mutations.

The file hard_lines.txt holds 10,000 of them, one a line, with a backslash escape for line feeds, carriage
returns, backslashes and bytes that are not UTF-8 (see `escape`).
"""
import random
import unicodedata
from pathlib import Path

HERE = Path(__file__).parent
COUNT = 10_000
SEED = 20_250_301

# First and last code points of letters and marks, by block. Source: The Unicode Standard 16.0, Blocks.txt.
BLOCKS = [
    (0x41, 0x7A), (0xC0, 0x24F), (0x250, 0x2FF), (0x370, 0x3FF), (0x400, 0x52F), (0x531, 0x58A), (0x591, 0x5F4),
    (0x600, 0x6FF), (0x700, 0x74F), (0x780, 0x7B1), (0x7C0, 0x7FF), (0x800, 0x85E), (0x8A0, 0x8FF), (0x900, 0x97F),
    (0x980, 0x9FE), (0xA01, 0xA76), (0xA81, 0xAFF), (0xB01, 0xB77), (0xB82, 0xBFA), (0xC00, 0xC7F), (0xC80, 0xCF3),
    (0xD00, 0xD7F), (0xD81, 0xDF4), (0xE01, 0xE5B), (0xE81, 0xEDF), (0xF00, 0xFDA), (0x1000, 0x109F), (0x10A0, 0x10FF),
    (0x1100, 0x11FF), (0x1200, 0x139F), (0x13A0, 0x13FD), (0x1400, 0x167F), (0x1680, 0x16F8), (0x1700, 0x1773),
    (0x1780, 0x17F9), (0x1800, 0x18AA), (0x1900, 0x1A1F), (0x1A20, 0x1AAD), (0x1B00, 0x1B7F), (0x1B80, 0x1C7F),
    (0x1C80, 0x1CFA), (0x1D00, 0x1DFF), (0x1E00, 0x1EFF), (0x1F00, 0x1FFE), (0x2000, 0x209C), (0x20A0, 0x20F0),
    (0x2100, 0x218B), (0x2190, 0x2426), (0x2460, 0x24FF), (0x2500, 0x27BF), (0x2800, 0x28FF), (0x2C00, 0x2DFF),
    (0x2E00, 0x2E5D), (0x2E80, 0x2FD5), (0x3000, 0x303F), (0x3041, 0x309F), (0x30A0, 0x30FF), (0x3105, 0x318E),
    (0x31A0, 0x33FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA000, 0xA4C6), (0xA4D0, 0xA6F7), (0xA700, 0xA7FF),
    (0xA800, 0xA8FF), (0xA900, 0xAADF), (0xAAE0, 0xABFF), (0xAC00, 0xD7A3), (0xD7B0, 0xD7FB), (0xF900, 0xFAD9),
    (0xFB00, 0xFDFF), (0xFE00, 0xFE6B), (0xFE70, 0xFEFF), (0xFF01, 0xFFFD), (0x10000, 0x100FA), (0x10280, 0x103D5),
    (0x10400, 0x1056F), (0x10800, 0x1091F), (0x10A00, 0x10BAF), (0x10C00, 0x10D8F), (0x10E60, 0x11075),
    (0x11080, 0x1124F), (0x11280, 0x1137F), (0x11380, 0x114DF), (0x11580, 0x1173F), (0x11800, 0x11AF8),
    (0x11B00, 0x11F5A), (0x12000, 0x12543), (0x13000, 0x1345F), (0x13460, 0x143FA), (0x16100, 0x16139),
    (0x16800, 0x16B8F), (0x16D40, 0x16F9F), (0x17000, 0x18CD5), (0x1B000, 0x1B2FB), (0x1BC00, 0x1BCA3),
    (0x1D000, 0x1D1EA), (0x1D2C0, 0x1D378), (0x1D400, 0x1D7FF), (0x1D800, 0x1DAAF), (0x1DF00, 0x1E08F),
    (0x1E100, 0x1E2F9), (0x1E4D0, 0x1E5FF), (0x1E800, 0x1E95F), (0x1EC71, 0x1EEF1), (0x1F000, 0x1F2FF),
    (0x1F300, 0x1FAFF), (0x1FB00, 0x1FBF9), (0x20000, 0x2A6DF), (0x2A700, 0x2EBE0), (0x2F800, 0x2FA1D),
    (0x30000, 0x323AF), (0xE0001, 0xE01EF),
]
SPACES = [" ", "  ", "\t", "\n", "\n\n", "\r\n", "\r", "\x0b", "\x0c", "\x85", "\xa0", "\u1680", "\u180e", "\u2000", "\u2003",
          "\u2009", "\u200a", "\u200b", "\u200c", "\u200d", "\u2028", "\u2029", "\u202f", "\u205f", "\u2060", "\u3000", "\ufeff",
          "   ", "    ", "\t\t", " \n", "\n ", "        "]
CONTROL = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>", "<tool_call>", "</tool_call>",
           "<|begin_of_text|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>", "<bos>", "<eos>", "<pad>",
           "<start_of_turn>", "<end_of_turn>", "<unk>", "<s>", "</s>", "<mask>", "[CLS]", "[SEP]", "[UNK]", "<0x0A>", "<0xE2>",
           "<|im_start|", "|im_end|>", "<|im_end|>\n<|im_start|>system\n", "<|IM_START|>", "<a>", "<l>", "<r>", "<w>", "<n>",
           "\u2581", "\u0120", "\u010a", "\u2581\u2581", "##a", "</w>"]
EMOJI = ["\U0001f469\u200d\U0001f469\u200d\U0001f467", "\U0001f468\U0001f3fd\u200d\U0001f4bb", "\U0001f1e9\U0001f1ea", "\U0001f1e9",
         "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "1\ufe0f\u20e3", "\u2764\ufe0f", "\u2764",
         "\U0001f44d\U0001f3ff", "\U0001f600", "\U0001f9d1\u200d\U0001f91d\u200d\U0001f9d1", "\u26f9\U0001f3fb\u200d\u2642\ufe0f",
         "\u6b6a", "\U0001fae0", "\u00a9\ufe0f", "\U0001f6dc", "\U0001faaf"]
MARKS = [0x300, 0x301, 0x302, 0x303, 0x304, 0x308, 0x30A, 0x316, 0x323, 0x327, 0x328, 0x334, 0x338, 0x345, 0x35C, 0x360, 0x483,
         0x591, 0x5B0, 0x64B, 0x651, 0x670, 0x93C, 0x94D, 0x9FE, 0xE38, 0xEB8, 0xF71, 0xF72, 0x302A, 0x3099, 0x309A, 0x20D0,
         0x1AC0, 0x1DF6, 0xD3B, 0x11938, 0x1E000, 0x1E8D0]
DIGITS = "0123456789" + "\u0661\u0967\u0e51\uff11\U0001d7d8\u00b2\u00bd\u2167\u4e09\u2460\U00011f50\U00011de0\u0be7"
PUNCTUATION = list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") + list("…—–‘’“”«»¿¡·§¶•‰€£¥©®±×÷√∞≠≤、。「」！？：；（）")
WORDS = ["don't", "it's", "I'M", "they'Re", "WE'LL", "you've", "he'd", "'S", "'\u017f", "O'Neill's", "can\u2019t", "naive", "caf\u00e9",
         "cafe\u0301", "\u00c5ngstr\u00f6m", "\u212bngstr\u00f6m", "stra\u00dfe", "STRASSE", "\u0130stanbul", "\ufb01nd", "o\ufb00ice", "\u00bdcup",
         "x\u00b2", "H\u2082O", "\u2167th", "K\u212a", "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2", "def f(x):", "return x**2", "i++;",
         "http://a.b/c?d=e&f=%20", "a_b_c", "camelCase", "ALLCAPS", "3.14159", "1,000,000", "1e-9", "0xFF", "2024-02-29",
         "12:34:56", "a@b.org", "#tag", "$x=1;", "{}", "[[]]", "<html>", "&amp;", "\\n", "C:\\x", "a.b", "a . b , c 's",
         "Hello", "hello", "world", "the", "of", "and", "in", "<", ">", "|", "aaaaaaa", "ababababab"]
BROKEN = [b"\xf0\x9f\x98", b"\xe2\x28\xa1", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\xe2\x82", b"\xff", b"\x80", b"\xc3",
          b"\xe0\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xf0\x80\x80\x80", b"\xe1\x80\xe2\x80\x80", b"\xc3(", b"\xef\xbf"]


def letters(block):
    return [chr(c) for c in range(block[0], block[1] + 1) if not 0xD800 <= c <= 0xDFFF]


def make_lines(count=COUNT, seed=SEED):
    """The lines as bytes; some are no UTF-8."""
    rng = random.Random(seed)
    verses = (HERE / "text.txt").read_text().splitlines()
    blocks = [letters(b) for b in BLOCKS]

    def word():
        kind = rng.random()
        if kind < 0.35:
            block = rng.choice(blocks)
            return "".join(rng.choice(block) for _ in range(rng.randint(1, 5)))
        if kind < 0.50:
            return rng.choice(WORDS)
        if kind < 0.58:
            return "".join(rng.choice(DIGITS[:10] if rng.random() < 0.7 else DIGITS) for _ in range(rng.randint(1, 7)))
        if kind < 0.66:
            return "".join(rng.choice(PUNCTUATION) for _ in range(rng.randint(1, 3)))
        if kind < 0.74:
            base = rng.choice("aeoukLSn\u0915\u0e01\u0f40\u304b\u1100\u1161\uac00\u05d0\u0628")
            return base + "".join(chr(rng.choice(MARKS)) for _ in range(rng.randint(1, 4)))
        if kind < 0.80:
            return chr(rng.randint(0x1100, 0x1112)) + chr(rng.randint(0x1161, 0x1175)) + (
                chr(rng.randint(0x11A7, 0x11C2)) if rng.random() < 0.5 else "")
        if kind < 0.86:
            return rng.choice(EMOJI)
        if kind < 0.94:
            return rng.choice(CONTROL)
        while True:
            c = rng.randint(0, 0x10FFFF if rng.random() < 0.3 else 0x1FFFF)
            if not 0xD800 <= c <= 0xDFFF:
                return chr(c)

    def english():
        line = rng.choice(verses)
        start = rng.randint(0, max(0, len(line) - 10))
        line = line[start:start + rng.randint(5, 60)]
        if rng.random() < 0.5:
            at = rng.randint(0, len(line))
            line = line[:at] + rng.choice(SPACES + CONTROL + EMOJI + WORDS) + line[at:]
        return rng.choice([line, line, line, line.upper(), line.replace(" ", "  "), unicodedata.normalize("NFD", line)])

    lines = []
    while len(lines) < count:
        if rng.random() < 0.2:
            text = english().encode()
        else:
            text = b""
            for _ in range(rng.choice([1, 2, 2, 3, 3, 4, 5, 6])):
                text += word().encode()
                between = rng.random()
                if between < 0.5:
                    text += b" "
                elif between < 0.75:
                    text += rng.choice(SPACES).encode()
            if rng.random() < 0.3:
                text = rng.choice(SPACES).encode() + text
        if rng.random() < 0.12:
            at = rng.randint(0, len(text))
            text = text[:at] + rng.choice(BROKEN) + text[at:]
        lines.append(text)
    lines[:12] = [b"", b" ", b"  ", b"\n", b"a", b" a", b"a ", b"\t", b"  \n  ", b"\xff", b"\xe2\x96\x81", b"<s>"]
    return lines


def escape(line):
    """Valid UTF-8 without line ends: \\n, \\r, \\\\ and \\xNN for what is not UTF-8."""
    out = ""
    for c in line.decode("utf-8", "surrogateescape"):
        if 0xDC80 <= ord(c) <= 0xDCFF:
            out += f"\\x{ord(c) - 0xDC00:02X}"
        else:
            out += {"\n": "\\n", "\r": "\\r", "\\": "\\\\"}.get(c, c)
    return out
