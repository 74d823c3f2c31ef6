import type { GivenSample } from './sample.ts';

/** The place of a sample of another dataset; row and line from 1. */
export type ReferencePlace = {
  readonly dataset: string;
  readonly path: string;
  readonly row: number | null;
  readonly line: number | null;
};

/** A range of the text, in UTF-16 units, that also occurs in a sample of another dataset. */
export type Match = ReferencePlace & { readonly start: number; readonly end: number; readonly text: string };

/** The 64-bit keys that an operator recorded for the samples of the datasets that a step names. */
export type ReferenceIndex = {
  /** The first sample that has the key; -1 if none has. */
  find(low: number, high: number): number;
  placeOf(sample: number): ReferencePlace;
};

/** Records keys of one sample of another dataset. */
export type Referrer<S = GivenSample> = (sample: S, take: (low: number, high: number) => void) => void;

/** The index of a step that names no datasets. */
export const noReferences: ReferenceIndex = {
  find: () => -1,
  placeOf: () => {
    throw new RangeError('There are no references');
  },
};
