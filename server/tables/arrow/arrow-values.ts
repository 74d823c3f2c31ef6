import { isUtf8 } from 'node:buffer';
import type { Data, DataType, Field, Vector } from 'apache-arrow';
import type { Arrow } from './arrow-library.ts';
import { dateText, intervalText, timestampText, timeText } from './arrow-times.ts';

/** The value of a row as JSON. */
export type WriteValue = (index: number) => string;

/**
 * Texts that are not valid UTF-8 can't be in a string: it holds their number between two zeros, which JSON has only as
 * escapes.
 */
export type InvalidTexts = { bytes: Uint8Array[] };

/** What tells the types of columns apart. */
type ColumnType = Pick<DataType, 'typeId' | 'children'> & {
  unit?: number;
  precision?: number;
  bitWidth?: number;
  scale?: number;
  timezone?: string | null;
  byteWidth?: number;
  listSize?: number;
  mode?: number;
  typeIds?: ArrayLike<number>;
};

/** A column of a batch, or a part of one. */
type Column = Pick<
  Data,
  'length' | 'nullCount' | 'nullBitmap' | 'values' | 'valueOffsets' | 'typeIds' | 'variadicBuffers' | 'dictionary'
> & { type: ColumnType; children: readonly Column[] };

type Numbers = { readonly length: number; readonly [index: number]: number };
type BigNumbers = { readonly length: number; readonly [index: number]: bigint };

class ArrowDamage extends Error {}

function demand(isRight: boolean, what: string): void {
  if (!isRight) throw new ArrowDamage(what);
}

const perSecond = [1n, 1000n, 1_000_000n, 1_000_000_000n];

