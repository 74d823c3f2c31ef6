export { createTableQueries, QueriesBusy, type TableQueries } from './table-queries.ts';
export { queryProblems } from './sentences.ts';
export { QueryProblem, type QueryPlace } from './query-problem.ts';
export type {
  QueriedTable,
  QueryColumn,
  QueryFormat,
  ResultRows,
  TableReference,
  WrittenQuery,
} from './query-protocol.ts';
