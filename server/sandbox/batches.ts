import type { Reason, Sentence } from '../kernel/sentences/index.ts';
import { isAscii, ownBuffer, packHeaderBytes, partsOfPack, encodings, textAt, type PackedPart } from './packing.ts';
import { sandboxSentences } from './sentences.ts';

/** The code's answer for one sample. */
export type SandboxAnswer =
  | { readonly kind: 'same' }
  | { readonly kind: 'scored'; readonly score: number }
  /** Unchecked: validate it before use. */
  | { readonly kind: 'outcome'; readonly outcome: unknown }
  /** Without a sentence, the reason is in the code's own words. */
  | { readonly kind: 'failed'; readonly reason: string; readonly sentence?: Sentence };

/** An answer whose problem is not yet turned into a message. */
export type RawAnswer =
  | Exclude<SandboxAnswer, { kind: 'failed' }>
  | { readonly kind: 'problem'; readonly problem: string; readonly sentence?: Sentence | null };

/** Form of a sample: the lowest two bits of its number in the head; the other bits are its length in UTF-16 units. */
const forms = { narrowText: 0, wideText: 1, narrowJson: 2, wideJson: 3 } as const;

/**
 * Packs a batch of samples. A text is passed as it is unless an engine would change it: QuickJS accepts neither NUL nor
 * lone surrogates. Such texts, and samples of several parts, are passed as JSON.
 */
export function packSamples(samples: readonly unknown[], allocate: (length: number) => Buffer = ownBuffer): Buffer {
  const narrow: string[] = [];
  const wide: string[] = [];
  const numbers: number[] = [];
  let narrowLength = 0;
  let wideLength = 0;
  for (const sample of samples) {
    const isText = typeof sample === 'string';
    const isPlain = isText && !sample.includes('\0') && sample.isWellFormed();
    const text = isPlain ? sample : JSON.stringify(isText ? { text: sample } : sample);
    const isNarrow = isAscii(text);
    numbers.push(4 * text.length + (isPlain ? forms.narrowText : forms.narrowJson) + (isNarrow ? 0 : 1));
    (isNarrow ? narrow : wide).push(text);
    if (isNarrow) narrowLength += text.length;
    else wideLength += 2 * text.length;
  }
  const head = `[${numbers.join(',')}]`;
  const pack = allocate(packHeaderBytes + head.length + narrowLength + wideLength);
  const lengths = [head.length, narrowLength, wideLength];
  for (const [index, length] of lengths.entries()) {
    pack.writeUInt32LE(index === 2 ? encodings.utf16 : encodings.latin1, 8 * index);
    pack.writeUInt32LE(length, 8 * index + 4);
  }
  let at = packHeaderBytes + pack.write(head, packHeaderBytes, head.length, 'latin1');
  for (const text of narrow) at += pack.write(text, at, text.length, 'latin1');
  for (const text of wide) at += pack.write(text, at, 2 * text.length, 'utf16le');
  return pack;
}

/**
 * The answers to a batch of `count` samples; undefined if they are not in the form that `guest.ts` writes. An answer
 * belongs to the sample at its index: no answer can refer to another sample.
 */
export function readAnswers(bytes: Uint8Array, count: number): RawAnswer[] | undefined {
  const pack = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    const [head, narrow, wide] = partsOfPack(pack);
    const entries: unknown = JSON.parse(
      head.isNarrow ? pack.toString('latin1', head.start, head.end) : pack.toString('utf16le', head.start, head.end),
    );
    if (!Array.isArray(entries) || entries.length !== count) return undefined;
    const texts = createTextReader(pack, narrow, wide);
    return entries.map((entry) => readAnswer(entry, texts));
  } catch (error) {
    if (error instanceof RangeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Reads consecutive texts by their numbers: 1 + 2 × length, + 1 for a wide one. */
function createTextReader(pack: Buffer, narrow: PackedPart, wide: PackedPart): (number: unknown) => string {
  let narrowAt = 0;
  let wideAt = 0;
  return (number) => {
    if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw new RangeError('The answer has no length');
    const isWide = (number - 1) % 2 === 1;
    const length = Math.floor((number - 1) / 2);
    const text = isWide
      ? textAt(pack, wide, wideAt, (wideAt += length))
      : textAt(pack, narrow, narrowAt, (narrowAt += length));
    if (text === undefined) throw new RangeError('The answer leaves its pack');
    return text;
  };
}

const same = { kind: 'same' } as const;

/** Maximum length of a reason in UTF-16 units: it is stored for each dropped or failed sample. */
const maxReason = 2000;
/** Maximum number of scores of a sample, and maximum length of a score's name. */
const maxScores = 100;
const maxScoreName = 200;
/** Maximum nesting of a table's row: a deeper one could be written but not read again. */
const maxNesting = 500;

function readAnswer(entry: unknown, nextText: (number: unknown) => string): RawAnswer {
  if (entry === 0) return same;
  if (typeof entry === 'number') return { kind: 'outcome', outcome: { text: nextText(entry) } };
  const [kind, value, ...more] = (Array.isArray(entry) ? entry : []) as unknown[];
  if (kind === 1) return boundedAnswer(value);
  if (kind === 3 && typeof value === 'number') return { kind: 'scored', score: value };
  if (kind === 4 && Array.isArray(value)) {
    return { kind: 'outcome', outcome: value.map((number) => ({ text: nextText(number) })) };
  }
  if (kind === 5) {
    const [score] = more;
    const scored = typeof score === 'number' ? { score } : {};
    return { kind: 'outcome', outcome: { verdict: 'drop', reason: cutReason(value), ...scored } };
  }
  if (kind === 2) return { kind: 'problem', problem: String(cutReason(String(value))) };
  throw new RangeError('The answer has no known kind');
}

/** An outcome with a verdict only keeps the verdict's own members, with a bounded reason. */
function boundedAnswer(outcome: unknown): RawAnswer {
  if (isDeeperThan(outcome, maxNesting))
    return problemOf(sandboxSentences.CODE_ANSWER_TOO_DEEP.reason({ limit: maxNesting }));
  for (const sample of Array.isArray(outcome) ? (outcome as unknown[]) : [outcome, propertyOf(outcome, 'sample')]) {
    const names = Object.keys(Object(propertyOf(sample, 'scores')) as object);
    if (names.length > maxScores || names.some((name) => name.length > maxScoreName)) {
      const limits = { scores: maxScores, characters: maxScoreName };
      return problemOf(sandboxSentences.SCORES_TOO_MANY.reason(limits));
    }
  }
  const verdict = propertyOf(outcome, 'verdict');
  if (verdict === undefined) return { kind: 'outcome', outcome };
  const { sample, reason, score } = outcome as Record<string, unknown>;
  const own = verdict === 'drop' ? { reason: cutReason(reason) } : { sample };
  return { kind: 'outcome', outcome: { verdict, ...own, ...(score === undefined ? {} : { score }) } };
}

function problemOf({ text, sentence }: Reason): RawAnswer {
  return { kind: 'problem', problem: text, sentence };
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Copies the kept part: a slice would keep the whole text in memory. */
function cutReason(reason: unknown): unknown {
  if (typeof reason !== 'string' || reason.length <= maxReason) return reason;
  const start = Buffer.from(reason.slice(0, maxReason)).toString();
  return `${start}… [${maxReason} / ${reason.length}]`;
}
