import { isUtf8 } from 'node:buffer';
import type { Field, Vector } from 'apache-arrow';
import {
  ArrowDamage,
  demand,
  itemOf,
  offsetsOf,
  type BigNumbers,
  type ArrowColumn,
  type Numbers,
  type WriteValue,
} from './arrow-columns.ts';
import type { Arrow } from './arrow-library.ts';
import { scalarWriter } from './arrow-scalars.ts';

/**
 * Texts that are not valid UTF-8, which a string can't hold: the string has their index between two NULs instead, which
 * never occur unescaped in JSON.
 */
export type InvalidTexts = { bytes: Uint8Array[] };

/** Creates writers for the values of columns: one per batch, while dictionaries are kept. */
export function createValueWriters(
  arrow: Arrow,
  invalid: InvalidTexts,
): { writerOf(data: ArrowColumn, field: Field): WriteValue } {
  const { Type } = arrow;
  const dictionaries = new WeakMap<Vector, WriteValue>();

  function writerOf(data: ArrowColumn, field: Field): WriteValue {
    const write = valuesOf(data, field);
    const { nullBitmap, length } = data;
    const { typeId } = data.type;
    if (typeId === Type.Union || typeId === Type.Null || data.nullCount <= 0) return write;
    demand(nullBitmap.length * 8 >= length, 'a column has too few marks of nulls');
    return (index) => (((nullBitmap[index >> 3] ?? 0) >> (index & 7)) & 1 ? write(index) : 'null');
  }

  function valuesOf(data: ArrowColumn, field: Field): WriteValue {
    const scalar = scalarWriter(arrow, data, field, textJson);
    if (scalar !== undefined) return scalar;
    const { type, length } = data;
    switch (type.typeId) {
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

  function structWriter(data: ArrowColumn): WriteValue {
    const fields = data.type.children;
    const members = fields.map((field, number) => {
      const child = data.children[number];
      if (child === undefined) throw new ArrowDamage('a struct lacks a member');
      demand(child.length >= data.length, 'a member of a struct has too few values');
      return { name: JSON.stringify(field.name), write: writerOf(child, field) };
    });
    return (index) => `{${members.map(({ name, write }) => `${name}:${write(index)}`).join(',')}}`;
  }

  function mapWriter(data: ArrowColumn): WriteValue {
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

  function unionWriter(data: ArrowColumn): WriteValue {
    const { typeIds, type, length } = data;
    const children = new Map<number, { child: ArrowColumn; write: WriteValue }>();
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

  function dictionaryWriter(data: ArrowColumn, field: Field): WriteValue {
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

  /** Converts each dictionary entry only once. */
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
        // An entry with an invalid text is not cached: the text's index is valid only in its row.
        if (invalid.bytes.length === invalidBefore) texts[index] = text;
        return text;
      }
      throw new ArrowDamage('a value leads outside of its dictionary');
    };
  }

  return { writerOf };
}

function listJson(write: WriteValue, from: number, to: number): string {
  const items: string[] = [];
  for (let at = from; at < to; at += 1) items.push(write(at));
  return `[${items.join(',')}]`;
}

/** Bytes as the inside of a JSON string, one character per byte; only ASCII characters are escaped. */
function jsonEscaped(bytes: Uint8Array): string {
  const latin = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return [...latin]
    .map((sign) => (sign < ' ' || sign === '"' || sign === '\\' ? JSON.stringify(sign).slice(1, -1) : sign))
    .join('');
}
