import { dataErrors } from '../errors.ts';

/** A query as its user names it. */
type QueryKey = { datasetId: string; queryId: string; by: string };

/** The queries of this node that their users can cancel. */
export type RunningQueries = {
  /** Runs a query until its caller goes or its user cancels it, if it has an id. Throws QUERY_RUNNING. */
  run<T>(query: Partial<QueryKey>, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Throws QUERY_NOT_FOUND. */
  cancel(query: QueryKey): void;
};

export function createRunningQueries(): RunningQueries {
  const running = new Map<string, AbortController>();
  const keyOf = ({ datasetId, queryId, by }: Partial<QueryKey>): string => JSON.stringify([datasetId, queryId, by]);

  return {
    async run(query, signal, work) {
      if (query.queryId === undefined) return work(signal);
      const key = keyOf(query);
      if (running.has(key)) throw dataErrors.QUERY_RUNNING({ id: query.queryId });
      const stop = new AbortController();
      running.set(key, stop);
      try {
        return await work(AbortSignal.any([signal, stop.signal]));
      } finally {
        running.delete(key);
      }
    },
    cancel(query) {
      const stop = running.get(keyOf(query));
      if (stop === undefined) throw dataErrors.QUERY_NOT_FOUND({ id: query.queryId });
      stop.abort(dataErrors.QUERY_CANCELLED({ id: query.queryId }));
    },
  };
}
