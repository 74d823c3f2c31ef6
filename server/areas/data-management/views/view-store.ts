import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import { readBuildShare } from '../../../tables/views/index.ts';
import type { IndexedTable, TableFigures, TableViews, ViewFacts, ViewSource } from '../../../tables/views/index.ts';
import { createSheetStore, type SheetStore } from './sheet-store.ts';
import { createTableSources, keyOf, type TableBlob, type WithTable } from './table-sources.ts';
import { createTableUses } from './table-uses.ts';
import { createTableWorks } from './table-works.ts';
import { createViewComparisons, type ViewComparisons } from './view-comparisons.ts';
import { readFacts, writeFacts } from './view-facts.ts';
import { createViewSearches, type ViewSearches } from './view-searches.ts';
import { createViewSpace, type ViewRoom } from './view-space.ts';

/**
 * The indexes of tables: built once per content, in a folder of their own, and deleted with the content. They may be deleted at
 * any time: they are rebuilt when needed.
 */
export type ViewStore = {
  withSource: WithTable;
  /** Calls `work`, during which the index of the table that it finds or builds stays. */
  hold<T>(blob: TableBlob, work: () => Promise<T>): Promise<T>;
  sheets: Pick<SheetStore, 'list' | 'findReceipt'>;
  /** The facts of a table that has an index. */
  find(blob: TableBlob): Promise<ViewFacts | undefined>;
  /** Progress of the index that is being built, from 0 to 1. */
  shareOf(blob: TableBlob): number;
  /** Builds the index unless there is one. Throws what TableViews throws; calls for the same table share the work. */
  ensure(blob: TableBlob): Promise<ViewFacts>;
  compare: ViewComparisons['compare'];
  /** Figures of a table that has an index; made once and kept beside it. Throws what TableViews throws. */
  describe(blob: TableBlob, facts: ViewFacts): Promise<TableFigures>;
  /** A table with its index and its search index. */
  tableOf(blob: TableBlob, facts: ViewFacts, source: ViewSource, searchPath?: string | null): IndexedTable;
  searches: ViewSearches;
  /** Starts deleting indexes whose content is gone and, beyond the limit, the least recently used. */
  start(): void;
  /** Erases the indexes of blobs; returns how many blobs had some. */
  forget(blobIds: readonly string[]): Promise<number>;
  /** Call when content is being erased: deletes its indexes soon after its bytes. */
  sweepSoon(): void;
  close(): Promise<void>;
};

export function createViewStore({
  directory,
  maxBytes,
  room,
  minSearchBytes,
  blobs,
  views,
  onError,
}: {
  directory: string;
  /** Limit for all indexes together. */
  maxBytes: number;
  /** Without it, they are bounded by `maxBytes` alone. */
  room?: ViewRoom;
  /** Smallest size of a table with a search index. */
  minSearchBytes?: number;
  blobs: Pick<BlobStore, 'localPath' | 'findAll'>;
  views: TableViews;
  onError(error: unknown): void;
}): ViewStore {
  const works = createTableWorks();
  const uses = createTableUses();
  const closing = new AbortController();

  const factsPath = (blob: TableBlob): string => join(directory, `${keyOf(blob)}.json`);
  const indexPath = (blob: TableBlob): string => join(directory, `${keyOf(blob)}.index`);

  const partPath = (blob: TableBlob): string => `${indexPath(blob)}.new`;

  const sheets = createSheetStore({ directory, blobs, views, works });
  const sources = createTableSources({ directory, maxBytes, blobs, views, sheets, uses, signal: closing.signal });
  const { withSource } = sources;

  async function find(blob: TableBlob): Promise<ViewFacts | undefined> {
    return readFacts<ViewFacts>(factsPath(blob));
  }

  async function build(blob: TableBlob, signal: AbortSignal): Promise<ViewFacts> {
    const known = await find(blob);
    if (known !== undefined) return known;
    await mkdir(directory, { recursive: true });
    await space.makeRoom(blob.sizeBytes);
    const part = partPath(blob);
    const facts = await withSource(blob, (source) => views.buildIndex({ source, indexPath: part }, signal), signal);
    if (facts.layout !== null || facts.isCopied === true) await rename(part, indexPath(blob));
    // Write the facts last: they mark the index as complete.
    await writeFacts(factsPath(blob), facts);
    await searches.find(blob, facts);
    space.wake();
    return facts;
  }

  const ensure = (blob: TableBlob): Promise<ViewFacts> =>
    works.run(indexPath(blob), blob, (signal) => build(blob, signal));

  const tableOf: ViewStore['tableOf'] = (blob, facts, source, searchPath = null) => ({
    source,
    facts,
    searchPath,
    indexPath: facts.layout === null && facts.isCopied !== true ? source.path : indexPath(blob),
  });

  const searches = createViewSearches({
    directory,
    ...(minSearchBytes === undefined ? {} : { minBytes: minSearchBytes }),
    views,
    withSource,
    tableOf,
    signal: closing.signal,
    onError,
  });

  const space = createViewSpace({
    directory,
    maxBytes,
    room,
    blobs,
    isBusy: (blobId) => [works, searches].some(({ busy }) => busy().includes(blobId)),
    uses,
    onError,
  });

  const comparisons = createViewComparisons({ directory, views, works, withSource, tableOf, onMade: space.wake });

  return {
    withSource,
    hold: ({ id }, work) => uses.hold(id, work),
    sheets,
    find,
    shareOf: (blob) => readBuildShare(partPath(blob)),
    ensure,
    compare: comparisons.compare,
    describe: (blob, facts) => {
      const path = join(directory, `${keyOf(blob)}.figures`);
      return works.run(path, blob, async (signal) => {
        const known = await readFacts<TableFigures>(path);
        if (known !== undefined) return known;
        const figures = await withSource(blob, (source) =>
          views.describeColumns({ table: tableOf(blob, facts, source) }, signal),
        );
        await writeFacts(path, figures);
        return figures;
      });
    },
    tableOf,
    searches,
    async forget(blobIds) {
      const wanted = new Set(blobIds);
      // An index that is being built would appear after the deletion.
      await Promise.all([works.drop(wanted), searches.drop(wanted)]);
      return space.erase(wanted);
    },
    start: space.start,
    sweepSoon: space.wakeSoon,
    async close() {
      closing.abort(new Error('The service is shutting down'));
      views.close();
      await space.stop();
      await Promise.all([works.close(), searches.drop(new Set(searches.busy()))]);
    },
  };
}
