import { useCallback, useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import type { QueryResult } from '../../../api/schema.ts';

export const pageRows = 1_000;
const cellCharacters = 2_000;
const waitMs = 1_500;

type State = {
  sql: string;
  isRunning: boolean;
  /** Whether a table is being read for the first time. */
  isAwaited: boolean;
  startedAt: number;
  result?: QueryResult;
  error?: unknown;
  wasCancelled?: boolean;
};

export type Statement = State & {
  run: (sql: string) => void;
  /** Reads the rows that follow those of the result. */
  readMore: () => void;
  cancel: () => void;
};

const idle: State = { sql: '', isRunning: false, isAwaited: false, startedAt: 0 };

/** Runs one statement at a time. It can be cancelled: the service ends it when its connection closes. */
export function useStatement(datasetId: string, version: number | undefined): Statement {
  const [state, setState] = useState(idle);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = useCallback(
    (sql: string, before: QueryResult | undefined): void => {
      running.current?.abort();
      const stop = new AbortController();
      running.current = stop;
      const begun: State = { sql, isRunning: true, isAwaited: false, startedAt: Date.now() };
      setState(before === undefined ? begun : { ...begun, result: before });
      const ask = async (): Promise<void> => {
        for (;;) {
          try {
            const offset = before === undefined ? 0 : before.offset + before.rows.length;
            const result = await dataOf(
              api.POST('/api/v1/data-management/datasets/{datasetId}/query', {
                params: { path: { datasetId }, query: version === undefined ? {} : { version } },
                body: { sql, offset, limit: pageRows, maxCellCharacters: cellCharacters },
                signal: stop.signal,
              }),
            );
            if (!stop.signal.aborted) setState({ ...begun, isRunning: false, result: joined(before, result) });
            return;
          } catch (error) {
            if (stop.signal.aborted) return;
            if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE') {
              setState({ ...begun, isRunning: false, error, ...(before === undefined ? {} : { result: before }) });
              return;
            }
            setState((old) => ({ ...old, isAwaited: true }));
            await new Promise((resolve) => setTimeout(resolve, waitMs));
            if (stop.signal.aborted) return;
          }
        }
      };
      void ask();
    },
    [datasetId, version],
  );
  return {
    ...state,
    run: (sql) => start(sql, undefined),
    readMore: () => start(state.sql, state.result),
    cancel: () => {
      running.current?.abort();
      setState((old) => ({ ...old, isRunning: false, wasCancelled: true }));
    },
  };
}

function joined(before: QueryResult | undefined, next: QueryResult): QueryResult {
  if (before === undefined) return next;
  const added = before.rows.length;
  return {
    ...next,
    offset: before.offset,
    rows: [...before.rows, ...next.rows],
    cut: [...before.cut, ...next.cut.map(([row = 0, column = 0]) => [row + added, column])],
  };
}
