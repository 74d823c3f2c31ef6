export { isSearchIndex } from './search-index.ts';
export { readBuildShare } from './build-share.ts';
export { isComparable } from './view-conditions.ts';
export { sqlNames } from '../unique-names.ts';
export { hasProblemColumn } from './view-relation.ts';
export { createTableViews, ViewInterrupted, ViewTimeout, ViewUnreadable, type TableViews } from './table-views.ts';
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
  ViewColumn,
  ViewFacts,
  ViewPage,
  ViewRow,
  ViewSource,
} from './view-protocol.ts';
