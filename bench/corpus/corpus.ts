// Real texts of this machine as one JSONL file: documentation, licences, changelogs and manual pages, in many languages
// where packages have them. When they don't suffice, they are repeated with seeded edits.
import { closeSync, globSync, openSync, readFileSync, writeSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const places = [
  '/usr/share/common-licenses/*',
  '/usr/share/doc/**/{*.txt,*.md,*.rst,README*,NEWS*,changelog*,copyright,*.html}',
  '/usr/share/doc/**/*.gz',
  '/usr/share/man/**/*.gz',
  'node_modules/**/{README.md,CHANGELOG.md,LICENSE,*.md}',
];

/** Stop reading source texts at this many bytes. */
const sourceBytes = 96 << 20;
const maxFileBytes = 4 << 20;

/** Paragraphs are joined up to about this many UTF-16 units. */
const documentLength = 5_000;
/** Longer texts are cut off: most are machine-made tables. */
const maxParagraph = 20_000;

export type Corpus = { documents: number; sizeBytes: number };

/** Writes at least `documents` documents and `sizeBytes` bytes as `{"id", "source", "text"}` rows; the same on the same machine. */
export function writeCorpus(path: string, minimum: Corpus): Corpus {
  const sources = readDocuments();
  if (sources.length === 0) throw new Error('This machine has no documentation to make a corpus of');
  const words = sources.slice(0, 200).flatMap(({ text }) => text.split(/\s+/, 200).filter((word) => word !== ''));
  const random = createRandom(7);
  const file = openSync(path, 'w');
  let documents = 0;
  let sizeBytes = 0;
  let rows: string[] = [];
  const flush = (): void => {
    const bytes = Buffer.from(rows.join(''));
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    sizeBytes += bytes.length;
    rows = [];
  };
  for (let round = 0; documents < minimum.documents || sizeBytes < minimum.sizeBytes; round += 1) {
    for (const { source, text } of sources) {
      if (documents >= minimum.documents && sizeBytes >= minimum.sizeBytes) break;
      rows.push(`${JSON.stringify({ id: documents, source, text: round === 0 ? text : edit(text, words, random) })}\n`);
      documents += 1;
      if (rows.length === 500) flush();
    }
  }
  flush();
  closeSync(file);
  return { documents, sizeBytes };
}

function readDocuments(): { source: string; text: string }[] {
  const found: { source: string; text: string }[] = [];
  let bytes = 0;
  for (const path of globSync(places).toSorted()) {
    if (bytes >= sourceBytes) break;
    const text = readText(path);
    if (text === undefined) continue;
    bytes += text.length;
    for (const part of partsOf(text)) found.push({ source: path, text: part });
  }
  return found;
}

function readText(path: string): string | undefined {
  try {
    const held = readFileSync(path);
    if (held.length > maxFileBytes) return undefined;
    const text = (path.endsWith('.gz') ? gunzipSync(held) : held).toString('utf8');
    return text.includes('\u0000') || text.includes('\ufffd') ? undefined : text;
  } catch {
    // A folder, a dangling link, or not gzip: not a text.
    return undefined;
  }
}

function* partsOf(text: string): Generator<string> {
  let part = '';
  for (const whole of text.split(/\n\s*\n/)) {
    const paragraph = whole.slice(0, maxParagraph);
    if (part !== '' && part.length + paragraph.length > documentLength) {
      yield part;
      part = '';
    }
    part += part === '' ? paragraph : `\n\n${paragraph}`;
  }
  if (part.trim() !== '') yield part;
}

/** Changes a few words and adds noise that cleaning removes. */
function edit(text: string, words: readonly string[], random: () => number): string {
  const edits = 1 + Math.floor(random() * 8);
  let edited = text;
  for (let count = 0; count < edits; count += 1) {
    const at = edited.indexOf(' ', Math.floor(random() * edited.length));
    if (at === -1) continue;
    const word = words[Math.floor(random() * words.length)] ?? '';
    const noise = random();
    const inserted = noise < 0.8 ? word : noise < 0.9 ? `\u0007${word}  ` : ` see https://example.org/${word} `;
    const end = edited.indexOf(' ', at + 1);
    edited = `${edited.slice(0, at + 1)}${inserted}${end === -1 ? '' : edited.slice(end)}`;
  }
  return edited;
}

/** Pseudo-random numbers from 0 to 1, the same every time (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
