import { createHash } from 'node:crypto';
import type { RecordColumn } from '../schemas/columns.ts';
import type { RecordPlace } from '../generation.ts';
import { dateOf, dayOf, rounding } from './column-definitions.ts';
import type { SeedRow } from './seed-rows.ts';

/** Draws the value of a SAMPLER column for a record; deterministic for the same place. */
export type Draw = (place: Pick<RecordPlace, 'key' | 'ordinal'>) => unknown;

/** `rows`: the rows that a ROW sampler draws from. */
export function createDraw(column: RecordColumn, rows: readonly SeedRow[]): Draw {
  const { name, seed = 0 } = column;
  const valueOf = valueDraw(column, rows);
  return ({ key, ordinal }) => valueOf(fractionOf(JSON.stringify([seed, name, key, ordinal])));
}

/** A number in [0, 1) from 48 bits of a hash: uniform, and independent of other columns, samples and records. */
function fractionOf(place: string): number {
  return createHash('sha256').update(place).digest().readUIntBE(0, 6) / 2 ** 48;
}

function valueDraw(column: RecordColumn, rows: readonly SeedRow[]): (fraction: number) => unknown {
  const { sampler, values = [], minimum = 0, maximum = 0, decimals = 0, from = '', to = '' } = column;
  switch (sampler) {
    case 'NUMBER': {
      const steps = 10 ** decimals;
      const [least, most] = [Math.ceil(minimum * steps - rounding), Math.floor(maximum * steps + rounding)];
      return (fraction) => among(least, most, fraction) / steps;
    }
    case 'DATE': {
      const [first = 0, last = 0] = [dayOf(from), dayOf(to)];
      return (fraction) => dateOf(among(first, last, fraction));
    }
    case 'ROW':
      return (fraction) => rows[among(0, rows.length - 1, fraction)];
    default: {
      const sums: number[] = [];
      let sum = 0;
      for (const { weight = 1 } of values) sums.push((sum += weight));
      return (fraction) => (values[sums.findIndex((one) => fraction * sum < one)] ?? values.at(-1))?.value;
    }
  }
}

/** An integer from `least` to `most`, both inclusive. */
function among(least: number, most: number, fraction: number): number {
  return least + Math.floor(fraction * (most - least + 1));
}
