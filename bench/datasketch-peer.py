"""Removes near-duplicates of a JSONL file with datasketch: the first of similar rows stays. Arguments: file,
threshold, words per run, permutations, bands. Prints {"seconds", "documents", "dropped", "peakMib"} as JSON; memory
is relative to that after the imports."""
import json
import re
import sys
import time

from datasketch import MinHash, MinHashLSH

path, threshold = sys.argv[1], float(sys.argv[2])
ngram, permutations, bands = (int(given) for given in sys.argv[3:6])
# Words as in the operator: letters and digits; single characters in scripts without spaces.
word = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]|[^\W_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]+")


def shingles(text):
    words = word.findall(text.lower())
    if not words:
        return set()
    if len(words) < ngram:
        return {" ".join(words).encode()}
    return {" ".join(words[at : at + ngram]).encode() for at in range(len(words) - ngram + 1)}




def memory(kind):
    """`VmRSS`: now, `VmHWM`: the highest so far; in MiB."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(kind)) / 1024


before = memory("VmRSS")
begun = time.process_time()
lsh = MinHashLSH(num_perm=permutations, params=(bands, permutations // bands))
kept = {}
documents = dropped = 0
with open(path, encoding="utf-8") as rows:
    for row in rows:
        signature = MinHash(num_perm=permutations)
        signature.update_batch(list(shingles(json.loads(row)["text"])))
        if any(kept[key].jaccard(signature) >= threshold for key in lsh.query(signature)):
            dropped += 1
        else:
            lsh.insert(documents, signature)
            kept[documents] = signature
        documents += 1
figures = {"seconds": time.process_time() - begun, "documents": documents, "dropped": dropped, "peakMib": memory("VmHWM") - before}
print(json.dumps(figures))
