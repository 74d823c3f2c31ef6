import {
  compareNumbers,
  floorAt,
  parseNumber,
  parseTime,
  parseTimeOfDay,
  writtenTime,
  writtenTimeOfDay,
  type ComparedNumber,
} from '../condition-values.ts';
import { literal } from '../parquet/text-patterns.ts';

export type Sign = '=' | '<' | '<=' | '>' | '>=';

/** Numbers of a column, or numbers written in its texts (`written`); `float`: SQL of the original 32-bit values. */
export type NumberSql = {
  sql: string;
  type: 'whole' | 'double' | 'decimal' | 'written';
  scale?: number;
  float?: string;
};

/** A column of a time type, or times written in texts (`written`). */
export type TimeSql = { sql: string; type: 'timestamp' | 'zoned' | 'time-of-day' | 'written' };

const number = String.raw`\s*(?:-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?|NaN|nan|-?(?:[Ii]nf|Infinity))\s*`;
const mostHuge = 2n ** 127n - 1n;

/** The number that a text holds, as `written`; null in SQL if the text is not a number. */
export function writtenNumberOf(text: string): NumberSql {
  return { sql: `case when regexp_full_match(${text}, ${literal(number)}) then trim(${text}) end`, type: 'written' };
}

/** Compares a number by all its digits; the SQL is null where there is no number. */
export function compareNumberSql(
  { sql, type, scale = 0, float }: NumberSql,
  sign: Sign,
  value: ComparedNumber,
): string {
  switch (type) {
    case 'whole':
      return compareAtScale(sql, sign, value, { scale: 0, most: mostHuge, write: String });
    case 'decimal':
      return compareAtScale(sql, sign, value, {
        scale,
        most: 10n ** 38n - 1n,
        write: (digits) => decimalOf(digits, scale),
      });
    case 'double': {
      const compared = compareDouble(sql, sign, value);
      return float === undefined || sign !== '='
        ? compared
        : `(${compared} or ${compareDouble(`cast(${float} as double)`, sign, value)})`;
    }
    case 'written': {
      const [huge, double] = [`try_cast(${sql} as hugeint)`, `try_cast(${sql} as double)`];
      const isWhole = `regexp_full_match(${sql}, '-?[0-9]{1,38}')`;
      return `case when ${isWhole} then ${compareNumberSql({ sql: huge, type: 'whole' }, sign, value)} else ${compareDouble(double, sign, value)} end`;
    }
  }
}

/** Compares fixed-point numbers of one scale; a compared value with more decimal places equals none of them. */
function compareAtScale(
  sql: string,
  sign: Sign,
  value: ComparedNumber,
  { scale, most, write }: { scale: number; most: bigint; write: (digits: bigint) => string },
): string {
  if (value.decimal === undefined) return compareDouble(`${sql}::double`, sign, value);
  const { digits, isExact } = floorAt(value.decimal, scale);
  if (digits > most) return constant(sql, sign === '<' || sign === '<=');
  if (digits < -most) return constant(sql, sign === '>' || sign === '>=');
  if (isExact) return `${sql} ${sign} ${write(digits)}`;
  if (sign === '=') return constant(sql, false);
  return `${sql} ${sign.startsWith('<') ? '<=' : '>'} ${write(digits)}`;
}

function constant(sql: string, is: boolean): string {
  return `(${sql} is not null and ${is})`;
}

function decimalOf(digits: bigint, scale: number): string {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const written = scale === 0 ? whole : `${whole}.${text.slice(text.length - scale)}`;
  return `cast('${digits < 0n ? '-' : ''}${written}' as decimal(38, ${scale}))`;
}

/**
 * Compares a double by its shortest decimal form; NaN equals only itself and is neither less nor greater than a number.
 */
function compareDouble(sql: string, sign: Sign, value: ComparedNumber): string {
  const { double } = value;
  if (Number.isNaN(double)) return sign === '=' ? `isnan(${sql})` : constant(sql, false);
  const own = parseNumber(String(double));
  const away = own === undefined ? 0 : compareNumbers(own, value);
  if (away !== 0 && sign === '=') return constant(sql, false);
  const exactSign = away === 0 ? sign : sign.startsWith('>') ? (away < 0 ? '>' : '>=') : away < 0 ? '<=' : '<';
  return `(${sql} ${exactSign} cast('${double}' as double) and not isnan(${sql}))`;
}

/** Compares a time with a time given as text; undefined if the text is not a time. */
export function compareTimeSql({ sql, type }: TimeSql, sign: Sign, value: string): string | undefined {
  const [moment, clock] = [parseTime(value), parseTimeOfDay(value)];
  switch (type) {
    case 'timestamp':
      return moment === undefined ? undefined : `cast(${sql} as timestamp) ${sign} make_timestamp(${moment})`;
    case 'zoned':
      return moment === undefined ? undefined : `epoch_us(${sql}) ${sign} ${moment}`;
    case 'time-of-day':
      return clock === undefined ? undefined : `epoch_us(${sql}) ${sign} ${clock}`;
    case 'written':
      if (moment !== undefined) return `${momentOf(sql)} ${sign} ${moment}`;
      return clock === undefined ? undefined : `${clockOf(sql)} ${sign} ${clock}`;
  }
}

/** Microseconds since the epoch of a text that holds a time; the library requires seconds before a time zone. */
function momentOf(text: string): string {
  const withSeconds = `regexp_replace(${text}, '^(.{16})(Z|[-+].*)?$', '\\1:00\\2')`;
  return `case when regexp_full_match(${text}, ${literal(writtenTime)}) then epoch_us(try_cast(${withSeconds} as timestamptz)) end`;
}

function clockOf(text: string): string {
  return `case when regexp_full_match(${text}, ${literal(writtenTimeOfDay)}) then epoch_us(try_cast(${text} as time)) end`;
}
