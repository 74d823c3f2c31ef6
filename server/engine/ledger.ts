import type { DocumentReceipt } from '../documents/index.ts';
import type { Judgement, Verdict } from './chain.ts';
import { createByteCollector, type KeptMemory } from './byte-collector.ts';
import type { VerdictCount } from './shard.ts';

/** Raw bytes of a line that couldn't be read, for its ledger line; the rest is found in the source by its place. */
const maxRawBytes = 1 << 20;

/** The text of a line that couldn't be read: (the beginning of) it, and where the whole stands in the source. */
export type RawLine = { text: string; start: number; lengthBytes: number };

/**
 * One line of a shard's ledger, a JSON array: index of the piece, row within the piece (from 0; null for a document),
 * verdict, index of the step, reason, scores by step, raw line, receipt of a document. Trailing nulls are left out.
 */
export type LedgerLine = [
  piece: number,
  row: number | null,
  verdict: Verdict,
  step?: number | null,
  reason?: string | null,
  scores?: Readonly<Record<string, number>> | null,
  raw?: RawLine | null,
  receipt?: DocumentReceipt | null,
];

export type LedgerWriter = {
  readonly lines: number;
  write(
    piece: number,
    row: number | null,
    judgement: Omit<Judgement, 'texts'>,
    more?: { raw?: RawLine | undefined; receipt?: DocumentReceipt | undefined },
  ): void;
  /** How often each verdict was given by each step. */
  verdicts(): VerdictCount[];
  take(): Uint8Array;
};

/** Lines are turned into bytes so many UTF-16 units at a time: each such turn costs as much as a short line itself. */
const encodedAtOnce = 1 << 14;

/** Collects the ledger of one shard as JSON Lines; a blob per shard keeps a million verdicts out of the database. */
export function createLedgerWriter(memory?: KeptMemory): LedgerWriter {
  const bytes = createByteCollector(1 << 16, memory);
  const counts: VerdictCount[] = [];
  let waiting = '';
  let lines = 0;
  const encode = (): void => {
    bytes.append(Buffer.from(waiting));
    waiting = '';
  };
  return {
    get lines() {
      return lines;
    },
    write(piece, row, { verdict, step, reason, scores }, { raw = null, receipt = null } = {}) {
      if (step === null && reason === null && raw === null && receipt === null) {
        // Nearly all lines: put together by hand, in the words that JSON.stringify would use.
        const scored = scores === null ? '' : `,null,null,${JSON.stringify(scores)}`;
        waiting += `[${piece},${row},"${verdict}"${scored}]\n`;
      } else {
        const line: unknown[] = [piece, row, verdict, step, reason, scores, raw, receipt];
        while (line.at(-1) === null) line.pop();
        waiting += `${JSON.stringify(line)}\n`;
      }
      if (waiting.length > encodedAtOnce) encode();
      lines += 1;
      // Some verdicts by some steps: a list is looked through sooner than a key is made.
      const count = counts.find((other) => other.verdict === verdict && other.step === step);
      if (count === undefined) counts.push({ verdict, step, count: 1 });
      else count.count += 1;
    },
    verdicts: () => counts,
    take() {
      encode();
      return bytes.take();
    },
  };
}

/** A line that couldn't be read as the ledger holds it; `held` may be less than its whole length. */
export function rawLine(held: Uint8Array, start: number, lengthBytes: number): RawLine {
  const text = Buffer.from(held.subarray(0, maxRawBytes)).toString('utf8');
  return { text, start, lengthBytes };
}
