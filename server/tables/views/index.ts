export { createTableViews, ViewTimeout, ViewUnreadable, type TableViews } from './table-views.ts';
export type {
  ColumnFigures,
  IndexedTable,
  RowChoice,
  ViewFacts,
  ViewPage,
  ViewRow,
  ViewSource,
} from './view-protocol.ts';
