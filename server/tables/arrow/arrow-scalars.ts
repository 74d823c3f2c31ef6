import type { Field } from 'apache-arrow';
import {
  ArrowDamage,
  demand,
  offsetsOf,
  type ArrowColumn,
  type BigNumbers,
  type Numbers,
  type WriteValue,
} from './arrow-columns.ts';
import type { Arrow } from './arrow-library.ts';
import { dateText, intervalText, timestampText, timeText } from './arrow-times.ts';

const perSecond = [1n, 1000n, 1_000_000n, 1_000_000_000n];

/** The writer of a column of scalar values; undefined for any other column. */
export function scalarWriter(
  arrow: Arrow,
  data: ArrowColumn,
  field: Field,
  textJson: (bytes: Uint8Array) => string,
): WriteValue | undefined {
  const { Type } = arrow;
  const { type, length } = data;
  const size = (wanted: number): void => demand(data.values.length >= wanted, 'a column has too few values');
  switch (type.typeId) {
    case Type.Null:
      return () => 'null';
    case Type.Bool: {
      const bits = data.values as Numbers;
      demand(bits.length * 8 >= length, 'a column has too few values');
      return (index) => (((bits[index >> 3] ?? 0) >> (index & 7)) & 1 ? 'true' : 'false');
    }
    case Type.Int:
    case Type.Duration: {
      size(length);
      const values = data.values as Numbers | BigNumbers;
      return (index) => String(values[index]);
    }
    case Type.Float:
      size(length);
      return floatWriter(data.values as Numbers, type.precision === arrow.Precision.HALF);
    case Type.Decimal:
      size(length * ((type.bitWidth ?? 128) / 32));
      return decimalWriter(data.values as Uint32Array, type as { bitWidth: number; scale: number });
    case Type.Date: {
      size(length);
      const values = data.values as Numbers | BigNumbers;
      const perDay = type.unit === arrow.DateUnit.DAY ? 1 : 86_400_000;
      return (index) => `"${dateText(Math.floor(Number(values[index]) / perDay))}"`;
    }
    case Type.Time: {
      size(length);
      const values = data.values as Numbers | BigNumbers;
      const unit = perSecond[type.unit as number] ?? 1n;
      return (index) => `"${timeText(BigInt(values[index] ?? 0), unit)}"`;
    }
    case Type.Timestamp: {
      size(length);
      const values = data.values as BigNumbers;
      const unit = perSecond[type.unit as number] ?? 1n;
      const isInZone = (type.timezone ?? '') !== '';
      return (index) => `"${timestampText(values[index] ?? 0n, unit, isInZone)}"`;
    }
    case Type.Interval:
      return intervalWriter(data, arrow);
    case Type.Utf8:
    case Type.LargeUtf8:
    case Type.Binary:
    case Type.LargeBinary: {
      const isText = type.typeId === Type.Utf8 || type.typeId === Type.LargeUtf8;
      const offsets = offsetsOf(data, data.values.length as number);
      const bytes = data.values as Uint8Array;
      const toJson = isText ? textJson : blobJson;
      return (index) => toJson(bytes.subarray(Number(offsets[index]), Number(offsets[index + 1])));
    }
    case Type.Utf8View:
    case Type.BinaryView:
      return viewWriter(data, type.typeId === Type.Utf8View ? textJson : blobJson);
    case Type.FixedSizeBinary: {
      const width = type.byteWidth as number;
      size(length * width);
      const bytes = data.values as Uint8Array;
      const isUuid = width === 16 && field.metadata.get('ARROW:extension:name') === 'arrow.uuid';
      const toJson = isUuid ? uuidJson : blobJson;
      return (index) => toJson(bytes.subarray(index * width, (index + 1) * width));
    }
    default:
      return undefined;
  }
}

/** A number as text that shows that it is floating-point. */
function floatText(value: number): string {
  if (!Number.isInteger(value)) return String(value).replace('e+', 'e');
  const text = Object.is(value, -0) ? '-0' : String(value);
  return text.includes('e') ? text.replace('e+', 'e') : `${text}.0`;
}

function floatWriter(values: Numbers, isHalf: boolean): WriteValue {
  if (isHalf) return (index) => floatText(halfOf(values[index] ?? 0));
  return (index) => floatText(values[index] ?? 0);
}

function halfOf(bits: number): number {
  const sign = bits & 0x80_00 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3_ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function decimalWriter(words: Uint32Array, { bitWidth, scale }: { bitWidth: number; scale: number }): WriteValue {
  const each = bitWidth / 32;
  return (index) => {
    let value = 0n;
    for (let word = each - 1; word >= 0; word -= 1) value = (value << 32n) | BigInt(words[index * each + word] ?? 0);
    const signed = BigInt.asIntN(bitWidth, value);
    if (scale <= 0) return `${signed}${signed === 0n ? '' : '0'.repeat(-scale)}.0`;
    const digits = String(signed < 0n ? -signed : signed).padStart(scale + 1, '0');
    return `${signed < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  };
}

/** Bytes as text; bytes outside plain ASCII become `\x00` escapes. */
function blobJson(bytes: Uint8Array): string {
  let text = '"';
  for (const byte of bytes) {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x5c && byte !== 0x27 && byte !== 0x22;
    text += isPlain ? String.fromCharCode(byte) : `\\\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return `${text}"`;
}

function uuidJson(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return `"${hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}"`;
}

/** Writer for view columns: short values are stored inline, long ones in separate buffers. */
function viewWriter(data: ArrowColumn, toJson: (bytes: Uint8Array) => string): WriteValue {
  const views = data.values as Uint8Array;
  const parts = data.variadicBuffers;
  demand(views.length >= data.length * 16, 'a column has too few values');
  const view = new DataView(views.buffer, views.byteOffset, views.byteLength);
  return (index) => {
    const length = view.getInt32(index * 16, true);
    if (length <= 12) {
      demand(length >= 0, 'a text has a length below 0');
      return toJson(views.subarray(index * 16 + 4, index * 16 + 4 + length));
    }
    const part = parts[view.getInt32(index * 16 + 8, true)];
    const start = view.getInt32(index * 16 + 12, true);
    if (part === undefined || start < 0 || start + length > part.length)
      throw new ArrowDamage('the offsets of a column lead outside of it');
    return toJson(part.subarray(start, start + length));
  };
}

function intervalWriter(data: ArrowColumn, { IntervalUnit }: Arrow): WriteValue {
  const values = data.values as Int32Array;
  const { unit } = data.type;
  const each = unit === IntervalUnit.YEAR_MONTH ? 1 : unit === IntervalUnit.DAY_TIME ? 2 : 4;
  demand(values.length >= data.length * each, 'a column has too few values');
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  const int = (at: number): number => view.getInt32(at * 4, true);
  return (index) => {
    const at = index * each;
    if (each === 1) return `"${intervalText({ months: int(at), days: 0, nanos: 0n })}"`;
    if (each === 2) return `"${intervalText({ months: 0, days: int(at), nanos: BigInt(int(at + 1)) * 1_000_000n })}"`;
    return `"${intervalText({ months: int(at), days: int(at + 1), nanos: view.getBigInt64((at + 2) * 4, true) })}"`;
  };
}
