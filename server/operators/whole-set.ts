import type { Reason } from '../kernel/reason.ts';
import { ReasonedError } from '../kernel/reasoned-error.ts';
import type { GivenSample } from './sample.ts';

/** The numbers that a whole-set operator recorded, in input order. Stored on disk; columns are read on demand. */
export type Signatures = {
  readonly count: number;
  /** The first this many samples belong to the datasets that the step names: they are never dropped. */
  readonly references: number;
  /** One key of every sample. */
  column(key: number): Uint32Array;
  /** Copies the words of one sample into `target`. */
  read(index: number, target: Uint32Array): void;
};

/** A sample to drop and why; `place` is where the sample `of` is. */
export type SetDrop = {
  readonly index: number;
  readonly of: number;
  readonly score: number;
  readonly reason: (place: string) => Reason;
};

/** Values to write into columns of one sample's row. */
export type SetWrite = { readonly index: number; readonly columns: Readonly<Record<string, string | number>> };

/** How duplicates are found: samples that agree in a key are compared by their words. */
export type DuplicateSearch = {
  /** Number of keys; samples that agree in one of them are compared. */
  readonly keys: number;
  readonly words: number;
  /** Similarity of two samples' words, 0 to 1. */
  readonly similarity: (one: Uint32Array, other: Uint32Array) => number;
  /** From this similarity on, one of the two is dropped. */
  readonly threshold: number;
  /** The reason of a drop; `sample` is the place of the sample that is kept. */
  readonly reason: (similarity: number, sample: string) => Reason;
  /** A line for the run's log. */
  readonly about?: Reason;
};

/**
 * How an operator processes the whole set. First `sign` records a few numbers per sample, shard by shard; then `reduce`
 * compares them all and reports, in ascending order, which samples to drop or what to write into their rows; later
 * steps only see samples that were not dropped.
 */
export type WholeSet<S = GivenSample> = {
  /** Number of keys per sample, by which `reduce` groups; it reads one key of all samples at a time. */
  readonly keys: number;
  /** Number of words per sample, read for single samples. */
  readonly words: number;
  /** `path` is the path of the sample's file. */
  sign(sample: S, keys: Uint32Array, words: Uint32Array, path: string): void;
  /**
   * Set if `reduce` only searches for duplicates in this way (`duplicatesBy`): for a large set, each key is then
   * processed separately, in partitions, with the same outcome.
   */
  readonly duplicates?: DuplicateSearch;
  /** `note` adds a line to the run's log: a warning by default. */
  reduce(
    signatures: Signatures,
    drop: (dropped: SetDrop) => void,
    note: (message: Reason, level?: 'INFO') => void,
    write: (written: SetWrite) => void,
  ): void;
};

/** Thrown by `reduce` if the parameters do not fit the whole set: the run fails with its message. */
export class SetProblem extends ReasonedError {
  override readonly name = 'SetProblem';
}
