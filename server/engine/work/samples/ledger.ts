import type { DocumentReceipt } from '../../../documents/index.ts';
import type { Reason } from '../../../kernel/sentences/index.ts';
import type { Judgement, StepScore } from './chain.ts';
import type { Verdict } from '../../orders/steps.ts';
import { createByteCollector } from '../byte-collector.ts';
import type { KeptMemory } from '../../orders/result-memory.ts';
import { createLineWriter } from './line-writer.ts';
import type { VerdictCount } from '../../orders/shard.ts';
import { wordsOfOthers, type RawSample, type LedgerLine } from '../../orders/ledger-line.ts';

/** Maximum UTF-16 units of an unreadable line in the ledger; the rest can be read from the source. */
const maxRawLength = 1 << 20;

export type LedgerWriter = {
  readonly lines: number;
  write(
    piece: number,
    row: number | null,
    judgement: Omit<Judgement, 'texts'>,
    more?: { raw?: RawSample | undefined; receipt?: DocumentReceipt | undefined; line?: number | undefined },
  ): void;
  /** Counts of verdicts by step and reason. */
  verdicts(): VerdictCount[];
  take(): Uint8Array;
};

const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const lineStart = ascii('[');
const comma = ascii(',');
const noRow = ascii('null');
const lineEnd = ascii(']\n');
const scoresStart = ascii(',null,null,{');
const scoresEnd = ascii('}');
const lineBehindScores = ascii(',null,null,');
const lineWithoutScores = ascii(',null,null,null,null,null,');
const verdictWords: Readonly<Record<Verdict, Uint8Array>> = {
  KEPT: ascii(',"KEPT"'),
  CHANGED: ascii(',"CHANGED"'),
  DROPPED: ascii(',"DROPPED"'),
  FAILED: ascii(',"FAILED"'),
  SKIPPED: ascii(',"SKIPPED"'),
};

/** Collects the ledger of one shard as JSON Lines; a blob per shard keeps a million verdicts out of the database. */
export function createLedgerWriter(memory?: KeptMemory): LedgerWriter {
  const bytes = createByteCollector(1 << 16, memory);
  const counts: VerdictCount[] = [];
  const writer = createLineWriter(bytes);
  /** By step: `"step":`, the bytes before its score. */
  const keys: Uint8Array[] = [];
  let lines = 0;
  let linePiece = -1;
  let nextLine = 0;

  /** The line number, if it can't be derived from the previous row. */
  function tellingLine(piece: number, line: number | undefined): number | null {
    if (line === undefined) return null;
    const expected = piece === linePiece ? nextLine : 0;
    linePiece = piece;
    nextLine = line + 1;
    return line === expected ? null : line;
  }

  /** Writes a line with only a verdict and scores of filters, as nearly all lines are. */
  function writeShort(
    piece: number,
    row: number | null,
    { verdict, scores }: Pick<Judgement, 'verdict' | 'scores'>,
    line: number | null,
  ): void {
    writer.ascii(lineStart);
    writer.number(piece);
    writer.ascii(comma);
    if (row === null) writer.ascii(noRow);
    else writer.number(row);
    writer.ascii(verdictWords[verdict]);
    if (scores !== null) {
      writer.ascii(scoresStart);
      let isFirst = true;
      for (const { step, score } of scores) {
        if (!isFirst) writer.ascii(comma);
        isFirst = false;
        writer.ascii((keys[step] ??= ascii(`"${step}":`)));
        writer.number(score);
      }
      writer.ascii(scoresEnd);
    }
    if (line !== null) {
      writer.ascii(scores === null ? lineWithoutScores : lineBehindScores);
      writer.number(line);
    }
    writer.ascii(lineEnd);
  }

  return {
    get lines() {
      return lines;
    },
    write(
      piece,
      row,
      { verdict, step, reason, scores, field },
      { raw = null, receipt = null, line: lineOfPiece } = {},
    ) {
      const telling = tellingLine(piece, lineOfPiece);
      if (step === null && reason === null && raw === null && receipt === null && arePlain(scores)) {
        writeShort(piece, row, { verdict, scores }, telling);
      } else {
        const line: unknown[] = [
          piece,
          row,
          verdict,
          step,
          aboutField(reason, field),
          recordOf(scores),
          raw,
          receipt,
          telling,
          matchesOf(scores),
          reason === null ? null : (reason.sentence ?? wordsOfOthers),
        ];
        while (line.at(-1) === null) line.pop();
        writer.text(`${JSON.stringify(line)}\n`);
      }
      lines += 1;
      // There are few combinations: searching a list is faster than building a key.
      const code = reason?.sentence?.code ?? null;
      const count = counts.find((other) => other.verdict === verdict && other.step === step && other.code === code);
      if (count === undefined) counts.push({ verdict, step, code, count: 1 });
      else count.count += 1;
    },
    verdicts: () => counts,
    take() {
      writer.flush();
      return bytes.take();
    },
  };
}

function aboutField(reason: Reason | null, field: string | undefined): LedgerLine[4] {
  if (reason === null) return null;
  return field === undefined ? reason.text : [field, reason.text];
}

function recordOf(scores: Judgement['scores']): LedgerLine[5] {
  if (scores === null) return null;
  const entries = scores.map((one) => [keyOf(one), one.highest === undefined ? one.score : [one.score, one.highest]]);
  return Object.fromEntries(entries) as LedgerLine[5];
}

function matchesOf(scores: Judgement['scores']): NonNullable<LedgerLine[9]> | null {
  const found = (scores ?? []).flatMap(({ step, matches }) =>
    matches === undefined ? [] : [[step, matches] as const],
  );
  return found.length === 0 ? null : Object.fromEntries(found);
}

function keyOf({ step, name }: StepScore): string {
  return name === undefined ? String(step) : `${step}:${name}`;
}

/** Whether each step has one unnamed score that JSON can represent. */
function arePlain(scores: Judgement['scores']): boolean {
  if (scores === null) return true;
  return scores.every(
    ({ score, name, highest, matches }) =>
      Number.isFinite(score) && name === undefined && highest === undefined && matches === undefined,
  );
}

/** The text of an unreadable line as stored in the ledger. */
export function rawTextOf(shown: string): string {
  return shown.slice(0, maxRawLength).toWellFormed();
}
