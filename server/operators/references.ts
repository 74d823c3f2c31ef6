import type { GivenSample } from './sample.ts';

/** Where a sample of another dataset is; row and line from 1. */
export type ReferencePlace = {
  readonly dataset: string;
  readonly path: string;
  readonly row: number | null;
  readonly line: number | null;
};

/** A part of the text that occurs in a sample of another dataset, as a range of UTF-16 units. */
export type Match = ReferencePlace & { readonly start: number; readonly end: number; readonly text: string };

/** The keys of 64 bits that an operator recorded of the samples of the datasets that a step names. */
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
