export { isSearchIndex } from './search-index.ts';
export { createTableViews, ViewTimeout, ViewUnreadable, type TableViews } from './table-views.ts';
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
