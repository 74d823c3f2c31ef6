export { createParquetFiles, ParquetUnreadable, type ParquetFiles } from './parquet-files.ts';
export type { ParquetColumn, ParquetFacts } from './parquet-protocol.ts';