/** Writers of the values of columns; each batch has its own, dictionaries are kept. */
export function createValueWriters(
  arrow: Arrow,
  invalid: InvalidTexts,
): { writerOf(data: Column, field: Field): WriteValue } {
  const { Type } = arrow;
  const dictionaries = new WeakMap<Vector, WriteValue>();

  function writerOf(data: Column, field: Field): WriteValue {
    const write = valuesOf(data, field);
    const { nullBitmap, length } = data;
    const { typeId } = data.type;
    if (typeId === Type.Union || typeId === Type.Null || data.nullCount <= 0) return write;
    demand(nullBitmap.length * 8 >= length, 'a column has too few marks of nulls');
    return (index) => (((nullBitmap[index >> 3] ?? 0) >> (index & 7)) & 1 ? write(index) : 'null');
  }

  function valuesOf(data: Column, field: Field): WriteValue {
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
        return intervalWriter(data);
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
      case Type.List:
      case Type.LargeList: {
        const { item, itemField } = itemOf(data);
        const write = writerOf(item, itemField);
        const offsets = offsetsOf(data, item.length);
        return (index) => listJson(write, Number(offsets[index]), Number(offsets[index + 1]));
      }
      case Type.FixedSizeList: {
        const { item, itemField } = itemOf(data);
        const width = type.listSize as number;
        demand(item.length >= length * width, 'a list has too few items');
        const write = writerOf(item, itemField);
        return (index) => listJson(write, index * width, (index + 1) * width);
      }
      case Type.Struct:
        return structWriter(data);
      case Type.Map:
        return mapWriter(data);
      case Type.Union:
        return unionWriter(data);
      case Type.Dictionary:
        return dictionaryWriter(data, field);
      default:
        throw new ArrowDamage(`the column ${field.name} is of a type that is not read`);
    }
  }

  function textJson(bytes: Uint8Array): string {
    const { buffer, byteOffset, byteLength } = bytes;
    if (isUtf8(bytes)) return JSON.stringify(Buffer.from(buffer, byteOffset, byteLength).toString());
    invalid.bytes.push(Buffer.from(jsonEscaped(bytes), 'latin1'));
    return `"\u0000${invalid.bytes.length - 1}\u0000"`;
  }

  /** The position of each value in `[0, bound]`, ascending. */
  function offsetsOf(data: Column, bound: number): Numbers | BigNumbers {
    const offsets = data.valueOffsets as Numbers | BigNumbers;
    if (data.length === 0) return offsets;
    demand(offsets.length > data.length, 'a column has too few offsets');
    let before = 0;
    for (let index = 0; index <= data.length; index += 1) {
      const offset = Number(offsets[index]);
      demand(offset >= before && offset <= bound, 'the offsets of a column lead outside of it');
      before = offset;
    }
    return offsets;
  }

  function itemOf(data: Column): { item: Column; itemField: Field } {
    const [item] = data.children;
    const [itemField] = data.type.children;
    if (item === undefined || itemField === undefined) throw new ArrowDamage('a list has no items');
    return { item, itemField };
  }

  function viewWriter(data: Column, toJson: (bytes: Uint8Array) => string): WriteValue {
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

  function structWriter(data: Column): WriteValue {
    const fields = data.type.children;
    const members = fields.map((field, number) => {
      const child = data.children[number];
      if (child === undefined) throw new ArrowDamage('a struct lacks a member');
      demand(child.length >= data.length, 'a member of a struct has too few values');
      return { name: JSON.stringify(field.name), write: writerOf(child, field) };
    });
    return (index) => `{${members.map(({ name, write }) => `${name}:${write(index)}`).join(',')}}`;
  }

  function mapWriter(data: Column): WriteValue {
    const { item } = itemOf(data);
    const [keys, values] = item.children;
    const [keyField, valueField] = item.type.children;
    if (keys === undefined || values === undefined || keyField === undefined || valueField === undefined)
      throw new ArrowDamage('a map has no keys');
    demand(keys.length >= item.length && values.length >= item.length, 'a map has too few values');
    const writeKey = writerOf(keys, keyField);
    const writeItem = writerOf(values, valueField);
    const offsets = offsetsOf(data, item.length);
    const nameOf = (key: string): string => (key.startsWith('"') ? key : JSON.stringify(key));
    return (index) => {
      const entries: string[] = [];
      for (let at = Number(offsets[index]); at < Number(offsets[index + 1]); at += 1)
        entries.push(`${nameOf(writeKey(at))}:${writeItem(at)}`);
      return `{${entries.join(',')}}`;
    };
  }

  function unionWriter(data: Column): WriteValue {
    const { typeIds, type, length } = data;
    const children = new Map<number, { child: Column; write: WriteValue }>();
    for (const [number, field] of type.children.entries()) {
      const child = data.children[number];
      if (child === undefined) throw new ArrowDamage('a union lacks a member');
      children.set(Number(type.typeIds?.[number]), { child, write: writerOf(child, field) });
    }
    const isDense = type.mode === arrow.UnionMode.Dense;
    demand(typeIds.length >= length && (!isDense || data.valueOffsets.length >= length), 'a union has too few values');
    return (index) => {
      const found = children.get(Number(typeIds[index]));
      const at = isDense ? Number(data.valueOffsets[index]) : index;
      if (found === undefined || at < 0 || at >= found.child.length)
        throw new ArrowDamage('a union leads outside of its members');
      return found.write(at);
    };
  }

  function dictionaryWriter(data: Column, field: Field): WriteValue {
    const indices = data.values as Numbers | BigNumbers;
    const { dictionary } = data;
    if (dictionary === undefined) throw new ArrowDamage(`the dictionary of ${field.name} is missing`);
    demand(indices.length >= data.length, 'a column has too few values');
    const known = dictionaries.get(dictionary) ?? entriesOf(dictionary, field);
    dictionaries.set(dictionary, known);
    return (index) => {
      const at = Number(indices[index]);
      demand(at >= 0 && at < dictionary.length, 'a value leads outside of its dictionary');
      return known(at);
    };
  }

  /** Each entry of a dictionary is written once. */
  function entriesOf(dictionary: Vector, field: Field): WriteValue {
    const parts = dictionary.data.map((part) => ({ length: part.length, write: writerOf(part, field) }));
    const texts: string[] = [];
    return (index) => {
      const known = texts[index];
      if (known !== undefined) return known;
      let at = index;
      for (const { length, write } of parts) {
        if (at >= length) {
          at -= length;
          continue;
        }
        const invalidBefore = invalid.bytes.length;
        const text = write(at);
        // The number of an invalid text is that of its row.
        if (invalid.bytes.length === invalidBefore) texts[index] = text;
        return text;
      }
      throw new ArrowDamage('a value leads outside of its dictionary');
    };
  }

  function intervalWriter(data: Column): WriteValue {
    const values = data.values as Int32Array;
    const { unit } = data.type;
    const { IntervalUnit } = arrow;
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

  return { writerOf };
}

function listJson(write: WriteValue, from: number, to: number): string {
  const items: string[] = [];
  for (let at = from; at < to; at += 1) items.push(write(at));
  return `[${items.join(',')}]`;
}

/** A number whose text shows that it is floating-point. */
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

/** Bytes as text: those that are no plain ASCII as `\x00`. */
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

/** Bytes as the inside of a JSON string, in which only ASCII is escaped; one character a byte. */
function jsonEscaped(bytes: Uint8Array): string {
  const latin = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return [...latin]
    .map((sign) => (sign < ' ' || sign === '"' || sign === '\\' ? JSON.stringify(sign).slice(1, -1) : sign))
    .join('');
}
