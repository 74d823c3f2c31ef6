import {
  addIntegers,
  compileModule,
  constant,
  get,
  instantiate,
  integerLoad,
  loop,
  repeatWhileBelow,
  set,
  step,
  type,
  vector,
  vectorLoad,
  vectorStore,
  type CompiledModule,
} from '../../../kernel/web-assembly-code.ts';

/** Rows of a block. Its values are stored by column, so that a query reads only the columns in which it is not 0. */
export const blockRows = 2_048;
/** Rows per group whose largest similarities are recorded. */
export const groupRows = 64;
/** Fixed-point representation of 1 in values and similarities; vectors have length 1. */
export const one = 0x7fff;

/** Blocks of rows, and their similarities to one query, block by block. */
export type FlatKernel = {
  /** Makes room for this many blocks, filled with zeros. */
  reserve(blocks: number): void;
  /** Stores or replaces a vector of length 1; zeros if it is undefined. */
  place(row: number, vector: Float32Array | undefined): void;
  /** Sets the query of later comparisons. */
  ask(query: Float32Array): void;
  /** Fills `similarities` and `maxima` with those of a block. */
  compare(block: number): void;
  readonly similarities: Int16Array;
  /** The largest similarity of each of eight classes of rows per group. */
  readonly maxima: Int16Array;
};

/** 16-bit lanes in a 128-bit vector. */
export const lanes = 8;
const vectorBytes = 16;
const columnBytes = 2 * blockRows;
/** Columns read at once. */
const columnsAtOnce = 4;
const columnEntryBytes = 8;
// Offsets in the kernel's memory, in bytes.
const similaritiesAt = 0;
const maximaAt = columnBytes;
const maximaBytes = (blockRows / groupRows) * vectorBytes;
const columnsAt = maximaAt + maximaBytes;
const pageBytes = 65_536;

type Exports = {
  memory: { buffer: ArrayBuffer; grow(pages: number): number };
  compare: (block: number, columnsEnd: number) => void;
};

let compiled: CompiledModule | undefined;

export function createFlatKernel(dimensions: number): FlatKernel {
  compiled ??= compileKernel();
  const { memory, compare } = instantiate(compiled) as Exports;
  const blockBytes = dimensions * columnBytes;
  const blocksAt = Math.ceil((columnsAt + (dimensions + columnsAtOnce) * columnEntryBytes) / pageBytes) * pageBytes;
  let columnsEnd = columnsAt;
  let values = new Int16Array(0);
  const grow = (bytes: number): void => {
    const missing = Math.ceil((bytes - memory.buffer.byteLength) / pageBytes);
    if (missing > 0) memory.grow(missing);
    values = new Int16Array(memory.buffer);
  };
  grow(blocksAt);

  return {
    reserve: (blocks) => grow(blocksAt + blocks * blockBytes),
    place(row, vector) {
      let at = (blocksAt + Math.floor(row / blockRows) * blockBytes) / 2 + (row % blockRows);
      for (let column = 0; column < dimensions; column++, at += blockRows)
        values[at] = vector === undefined ? 0 : Math.round((vector[column] ?? 0) * one);
    },
    ask(query) {
      let at = columnsAt / 2;
      const add = (column: number, value: number): void => {
        const offset = column * columnBytes;
        values[at] = offset & 0xffff;
        values[at + 1] = offset >>> 16;
        values[at + 2] = Math.round(value * one);
        at += columnEntryBytes / 2;
      };
      query.forEach((value, column) => {
        if (value !== 0) add(column, value);
      });
      columnsEnd = at * 2;
      // Pads with columns of weight 0 to a whole number of reads.
      for (let spare = 1; spare < columnsAtOnce; spare++) add(0, 0);
    },
    compare: (block) => compare(blocksAt + block * blockBytes, columnsEnd),
    get similarities() {
      return values.subarray(similaritiesAt / 2, similaritiesAt / 2 + blockRows);
    },
    get maxima() {
      return values.subarray(maximaAt / 2, (maximaAt + maximaBytes) / 2);
    },
  };
}

/**
 * `compare(block, columnsEnd)`: sums value × weight over the columns of the query, for eight rows at once. As all vectors have
 * length 1, no partial sum exceeds 1.
 */
function compileKernel(): CompiledModule {
  const [block, columnsEnd, entry, at, end] = [0, 1, 2, 3, 4];
  const column = (place: number): number => 5 + place;
  const weight = (place: number): number => 5 + columnsAtOnce + place;
  const largest = weight(0);
  const eachColumn = (code: (place: number) => number[]): number[] =>
    Array.from({ length: columnsAtOnce }, (_, place) => place).flatMap(code);
  const eachVector = (from: number, bytes: number, code: readonly number[]): number[] => [
    ...constant(from),
    ...set(at),
    ...constant(from + bytes),
    ...set(end),
    ...loop([...code, ...repeatWhileBelow(at, end)]),
  ];
  const groupBytes = groupRows * 2;
  const body = [
    ...eachVector(similaritiesAt, columnBytes, [...get(at), ...zero, ...vectorStore(0), ...step(at, vectorBytes)]),
    ...constant(columnsAt),
    ...set(entry),
    ...loop([
      ...eachColumn((place) => [
        ...get(block),
        ...get(entry),
        ...integerLoad(columnEntryBytes * place),
        ...addIntegers,
        ...set(column(place)),
        ...get(entry),
        ...splatLoad(columnEntryBytes * place + 4),
        ...set(weight(place)),
      ]),
      ...eachVector(similaritiesAt, columnBytes, [
        ...get(at),
        ...get(at),
        ...vectorLoad(0),
        ...eachColumn((place) => [
          ...get(column(place)),
          ...vectorLoad(0),
          ...get(weight(place)),
          ...multiply,
          ...add,
          ...step(column(place), vectorBytes),
        ]),
        ...vectorStore(0),
        ...step(at, vectorBytes),
      ]),
      ...step(entry, columnEntryBytes * columnsAtOnce),
      ...repeatWhileBelow(entry, columnsEnd),
    ]),
    ...constant(maximaAt),
    ...set(entry),
    ...eachVector(similaritiesAt, columnBytes, [
      ...get(at),
      ...vectorLoad(0),
      ...set(largest),
      ...Array.from({ length: groupBytes / vectorBytes - 1 }, (_, place) => [
        ...get(largest),
        ...get(at),
        ...vectorLoad(vectorBytes * (place + 1)),
        ...maximum,
        ...set(largest),
      ]).flat(),
      ...get(entry),
      ...get(largest),
      ...vectorStore(0),
      ...step(entry, vectorBytes),
      ...step(at, groupBytes),
    ]),
  ];
  const locals = [
    [3 + columnsAtOnce, type.i32],
    [columnsAtOnce, type.v128],
  ] as const;
  return compileModule({ pages: 1, name: 'compare', parameters: 2, locals, body });
}

const zero = [...vector(0x0c), ...Array<number>(vectorBytes).fill(0)];
/** The high half of the doubled product, rounded: multiplies fixed-point fractions. */
const multiply = vector(0x82);
const add = vector(0x8f);
const maximum = vector(0x98);

function splatLoad(offset: number): number[] {
  return [...vector(0x08), 1, offset];
}
