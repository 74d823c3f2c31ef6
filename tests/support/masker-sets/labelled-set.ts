import type { Masker } from '../../../server/operators/maskers/masker.ts';
import type { Random } from '../seeded-random.ts';

/** Texts with a finding, made at random, and similar ones without. */
export type LabelledSet = {
  mask: Masker;
  /** `%` marks the place of the finding. */
  around: readonly string[];
  positive: (random: Random) => string;
  /** A further context, for findings that only a nearby word identifies. */
  near: (random: Random) => string;
};

/** Places where each finding counts. */
export const anywhere = [
  'see %.',
  '(%)',
  '"%"',
  '| 7 | % | ok |',
  '{"value":"%"}',
  "x = '%';",
  'id;value\n7;%\n',
  '编号：%，谢谢。',
  '%',
];

export const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
export const lower = upper.toLowerCase();
export const hex = '0123456789abcdef';

/** Groups of four characters. */
export function inFours(text: string, separator: string): string {
  return (text.match(/.{1,4}/g) ?? []).join(separator);
}
