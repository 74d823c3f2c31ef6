"""Ranks the same questions over the same chunks with other programs: bm25s (words by jieba for Chinese), and
SQLite's FTS5 with trigrams and with words. Reads chunks.json and questions.json in a folder, writes
peers.json."""

import json
import re
import sqlite3
import sys
from pathlib import Path

import bm25s
import jieba

folder = Path(sys.argv[1])
chunks = json.loads((folder / "chunks.json").read_text())
questions = json.loads((folder / "questions.json").read_text())
depth = 10
han = re.compile(r"[\u3400-\u9fff]")


def text_of(chunk):
    return "\n".join([" > ".join(chunk["headings"]), chunk["text"]])


def words_of(text):
    text = text.lower()
    if han.search(text):
        return [word for word in jieba.cut(text) if re.search(r"\w", word)]
    return re.findall(r"\w+", text)


def rank_of(found, question):
    seen = []
    for at in found:
        key = chunks[at]["chunkId"] if question["of"] == "chunk" else chunks[at]["documentId"]
        if key not in seen:
            seen.append(key)
    return seen.index(question["id"]) + 1 if question["id"] in seen[:depth] else 0


def by_bm25s():
    words = [words_of(text_of(chunk)) for chunk in chunks]
    vocabulary = {word: at for at, word in enumerate(sorted({word for one in words for word in one}))}
    model = bm25s.BM25(k1=1.2, b=0.75)
    model.index(([[vocabulary[word] for word in one] for one in words], vocabulary), show_progress=False)
    ranks = []
    for question in questions:
        asked = [vocabulary[word] for word in words_of(question["question"]) if word in vocabulary]
        if not asked:
            ranks.append(0)
            continue
        scores = model.get_scores_from_ids(asked)
        best = sorted(range(len(chunks)), key=lambda at: (-scores[at], at))[:depth]
        ranks.append(rank_of(best, question))
    return ranks


def by_fts5(tokenizer, split):
    db = sqlite3.connect(":memory:")
    db.execute(f"create virtual table t using fts5(x, tokenize='{tokenizer}')")
    db.executemany("insert into t(rowid, x) values (?, ?)", ((at, text_of(chunk)) for at, chunk in enumerate(chunks)))
    ranks = []
    for question in questions:
        asked = " OR ".join('"' + word + '"' for word in split(question["question"]))
        rows = db.execute("select rowid from t where t match ? order by bm25(t), rowid limit ?", (asked, depth)) if asked else []
        ranks.append(rank_of([row[0] for row in rows], question))
    return ranks


def trigrams(text):
    text = re.sub(r"[^\w]+", " ", text)
    return sorted({word[at : at + 3] for word in text.split() for at in range(len(word) - 2)})


peers = {
    "bm25s": by_bm25s(),
    "FTS5 unicode61": by_fts5("unicode61", lambda text: re.findall(r"\w+", text)),
    "FTS5 trigram": by_fts5("trigram", trigrams),
}
(folder / "peers.json").write_text(json.dumps(peers))
