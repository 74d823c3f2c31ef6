import { createRequire } from 'node:module';
import type * as Arrow from 'apache-arrow';
import type { Schema, Table } from 'apache-arrow';
import type { IndexedChunk } from './vector-store.ts';
import { wordsVersion } from './words.ts';

// LanceDB loads the CommonJS form of the package, and accepts only tables of the same classes.
const arrow = createRequire(import.meta.url)('apache-arrow') as typeof Arrow;

const versionName = 'words';

/** Splits words by Unicode's rules and by dictionaries, which cover Chinese, Japanese and Thai; ignores case and accents. */
export const wordIndex = {
  // The library's types lack this name.
  baseTokenizer: 'icu' as 'simple',
  lowercase: true,
  asciiFolding: true,
  stem: false,
  removeStopWords: false,
  withPosition: false,
};

/** The library derives it from the column's name. */
export const wordIndexName = 'words_idx';

export function schemaOf(dimensions: number): Schema {
  const item = new arrow.Field('item', new arrow.Float32(), true);
  const fields = [
    new arrow.Field('unit', new arrow.Int32(), false),
    new arrow.Field('ordinal', new arrow.Int32(), false),
    new arrow.Field('words', new arrow.Utf8(), false),
    new arrow.Field('vector', new arrow.FixedSizeList(dimensions, item), false),
  ];
  return new arrow.Schema(fields, new Map([[versionName, wordsVersion]]));
}

/** Whether a table's words were split by the current rules, which queries use. */
export function hasCurrentWords(schema: Schema): boolean {
  return schema.metadata.get(versionName) === wordsVersion;
}

export function dimensionsOf(schema: Schema): number | undefined {
  const type = schema.fields.find(({ name }) => name === 'vector')?.type as { listSize?: number } | undefined;
  return type?.listSize;
}

/** Converts rows, with words in the indexed form, to a columnar table without creating an object per value. */
export function tableOf(schema: Schema, dimensions: number, chunks: readonly IndexedChunk[]): Table {
  const length = chunks.length;
  const vectors = new Float32Array(length * dimensions);
  chunks.forEach(({ vector }, index) => vectors.set(vector, index * dimensions));
  const { makeData } = arrow;
  const integers = (values: Int32Array) => makeData({ type: new arrow.Int32(), data: values });
  const words = arrow.vectorFromArray(
    chunks.map((chunk) => chunk.words),
    new arrow.Utf8(),
  ).data[0];
  if (words === undefined) throw new Error('A table needs at least one row');
  const list = new arrow.FixedSizeList(dimensions, new arrow.Field('item', new arrow.Float32(), true));
  const children = [
    integers(Int32Array.from(chunks, ({ unit }) => unit)),
    integers(Int32Array.from(chunks, ({ ordinal }) => ordinal)),
    words,
    makeData({ type: list, length, child: makeData({ type: new arrow.Float32(), data: vectors }) }),
  ];
  const struct = makeData({ type: new arrow.Struct(schema.fields), length, children });
  return new arrow.Table(schema, new arrow.RecordBatch(schema, struct));
}
