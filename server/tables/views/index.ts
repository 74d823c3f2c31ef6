export { createTableViews, ViewTimeout, ViewUnreadable, type TableViews } from './table-views.ts';
export type {
  ColumnFigures,
  TableFigures,
  ComparisonFacts,
  IndexedTable,
  RowChange,
  RowChangeKind,
  RowChoice,
  ViewFacts,
  ViewPage,
  ViewRow,
  ViewSource,
} from './view-protocol.ts';
