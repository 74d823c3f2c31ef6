export { changedKinds, kindsOf } from './column-kinds.ts';
export { withoutNonFinite } from './non-finite.ts';
export { createParquetFiles, ParquetUnreadable, type ParquetFiles } from './parquet-files.ts';
export type { ColumnType, ParquetColumn, ParquetFacts, Written, WrittenColumn } from './parquet-protocol.ts';
export {
  columnsOf,
  nameOfTexts,
  patternsOf,
  textsByPattern,
  type ColumnShape,
  type TextPattern,
} from './text-patterns.ts';
