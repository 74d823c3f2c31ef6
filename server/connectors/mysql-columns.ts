import type { TypeCastField } from 'mysql2';
import type { RowColumn } from './connector.ts';

/** A column as the server describes it. */
export type Column = {
  name: string;
  /** Type number in the protocol. */
  type: number;
  /** Maximum length of a value. */
  length: number;
  decimals: number;
  isUnsigned: boolean;
  isBinary: boolean;
};

export const types = {
  integers: [1, 2, 3, 8, 9, 13],
  decimals: [0, 246],
  floats: [4, 5],
  times: [7, 12],
  dates: [10, 14],
  /** Times of day, bits, JSON, shapes. */
  unordered: [11, 16, 245, 255],
};

/** The type by which values of the column are compared. */
export function orderTypeOf({ type, isUnsigned, decimals }: Column): string {
  if (types.integers.includes(type)) return isUnsigned ? 'unsigned' : 'signed';
  if (types.decimals.includes(type)) return `decimal(65,${decimals})`;
  if (types.floats.includes(type)) return 'double';
  if (types.times.includes(type)) return 'datetime(6)';
  return types.dates.includes(type) ? 'date' : 'binary';
}

const unsignedFlag = 32;
/** The character set number of binary columns. */
const binarySet = 63;
const textTypes = new Set([15, 249, 250, 251, 252, 253, 254]);

/** What the driver reports of a column. */
export type Field = {
  name: string;
  columnType?: number;
  columnLength?: number;
  decimals?: number;
  flags?: unknown;
  characterSet?: number;
};

export function columnOf({
  name,
  columnType = 253,
  columnLength = 0,
  decimals = 0,
  flags,
  characterSet,
}: Field): Column {
  return {
    name,
    type: columnType,
    length: columnLength,
    decimals,
    isUnsigned: typeof flags === 'number' && (flags & unsignedFlag) !== 0,
    isBinary: characterSet === binarySet && textTypes.has(columnType),
  };
}

/** Whether values may be long. */
export function isLong({ type }: Column): boolean {
  return textTypes.has(type);
}

/** Whether the server rounds values as text: a float without declared decimals. */
export function isRounded({ type, decimals }: Column): boolean {
  return type === 4 && decimals >= 31;
}

/** The column in Parquet. */
export function parquetColumn({ name, type, length, decimals, isUnsigned, isBinary }: Column): RowColumn {
  const integer = (signed: string): RowColumn => ({ name, type: isUnsigned ? `U${signed}` : signed });
  if (isBinary) return { name, type: 'BLOB', form: 'base64' };
  switch (type) {
    case 1:
      return integer('TINYINT');
    case 2:
      return integer('SMALLINT');
    case 3:
    case 9:
      return integer('INTEGER');
    case 8:
      return integer('BIGINT');
    case 13:
      return { name, type: 'SMALLINT' };
    case 4:
      return { name, type: 'FLOAT' };
    case 5:
      return { name, type: 'DOUBLE' };
    case 0:
    case 246: {
      // The length counts the sign and the point.
      const digits = length - (isUnsigned ? 0 : 1) - (decimals > 0 ? 1 : 0);
      if (digits <= 38) return { name, type: `DECIMAL(${digits},${decimals})`, form: 'text' };
      return { name, type: 'VARCHAR', form: 'text', becomesText: `decimal(${digits},${decimals})` };
    }
    case 10:
    case 14:
      return { name, type: 'DATE', form: 'text' };
    case 11:
      return { name, type: 'TIME', form: 'text' };
    case 12:
      return { name, type: 'TIMESTAMP', form: 'text' };
    case 7:
      return { name, type: 'TIMESTAMPTZ', form: 'text' };
    case 16:
    case 255:
      return { name, type: 'BLOB', form: 'base64' };
    case 245:
      return { name, type: 'JSON', form: 'text' };
    default:
      return { name, type: 'VARCHAR' };
  }
}

/**
 * A value as JSON, numbers with the digits that the server sends. For Parquet, values that are cast there are strings.
 */
export function jsonOf(field: TypeCastField, binary: ReadonlySet<string>, isForParquet: boolean): string | null {
  if (binary.has(field.name)) return quotedBase64(field.buffer());
  switch (field.type) {
    case 'TINY':
    case 'SHORT':
    case 'LONG':
    case 'INT24':
    case 'LONGLONG':
    case 'YEAR':
    case 'FLOAT':
    case 'DOUBLE':
      return numberOf(field.string());
    case 'DECIMAL':
    case 'NEWDECIMAL':
      return isForParquet ? quoted(field.string()) : numberOf(field.string());
    case 'TIMESTAMP': {
      const text = field.string();
      // The session is in UTC.
      return quoted(text !== null && isForParquet ? `${text}+00` : text);
    }
    case 'JSON': {
      const text = field.string('utf8');
      return isForParquet ? quoted(text) : (text?.replaceAll(/[\r\n]/g, ' ') ?? null);
    }
    case 'BIT':
    case 'GEOMETRY':
      return quotedBase64(field.buffer());
    default:
      return quoted(field.string());
  }
}

function numberOf(digits: string | null): string | null {
  if (digits === null || /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(digits)) return digits;
  return JSON.stringify(digits);
}

function quoted(text: string | null): string | null {
  return text === null ? null : JSON.stringify(text);
}

function quotedBase64(bytes: Buffer | null): string | null {
  return bytes === null ? null : JSON.stringify(bytes.toString('base64'));
}
