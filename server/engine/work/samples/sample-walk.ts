import type { SamplePart } from '../../../operators/index.ts';
import {
  drawnNumberOf,
  type InputFacts,
  type PieceRead,
  type PlacedPiece,
  type Poison,
  type ShardJob,
} from '../../orders/shard.ts';
import { createByteCollector } from '../byte-collector.ts';
import type { OpenPiece } from '../notes.ts';
import type { SamplePlace } from '../sets/signatures.ts';
import { processPiece } from './piece-work.ts';
import { findPoison } from './poison.ts';
import type { SampleProgress } from './sample-progress.ts';
import type { Reason } from '../../../kernel/sentences/index.ts';
import type { Damage, OfferedSample, ShardContext } from './shard-context.ts';

/** Thrown by a visitor that needs no more samples: the rest of the job is not read. */
export class EnoughSamples extends Error {}

export type SampleVisitor = {
  /** The parts of samples that are read or written. */
  readonly parts: ReadonlySet<SamplePart>;
  /** Where samples are written to; without it, nothing is written. */
  readonly output?: Pick<ShardContext, 'bytes' | 'rowOutput' | 'writesColumns' | 'onlyWriter'>;
  readonly damage?: Damage;
  /** Whether to visit the sample with this number, which counts all rows and files; otherwise it is skipped unread. */
  takes?(number: number): boolean;
  /** Visits a sample; `lost` if it crashed a worker and fails without another try. */
  sample(place: SamplePlace, offered: OfferedSample, lost: Poison | undefined): void;
  /** A row or document that is not part of the input. */
  skipRow?(offered: OfferedSample, reason: Reason): void;
  /** A file that the steps do not apply to; `number` as for `takes`. */
  skipFile?(piece: number, reason: Reason, number: number): void;
  describe?(piece: number, input: InputFacts): void;
  damaged?(damage: Reason): void;
};

/**
 * Counts of a walk so far. `rows`: the samples, the skipped rows and files, and those that `takes` refused; `passed`:
 * all other rows of the pieces.
 */
export type WalkCounts = { rows: number; samples: number; skipped: number; passed: number; lineEnds: number };

export type SampleWalk = {
  readonly counts: Readonly<WalkCounts>;
  /** Visits the samples of the piece with this index in the job. */
  piece(piece: PlacedPiece, index: number): PieceRead;
  /** Visits the samples of all pieces; returns whether the visitor stopped before their end. */
  all(): { isCut: boolean };
};

type WalkResources = { open: OpenPiece; progress: SampleProgress };

/**
 * The only way to iterate over the samples of a job: numbers them in order, reports each to the watchdog, leaves out
 * those that were not drawn or are not part of the input, and passes the visitor any that crashed a worker as `lost`.
 */
export function openSampleWalk(job: ShardJob, { open, progress }: WalkResources, visitor: SampleVisitor): SampleWalk {
  const { pieces } = job;
  const poisonAt = findPoison(job);
  const counts: WalkCounts = { rows: 0, samples: 0, skipped: 0, passed: 0, lineEnds: 0 };
  // State of the current piece.
  let path = '';
  let drawn: readonly number[] | undefined;
  let nextDrawn = 0;

  const context: ShardContext = {
    job,
    bytes: createByteCollector(0),
    ...visitor.output,
    parts: visitor.parts,
    ...(visitor.damage === undefined ? {} : { damage: visitor.damage }),
    damaged(damage) {
      visitor.damaged?.(damage);
    },
    describe(piece, input) {
      visitor.describe?.(piece, input);
    },
    skipFile(piece, reason) {
      const number = counts.rows;
      counts.rows += 1;
      counts.skipped += 1;
      visitor.skipFile?.(piece, reason, number);
    },
    sample(offered) {
      if (drawn !== undefined) {
        if (drawn[nextDrawn] !== drawnNumberOf(offered)) return;
        nextDrawn += 1;
      }
      const number = counts.rows;
      counts.rows += 1;
      if (visitor.takes?.(number) === false) return;
      const reason = offered.skip?.();
      if (reason !== undefined) {
        counts.skipped += 1;
        visitor.skipRow?.(offered, reason);
        return;
      }
      const ordinal = counts.samples;
      const { piece, row } = offered;
      progress.sample(ordinal);
      visitor.sample({ ordinal, piece, row, path }, offered, poisonAt(ordinal));
      counts.samples += 1;
    },
  };

  function walkPiece(piece: PlacedPiece, index: number): PieceRead {
    ({ path } = piece);
    drawn = piece.drawn?.rows;
    nextDrawn = 0;
    const read = processPiece(context, piece, index, open);
    counts.passed += read.passed;
    counts.lineEnds += read.lineEnds;
    return read;
  }

  return {
    counts,
    piece: walkPiece,
    all() {
      try {
        for (const [index, piece] of pieces.entries()) walkPiece(piece, index);
      } catch (error) {
        if (!(error instanceof EnoughSamples)) throw error;
        return { isCut: true };
      }
      return { isCut: false };
    },
  };
}

/** Reads a sample, unless it is lost. */
export function readOffered({ read }: OfferedSample, lost: Poison | undefined): ReturnType<OfferedSample['read']> {
  return lost === undefined ? read() : { problem: lost.reason };
}
