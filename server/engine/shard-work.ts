import { fileTypeOf } from '../kernel/file-path.ts';
import type { Operator } from '../operators/index.ts';
import { formatOf } from '../tables/formats.ts';
import type { ReadAt } from '../tables/lines.ts';
import { createByteCollector } from './byte-collector.ts';
import { createChain, type Chain, type Judgement } from './chain.ts';
import type { Desk } from './desk.ts';
import { processDocument } from './document-work.ts';
import { processRows } from './row-work.ts';
import { createLedgerWriter, type LedgerWriter, type RawLine } from './ledger.ts';
import { SetupError } from './setup-error.ts';
import { noCounts, type Counts, type PieceOutput, type PlacedPiece, type ShardJob, type ShardResult } from './shard.ts';

/** Where a worker stands, for those who watch it: number of the sample within the shard, index of the step (-1: reading). */
export type Place = { sample(ordinal: number): void; step(index: number): void };

/** Opens the bytes of a piece, the piece's first byte at position 0. */
export type OpenPiece = (place: { path: string; offset: number }) => ReadAt;

/** Reads a shard once, runs all steps over each sample and gives output, ledger and counts. Same input, same output. */
export function processShard(
  job: ShardJob,
  operators: readonly Operator[],
  open: OpenPiece,
  place: Place,
): ShardResult {
  const setStep = (): never => {
    throw new SetupError('Steps over the whole set can not be run yet');
  };
  const chain = createChain({ operators, steps: job.treatment.steps, beforeStep: place.step, setStep });
  const ledger = createLedgerWriter();
  const bytes = createByteCollector(Math.min(expectedBytes(job), 8 << 20));
  const counts = { ...noCounts };
  const desk: Desk = { job, bytes, sample: createSampler(job, chain, ledger, counts, place) };
  const pieces = job.pieces.map((piece, index) => {
    const ordinal = counts.in;
    const outputs = processPiece(desk, piece, index, open);
    return { rows: counts.in - ordinal, outputs };
  });
  return {
    pieces,
    counts,
    verdicts: ledger.verdicts(),
    figures: chain.figures.map((figure) => ({ ...figure })),
    bytes: bytes.take(),
    ledger: ledger.take(),
    ledgerLines: ledger.lines,
  };
}

function processPiece(desk: Desk, piece: PlacedPiece, index: number, open: OpenPiece): PieceOutput[] {
  const format = formatOf(fileTypeOf(piece.path));
  if (piece.place === null || piece.problem !== undefined) {
    return processDocument(desk, piece, index, { problem: piece.problem ?? 'The file has no content' });
  }
  const read = open(piece.place);
  return format === 'jsonl'
    ? processRows(desk, piece, index, read)
    : processDocument(desk, piece, index, { format, read });
}

function createSampler(
  job: ShardJob,
  chain: Chain,
  ledger: LedgerWriter,
  counts: Counts,
  place: Place,
): Desk['sample'] {
  const poison = new Map(job.poison.map((item) => [item.ordinal, item]));
  return ({ piece, row, read, write }) => {
    const ordinal = counts.in;
    counts.in += 1;
    place.sample(ordinal);
    const poisoned = poison.get(ordinal);
    let judgement: Judgement;
    let raw: RawLine | undefined;
    let unread = false;
    if (poisoned === undefined) {
      const found = read();
      if ('problem' in found) {
        raw = found.raw;
        unread = raw !== undefined;
        judgement = failed(null, found.problem);
      } else {
        judgement = chain.judge(found.text);
      }
    } else {
      judgement = failed(poisoned.step, poisoned.reason);
    }
    if (judgement.verdict === 'DROPPED') counts.dropped += 1;
    else if (judgement.verdict === 'FAILED') counts.failed += 1;
    else counts.kept += 1;
    if (judgement.verdict === 'CHANGED') counts.changed += 1;
    counts.emitted += write(judgement, unread);
    ledger.write(piece, row, judgement, raw);
  };
}

function failed(step: number | null, reason: string): Judgement {
  return { verdict: 'FAILED', texts: [], step, reason, scores: null };
}

function expectedBytes({ pieces }: ShardJob): number {
  return pieces.reduce(
    (sum, { range, sizeBytes }) => sum + (range === undefined ? sizeBytes : range.to - range.from),
    0,
  );
}
