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

/** Numbers of a column, or those among its texts (`written`); `float`: they are of 32 bits. */
export type NumberSql = {
  sql: string;
  type: 'whole' | 'double' | 'decimal' | 'written';
  scale?: number;
  float?: string;
};

/** What has a time: a column of that type, or the times among texts (`written`). */
export type TimeSql = { sql: string; type: 'timestamp' | 'zoned' | 'time-of-day' | 'written' };

const number = String.raw`\s*(?:-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?|NaN|nan|-?(?:[Ii]nf|Infinity))\s*`;
const mostHuge = 2n ** 127n - 1n;

/** The text, where it is written as a number. */
export function writtenNumberOf(text: string): NumberSql {
  return { sql: `case when regexp_full_match(${text}, ${literal(number)}) then trim(${text}) end`, type: 'written' };
}

/** Whether a number compares so with another one, by all digits; null where there is no number. */
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

/** Of numbers with so many places, what is between two of them has no equal. */
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

/** A double stands for its shortest digits; NaN is no more than another number, and equal to itself. */
function compareDouble(sql: string, sign: Sign, value: ComparedNumber): string {
  const { double } = value;
  if (Number.isNaN(double)) return sign === '=' ? `isnan(${sql})` : constant(sql, false);
  const own = parseNumber(String(double));
  const away = own === undefined ? 0 : compareNumbers(own, value);
  if (away !== 0 && sign === '=') return constant(sql, false);
  const exactSign = away === 0 ? sign : sign.startsWith('>') ? (away < 0 ? '>' : '>=') : away < 0 ? '<=' : '<';
  return `(${sql} ${exactSign} cast('${double}' as double) and not isnan(${sql}))`;
}

/** Whether a time compares so with one that is written as a text; undefined if the text is none. */
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

/** Microseconds of a text that is a time; the library wants seconds in front of a zone. */
function momentOf(text: string): string {
  const withSeconds = `regexp_replace(${text}, '^(.{16})(Z|[-+].*)?$', '\\1:00\\2')`;
  return `case when regexp_full_match(${text}, ${literal(writtenTime)}) then epoch_us(try_cast(${withSeconds} as timestamptz)) end`;
}

function clockOf(text: string): string {
  return `case when regexp_full_match(${text}, ${literal(writtenTimeOfDay)}) then epoch_us(try_cast(${text} as time)) end`;
}
