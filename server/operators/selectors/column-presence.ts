import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { SetProblem, type WholeSet } from '../whole-set.ts';
import type { Sample } from '../operator.ts';

/** Messages of whole-set operators about the columns that they read and write. */
export const presenceSentences = defineSentences('column-presence', {
  COLUMN_NOWHERE:
    'none of {samples} samples has the column {column}: look at its spelling, upper and lower case differ',
  COLUMN_LACKED: '{lacking} of {samples} samples lack the column {column}',
  COLUMN_REPLACED: '{replaced} of {samples} samples had another value in the column {column}: it was replaced',
});

export const chinesePresence = {
  COLUMN_NOWHERE: '{samples} 个样本都没有列 {column}：请检查列名，区分大小写',
  COLUMN_LACKED: '{samples} 个样本中有 {lacking} 个没有列 {column}',
  COLUMN_REPLACED: '{samples} 个样本中有 {replaced} 个的列 {column} 原有其他值，已被替换',
};

type Columns = Sample['columns'];
type Note = Parameters<WholeSet['reduce']>[2];

/** A key: 1 if a sample lacks a column, otherwise 0. */
export function lacks(columns: Columns, column: string): number {
  return Object.hasOwn(columns, column) ? 0 : 1;
}

/** A key: 1 if a column has a value that the operator itself does not write, otherwise 0. */
export function holdsOther(columns: Columns, column: string, written: (value: unknown) => boolean): number {
  const value = Object.hasOwn(columns, column) ? columns[column] : null;
  return value === null || value === undefined || value === '' || written(value) ? 0 : 1;
}

/** Logs how many samples lack a column. Throws SetProblem if all do. */
export function noteLacking(lacking: Uint32Array, column: string, note: Note): void {
  const count = sumOf(lacking);
  if (count === 0) return;
  const figures = { samples: lacking.length, column: JSON.stringify(column) };
  if (count === lacking.length) throw new SetProblem(presenceSentences.COLUMN_NOWHERE.reason(figures));
  note(presenceSentences.COLUMN_LACKED.reason({ ...figures, lacking: count }));
}

/** Logs how many samples lose the value of a column. */
export function noteReplaced(replaced: Uint32Array, column: string, note: Note): void {
  const count = sumOf(replaced);
  if (count > 0)
    note(
      presenceSentences.COLUMN_REPLACED.reason({
        replaced: count,
        samples: replaced.length,
        column: JSON.stringify(column),
      }),
    );
}

function sumOf(keys: Uint32Array): number {
  let sum = 0;
  for (const key of keys) sum += key;
  return sum;
}
