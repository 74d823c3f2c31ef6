import { createHash } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { ComparisonFacts, IndexedTable, TableViews, ViewFacts, ViewSource } from '../../../tables/views/index.ts';
import { keyOf, type TableBlob, type WithTable } from './table-sources.ts';
import type { TableWorks } from './table-works.ts';
import { readFacts, writeFacts } from './view-facts.ts';

/** Two tables with the facts of their indexes. */
export type ComparedTables = Record<'before' | 'after', { blob: TableBlob; facts: ViewFacts }>;

/** Comparisons of indexed tables by key columns: each is computed once and kept like an index of the later table. */
export type ViewComparisons = {
  /** The file of the comparison, with its totals. Throws what TableViews throws. */
  compare(pair: ComparedTables, key: readonly string[]): Promise<{ path: string; facts: ComparisonFacts }>;
};

export function createViewComparisons({
  directory,
  views,
  works,
  withSource,
  tableOf,
  onMade,
}: {
  directory: string;
  views: Pick<TableViews, 'compare'>;
  works: Pick<TableWorks, 'run'>;
  withSource: WithTable;
  tableOf(blob: TableBlob, facts: ViewFacts, source: ViewSource): IndexedTable;
  /** Called when a file has been added. */
  onMade(): void;
}): ViewComparisons {
  async function make(
    pair: ComparedTables,
    key: readonly string[],
    path: string,
    signal: AbortSignal,
  ): Promise<ComparisonFacts> {
    const known = await readFacts<ComparisonFacts>(`${path}.facts`);
    if (known !== undefined) return known;
    const { before, after } = pair;
    const facts = await withSource(before.blob, (one) =>
      withSource(after.blob, (other) =>
        views.compare(
          {
            before: tableOf(before.blob, before.facts, one),
            after: tableOf(after.blob, after.facts, other),
            key,
            comparisonPath: `${path}.new`,
          },
          signal,
        ),
      ),
    );
    await rename(`${path}.new`, path);
    await writeFacts(`${path}.facts`, facts);
    onMade();
    return facts;
  }

  return {
    async compare(pair, key) {
      const { before, after } = pair;
      const told = createHash('sha256')
        .update(JSON.stringify([keyOf(before.blob), key]))
        .digest('hex')
        .slice(0, 32);
      const path = join(directory, `${keyOf(after.blob)}.${told}.changes`);
      const { id, datasetId, sizeBytes } = after.blob;
      const compared = {
        id,
        comparedWith: before.blob.id,
        sizeBytes: before.blob.sizeBytes + sizeBytes,
        ...(datasetId === undefined ? {} : { datasetId }),
      };
      const facts = await works.run(path, compared, (signal) => make(pair, key, path, signal));
      return { path, facts };
    },
  };
}
