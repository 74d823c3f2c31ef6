export { createParquetFiles, ParquetUnreadable, type ParquetFiles } from './parquet-files.ts';
export type { ParquetColumn, ParquetFacts } from './parquet-protocol.ts';
export {
  columnsOf,
  nameOfTexts,
  patternsOf,
  textsByPattern,
  type ColumnShape,
  type TextPattern,
} from './text-patterns.ts';
