export { isSearchIndex } from './search-index.ts';
export { readBuildShare } from './build-share.ts';
export { createTableViews, ViewTimeout, ViewUnreadable, type TableViews } from './table-views.ts';
export type { SheetReceipt, ListedSheet } from '../workbooks/workbook-protocol.ts';
export type {
  ColumnFigures,
  TableFigures,
  ComparisonFacts,
  IndexedTable,
  RowChange,
  RowChangeKind,
  RowChoice,
  RowList,
  ViewFacts,
  ViewPage,
  ViewRow,
  ViewSource,
} from './view-protocol.ts';
