import { keepPreviousData, queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { useDebouncedValue } from '@mantine/hooks';
import { api, dataOf, type QueryOf } from '../../../../api/client.ts';
import { ApiError } from '../../../../api/errors.ts';
import type { FileRow, FileRows } from '../../../../api/schema.ts';
import type { ShownFile } from '../use-file-text.ts';
import type { RowsSearch } from './rows-search.ts';

export const pageRows = 100;
/** Characters loaded per cell; the full value is read when its row is opened. */
const cellCharacters = 600;
const mostCharacters = 1_000_000;
const indexPollMs = 1_500;

/** Filter and order of a table's rows. */
export type RowChoice = Pick<RowsSearch, 'q' | 'where' | 'order' | 'broken' | 'sheet'>;

function isIndexAwaited(error: unknown): boolean {
  return error instanceof ApiError && error.status === 503;
}

/** A call that waits for the index is retried until the index exists; other failures are retried as usual. */
const retries = {
  retry: (tries: number, error: Error) => isIndexAwaited(error) || (!(error instanceof ApiError) && tries < 5),
  retryDelay: 1_000,
};

const keyOf = ({ datasetId, file, version }: ShownFile) =>
  ['file-rows', datasetId, file.id, version, file.updatedAt] as const;

async function readRows(
  shown: ShownFile,
  choice: RowChoice,
  range: Partial<QueryOf<'listFileRows'>>,
  signal: AbortSignal,
) {
  const { datasetId, file, version } = shown;
  const { q, where, order, broken, sheet } = choice;
  return dataOf(
    api.GET('/api/v1/data-management/datasets/{datasetId}/files/{fileId}/rows', {
      params: {
        path: { datasetId, fileId: file.id },
        query: {
          ...range,
          ...(version === undefined ? {} : { version }),
          ...(sheet === undefined ? {} : { sheet }),
          ...(q === undefined ? {} : { search: q }),
          ...(where === undefined ? {} : { where: JSON.stringify(where) }),
          ...(order === undefined ? {} : { sort: order }),
          ...(broken === true ? { unreadable: true } : {}),
        },
      },
      signal,
    }),
  );
}

/** A page of rows. If the rows are long, a response has fewer of them and the rest is requested. */
const pageQuery = (shown: ShownFile, choice: RowChoice, page: number) =>
  queryOptions({
    queryKey: [...keyOf(shown), 'page', choice, page],
    queryFn: async ({ signal }): Promise<FileRows> => {
      const from = page * pageRows;
      const read = (offset: number) =>
        readRows(shown, choice, { offset, limit: from + pageRows - offset, maxCellCharacters: cellCharacters }, signal);
      const first = await read(from);
      const content = [...first.content];
      let next = first;
      while (content.length < pageRows && next.content.length > 0 && from + content.length !== next.total) {
        next = await read(from + content.length);
        content.push(...next.content);
      }
      return { ...first, content };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    ...retries,
  });

/** One row with its full values. */
export const rowQuery = (shown: ShownFile, choice: RowChoice, index: number) =>
  queryOptions({
    queryKey: [...keyOf(shown), 'row', choice, index],
    queryFn: async ({ signal }): Promise<FileRow | null> =>
      (await readRows(shown, choice, { offset: index, limit: 1, maxCellCharacters: mostCharacters }, signal))
        .content[0] ?? null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    ...retries,
  });

export const columnFiguresQuery = ({ datasetId, file, version }: ShownFile, sheet?: string) =>
  queryOptions({
    queryKey: ['file-columns', datasetId, file.id, version, file.updatedAt, sheet],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/data-management/datasets/{datasetId}/files/{fileId}/columns', {
          params: {
            path: { datasetId, fileId: file.id },
            query: { ...(version === undefined ? {} : { version }), ...(sheet === undefined ? {} : { sheet }) },
          },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    ...retries,
  });

export type RowPages = {
  /** The first page: columns, totals and the state of the index. */
  head: FileRows | undefined;
  error: Error | null;
  /** Whether the response is waiting for the index. */
  isAwaited: boolean;
  isStale: boolean;
  retry: () => void;
  rowAt: (index: number) => FileRow | undefined;
};

/** The pages of rows that are in view, and the first one. */
export function useRowPages(shown: ShownFile, choice: RowChoice, range: { first: number; end: number }): RowPages {
  const head = useQuery({
    ...pageQuery(shown, choice, 0),
    placeholderData: keepPreviousData,
    // The number of rows is known later: with the index, or once they are counted.
    refetchInterval: ({ state }) =>
      state.data?.total === null || state.data?.index === 'BUILDING' ? indexPollMs : false,
  });
  // Pages that scroll past quickly are not requested.
  const [settled] = useDebouncedValue(range, 60, { leading: true });
  const [from, to] = [Math.floor(settled.first / pageRows), Math.floor(Math.max(settled.end - 1, 0) / pageRows)];
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index).filter((page) => page > 0);
  const others = useQueries({ queries: numbers.map((page) => pageQuery(shown, choice, page)) });
  const pages = new Map(numbers.map((page, index) => [page, others[index]?.data]));
  const failed = others.find(({ isError }) => isError);
  const awaited = [head, ...others].some(
    ({ failureReason, data }) => data === undefined && isIndexAwaited(failureReason),
  );
  return {
    head: head.data,
    error: head.error ?? failed?.error ?? null,
    isAwaited: awaited || (head.isPlaceholderData && isIndexAwaited(head.failureReason)),
    isStale: head.isPlaceholderData,
    retry: () => void Promise.all([head, ...others].filter(({ isError }) => isError).map(({ refetch }) => refetch())),
    rowAt: (index) =>
      (index < pageRows ? head.data : pages.get(Math.floor(index / pageRows)))?.content[index % pageRows],
  };
}
