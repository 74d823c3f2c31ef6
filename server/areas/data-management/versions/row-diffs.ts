import { causesOfDelay } from '../../../kernel/sentences/index.ts';
import { invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { fileTypeOf, parseFilePath } from '../../../kernel/file-path.ts';
import type { Database } from '../../../storage/database/database.ts';
import { isWorkbookType } from '../../../tables/formats.ts';
import type { ComparisonFacts, TableViews, ViewFacts } from '../../../tables/views/index.ts';
import { dataErrors } from '../errors.ts';
import { listFilesAt } from '../queries/source-files.ts';
import type { RowDiff, RowDiffQuery } from '../schemas/row-diffs.ts';
import { toFileRow } from '../views/file-rows.ts';
import type { TableFile, TableFiles } from '../views/table-files.ts';
import type { TableBlob } from '../views/table-sources.ts';
import type { ViewStore } from '../views/view-store.ts';

/** Compares the rows of a table in two versions. */
export type RowDiffs = {
  /**
   * A page of the rows that differ, in the order of the table. Throws DATASET_NOT_FOUND, VERSION_NOT_FOUND, FILE_NOT_IN_VERSION,
   * FILE_NOT_COMPLETED, NOT_A_TABLE, INVALID_PARAMETER, and UNAVAILABLE while an index or the comparison is being built.
   */
  compare(datasetId: string, query: RowDiffQuery): Promise<RowDiff>;
};

const none: ComparisonFacts = {
  added: 0,
  removed: 0,
  changed: 0,
  unchanged: 0,
  repeatedBefore: null,
  repeatedAfter: null,
  columns: { added: [], removed: [], retyped: [] },
};

export function createRowDiffs({
  db,
  tables,
  store,
  views,
}: {
  db: Database;
  tables: TableFiles;
  store: ViewStore;
  views: Pick<TableViews, 'readChanges'>;
}): RowDiffs {
  async function tableAt(
    { datasetId, version }: { datasetId: string; version: number },
    path: string,
    sheet: string | undefined,
  ): Promise<TableFile & { blob: TableBlob }> {
    const [row] = await listFilesAt(db.read, { datasetId, version }, [path]);
    if (row === undefined) throw dataErrors.FILE_NOT_IN_VERSION({ path, version });
    const { blob, sheets } = await tables.of({ ...row, datasetId }, sheet);
    if (blob === undefined) throw dataErrors.NOT_A_TABLE({ path, problem: `it is empty in version ${version}` });
    return { path, blob, ...(sheets === undefined ? {} : { sheets }) };
  }

  return {
    async compare(
      datasetId,
      { from, to: asked, path, fromPath, sheet, key: keyText, change, offset, limit, maxCellCharacters },
    ) {
      const key = parseKey(keyText);
      const [afterPath, beforePath] = [parseFilePath('path', path), parseFilePath('fromPath', fromPath ?? path)];
      const to = await tables.versionOf(datasetId, asked);
      await tables.versionOf(datasetId, from);
      const after = await tableAt({ datasetId, version: to }, afterPath, sheet);
      const wasSheet = isWorkbookType(fileTypeOf(beforePath)) ? (after.blob.sheet?.name ?? sheet) : undefined;
      const before = await tableAt({ datasetId, version: from }, beforePath, wasSheet);
      const compareRows = async (): Promise<RowDiff> => {
        const beforeFacts = await tables.needIndex(before.blob, `${beforePath} in version ${from}`);
        const afterFacts = await tables.needIndex(after.blob, `${afterPath} in version ${to}`);
        checkKey(key, beforeFacts, afterFacts);
        const head = {
          from,
          to,
          path: afterPath,
          fromPath: beforePath,
          ...(after.blob.sheet === undefined ? {} : { sheet: after.blob.sheet.name, sheets: after.sheets ?? [] }),
          key,
          offset,
          before: sideOf(beforeFacts),
          after: sideOf(afterFacts),
        };
        if (before.blob.id === after.blob.id && before.blob.sheet?.number === after.blob.sheet?.number) {
          const unchanged = afterFacts.rows - afterFacts.unreadable;
          return { ...head, ...factsOf({ ...none, unchanged }, 0), content: [] };
        }
        const pair = {
          before: { blob: before.blob, facts: beforeFacts },
          after: { blob: after.blob, facts: afterFacts },
        };
        const { path: comparisonPath, facts } = await tables.orBusy(
          store.compare(pair, key),
          causesOfDelay.VERSIONS_BEING_COMPARED.reason({}),
        );
        const counts = { ADDED: facts.added, REMOVED: facts.removed, CHANGED: facts.changed };
        const total = change === undefined ? facts.added + facts.removed + facts.changed : counts[change];
        if (offset >= total || limit === 0) return { ...head, ...factsOf(facts, total), content: [] };
        const content = await store.withSource(before.blob, (one) =>
          store.withSource(after.blob, (other) =>
            views.readChanges({
              before: store.tableOf(before.blob, beforeFacts, one),
              after: store.tableOf(after.blob, afterFacts, other),
              comparisonPath,
              change: change ?? null,
              offset,
              limit,
              maxCellCharacters,
            }),
          ),
        );
        const rows = content.map(({ before: was, after: is, ...rest }) => ({
          ...rest,
          before: was === null ? null : toFileRow(was),
          after: is === null ? null : toFileRow(is),
        }));
        return { ...head, ...factsOf(facts, total), content: rows };
      };
      return tables.reading(afterPath, () => store.hold(before.blob, () => store.hold(after.blob, compareRows)));
    },
  };
}

function factsOf(
  { columns, repeatedBefore, repeatedAfter, ...summary }: ComparisonFacts,
  total: number,
): Pick<RowDiff, 'summary' | 'columns' | 'repeatedBefore' | 'repeatedAfter' | 'total'> {
  return { summary, columns, repeatedBefore, repeatedAfter, total };
}

function sideOf({ rows, unreadable, omittedColumns, columns }: ViewFacts): RowDiff['before'] {
  return { rows, unreadable, omittedColumns, columns };
}

const maxKeyColumns = 20;

/** A name of a column, or a JSON list of names. */
function parseKey(text: string | undefined): string[] {
  if (text === undefined || text === '') return [];
  if (!text.startsWith('[')) return [text];
  try {
    const names: unknown = JSON.parse(text);
    if (Array.isArray(names) && names.length <= maxKeyColumns && names.every((name) => typeof name === 'string'))
      return [...new Set(names)];
  } catch {
    // Reported below.
  }
  throw invalid('key', parameterProblems.MUST_BE_KEY_COLUMNS.reason({ limit: maxKeyColumns }));
}

function checkKey(key: readonly string[], before: ViewFacts, after: ViewFacts): void {
  for (const name of key)
    for (const [side, { columns }] of [
      ['from', before],
      ['to', after],
    ] as const)
      if (!columns.some((column) => column.name === name))
        throw invalid('key', parameterProblems.NAMES_NO_COLUMN_AT.reason({ side, name: JSON.stringify(name) }));
}
