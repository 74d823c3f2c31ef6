import type { DocumentReceipt } from '../../documents/index.ts';
import type { Match } from '../../operators/index.ts';
import { codeOf, type Sentence } from '../../kernel/sentences/index.ts';
import type { Verdict, Step } from './steps.ts';
import { wordsOfOthers, type LedgerLine } from './ledger-line.ts';
import type { Piece } from './shard.ts';

/** When a row has several texts, `score` is the lowest score and `highest` the highest. */
type StepFigure = { step: number; operatorId: string; name: string | null; score: number; highest: number | null };

/** The verdict on one sample. */
export type LedgerEntry = {
  sampleId: string;
  filePath: string;
  /** The file's dataset, in a run that reads several. */
  sourceDatasetId: string | null;
  /**
   * Row number in a table from 1, without the header; null for a document, and while the rows before it are not counted
   * yet.
   */
  row: number | null;
  /**
   * Line of the file, from 1, where the row begins; null in formats without lines, and while the lines before it are
   * not counted yet.
   */
  line: number | null;
  verdict: Verdict;
  /** Operator that dropped the sample or failed on it. */
  operatorId: string | null;
  reason: string | null;
  /** Of the reason; null if it is in the words of others, undefined in a line of an earlier release. */
  sentence: Sentence | null | undefined;
  /** The text of the row that the reason refers to, if the row has several. */
  field: string | null;
  /** `name` is set for a named figure of the step, null for the score that decided. */
  scores: StepFigure[];
  /** The line in the source, if it was unreadable. */
  rawText: string | null;
  /** Receipt of a converted document. */
  receipt: DocumentReceipt | null;
  /** Passages of the text at a step that occur in the datasets that the step compares with. */
  matches: (Match & { step: number })[];
};

export type LedgerFilter = {
  verdict?: Verdict | undefined;
  operatorId?: string | undefined;
  /** Code of the reason; `noCode` for reasons that have none. */
  reasonCode?: string | undefined;
  /** Literal part of the path, the reason, the raw text or a text of the sample, case-insensitive. */
  search?: string | undefined;
  filePath?: string | undefined;
  /** Row of the file at `filePath`, from 1. */
  row?: number | undefined;
};

/** Additional data needed for the entries of a shard. */
export type LedgerShard = {
  shardNo: number;
  /** JSON of its pieces. */
  pieces: string;
  /** Number of its first row in the file; null until the rows before it are counted. */
  firstRow: number | null;
  /** The same for lines. */
  firstLine: number | null;
};

/** A sample's ledger line, its number within the shard, and the line of its piece, from 0, where it begins. */
export type LedgerPlace = { line: LedgerLine; ordinal: number; lineOfPiece: number | null };

/** The samples of a shard in order. */
export function* placesOf(ledger: Uint8Array): Generator<LedgerPlace> {
  let piece = -1;
  let next = 0;
  for (const [ordinal, line] of linesOf(ledger).entries()) {
    const [ofPiece, row] = line;
    if (ofPiece !== piece) next = 0;
    piece = ofPiece;
    const lineOfPiece = line[8] ?? next;
    next = lineOfPiece + 1;
    yield { line, ordinal, lineOfPiece: row === null ? null : lineOfPiece };
  }
}

/** The lines of a shard's ledger. */
export function linesOf(ledger: Uint8Array): LedgerLine[] {
  const text = Buffer.from(ledger.buffer, ledger.byteOffset, ledger.byteLength).toString('utf8');
  // Each line is a JSON array without raw line breaks: together they form one array, parsed at once.
  return JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`) as LedgerLine[];
}

/** Converts a ledger line to the form of the API. */
export function toLedgerEntry(
  { line: given, ordinal, lineOfPiece }: LedgerPlace,
  shard: LedgerShard,
  pieces: readonly Piece[],
  steps: readonly Step[],
): LedgerEntry {
  const [index, rowOfShard, verdict, endStep = null, , scores, raw, receipt, , matches] = given;
  const { field, reason, sentence } = reasonIn(given);
  const { fileId = '', path = '', column, source = null } = pieces[index] ?? {};
  const row = rowOfShard === null || shard.firstRow === null ? null : rowOfShard + shard.firstRow + 1;
  const line = lineOfPiece === null || column !== undefined ? null : lineOfPiece + 1;
  return {
    sampleId: sampleIdOf(fileId, rowOfShard === null ? null : (row ?? `s${shard.shardNo}-${ordinal}`)),
    filePath: path,
    sourceDatasetId: source,
    row,
    line: line === null || shard.firstLine === null ? null : shard.firstLine + line,
    verdict,
    operatorId: operatorOf(steps, endStep),
    reason,
    sentence,
    field,
    scores: Object.entries(scores ?? {}).map(([key, figure]): StepFigure => {
      const [step = '', ...name] = key.split(':');
      const operatorId = operatorOf(steps, Number(step)) ?? '';
      const [score, highest] = typeof figure === 'number' ? [figure, null] : figure;
      return { step: Number(step), operatorId, name: name.length === 0 ? null : name.join(':'), score, highest };
    }),
    rawText: raw?.text ?? null,
    receipt: receipt ?? null,
    matches: Object.entries(matches ?? {}).flatMap(([step, all]) => all.map((one) => ({ step: Number(step), ...one }))),
  };
}

/** The reason of a ledger line, with the field that it refers to. */
export function reasonIn(line: LedgerLine): Pick<LedgerEntry, 'field' | 'reason' | 'sentence'> {
  const { 4: why = null, 10: stored } = line;
  const [field, reason] = typeof why === 'string' || why === null ? [null, why] : why;
  return { field, reason, sentence: stored === wordsOfOthers ? null : (stored ?? undefined) };
}

/** The filter for reasons without a code. */
export const noCode = 'OTHER';

/** Whether an entry matches the filter; its texts are searched elsewhere. */
export function isMatch(entry: LedgerEntry, { search, ...filter }: LedgerFilter): boolean {
  if (!isAdmitted(entry, filter)) return false;
  if (search === undefined) return true;
  const needle = search.toLowerCase();
  return [entry.filePath, entry.reason, entry.rawText].some((text) => text?.toLowerCase().includes(needle) === true);
}

/** Whether an entry matches the filter apart from the search. */
export function isAdmitted(entry: LedgerEntry, filter: Omit<LedgerFilter, 'search'>): boolean {
  const { verdict, operatorId, reasonCode, filePath, row } = filter;
  if (verdict !== undefined && entry.verdict !== verdict) return false;
  if (operatorId !== undefined && entry.operatorId !== operatorId) return false;
  if (filePath !== undefined && entry.filePath !== filePath) return false;
  if (row !== undefined && entry.row !== row) return false;
  if (reasonCode === undefined) return true;
  const { reason, sentence } = entry;
  if (reason === null) return false;
  const code = sentence === undefined ? codeOf(reason) : sentence?.code;
  return (code ?? noCode) === reasonCode;
}

/** Stable across runs over the same version of the source. */
function sampleIdOf(fileId: string, row: number | string | null): string {
  return row === null ? fileId : `${fileId}-${row}`;
}

export function operatorOf(steps: readonly Step[], step: number | null): string | null {
  return step === null ? null : (steps[step]?.operatorId ?? null);
}
