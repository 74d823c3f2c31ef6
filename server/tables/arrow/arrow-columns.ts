import type { Data, DataType, Field } from 'apache-arrow';

/** Returns the value of a row as JSON. */
export type WriteValue = (index: number) => string;

/** The properties that distinguish column types. */
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
export type ArrowColumn = Pick<
  Data,
  'length' | 'nullCount' | 'nullBitmap' | 'values' | 'valueOffsets' | 'typeIds' | 'variadicBuffers' | 'dictionary'
> & { type: ColumnType; children: readonly ArrowColumn[] };

export type Numbers = { readonly length: number; readonly [index: number]: number };
export type BigNumbers = { readonly length: number; readonly [index: number]: bigint };

export class ArrowDamage extends Error {}

export function demand(isRight: boolean, what: string): void {
  if (!isRight) throw new ArrowDamage(what);
}

/** The offsets of the values, checked to ascend within `[0, bound]`. */
export function offsetsOf(data: ArrowColumn, bound: number): Numbers | BigNumbers {
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

/** The items of a list, or the entries of a map. */
export function itemOf(data: ArrowColumn): { item: ArrowColumn; itemField: Field } {
  const [item] = data.children;
  const [itemField] = data.type.children;
  if (item === undefined || itemField === undefined) throw new ArrowDamage('a list has no items');
  return { item, itemField };
}
