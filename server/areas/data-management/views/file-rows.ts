import { invalid } from '../../../kernel/errors.ts';
import { codedReason, causesOfDelay } from '../../../kernel/sentences/index.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { conditionOperators, hasLostDigits, type Condition } from '../../../tables/conditions.ts';
import { parseFieldPath } from '../../../tables/field-paths.ts';
import type { TableLayout } from '../../../tables/table-layout.ts';
import {
  isComparable,
  type ListedSheet,
  type RowChoice,
  type TableViews,
  type ViewColumn,
  type ViewRow,
} from '../../../tables/views/index.ts';
import type { FileColumns, FileColumnsQuery, FileRows, FileRowsQuery } from '../schemas/file-rows.ts';
import type { TableFiles } from './table-files.ts';
import type { SheetPlace } from './sheet-store.ts';
import type { TableBlob } from './table-sources.ts';
import type { ViewStore } from './view-store.ts';

/** How long an answer waits for the number of chosen rows. */
const countMs = 1_500;

/** Rows and columns of the tables of a dataset. */
export type FileRowViews = {
  /**
   * A page of rows, read from the file's beginning while the table's index is being built. Throws DATASET_NOT_FOUND,
   * VERSION_NOT_FOUND, FILE_NOT_FOUND, FILE_NOT_COMPLETED, NOT_A_TABLE, INVALID_PARAMETER, and UNAVAILABLE if the query needs the
   * index before it is ready.
   */
  rows(datasetId: string, fileId: string, query: FileRowsQuery): Promise<FileRows>;
  /** Figures of each column; throws like `rows`. */
  columns(datasetId: string, fileId: string, query: FileColumnsQuery): Promise<FileColumns>;
};

/** Rows beyond this are not read without an index if it will be ready soon. */
const nearRows = 10_000;

export function createFileRowViews({
  tables,
  store,
  views,
}: {
  tables: TableFiles;
  store: ViewStore;
  views: Pick<TableViews, 'readDirectly' | 'readRows'>;
}): FileRowViews {
  async function describeSheet(
    blob: TableBlob,
    sheet: SheetPlace,
    sheets: ListedSheet[],
  ): Promise<FileRows['workbook']> {
    const receipt = await store.sheets.findReceipt(blob.id, sheet);
    return receipt === undefined ? undefined : { sheet: sheet.name, sheets, ...receipt };
  }

  return {
    async rows(datasetId, fileId, { version, sheet, offset, limit, maxCellCharacters, ...query }) {
      const choice = parseChoice(query);
      const { blob, path, sheets } = await tables.find(datasetId, fileId, version, sheet);
      const range = { offset, limit, maxCellCharacters };
      if (blob === undefined)
        return {
          offset,
          columns: [],
          content: [],
          total: 0,
          unreadable: 0,
          omittedColumns: 0,
          index: 'READY',
          searchIndex: 'NONE',
        };
      return tables.reading(path, () =>
        store.hold(blob, async () => {
          const isChosen =
            choice.where.length > 0 || choice.search !== '' || choice.sort !== null || choice.isUnreadable;
          const isNeeded =
            isChosen || blob.format === 'parquet' || blob.compression !== undefined || blob.sheet !== undefined;
          let facts = isNeeded ? await tables.needIndex(blob, path) : await store.find(blob);
          if (facts !== undefined) checkChoice(choice, facts.columns);
          if (facts === undefined && offset > nearRows) facts = await tables.awaitIndex(blob);
          if (facts === undefined) {
            // The page that reads the same bytes reports a failure, or else the next one that needs the index.
            store.ensure(blob).catch(() => {});
            const { rows, ...page } = await store.withSource(blob, (source) =>
              views.readDirectly({ source, ...range }),
            );
            const searchIndex = store.searches.isWorthwhile(blob) ? ('BUILDING' as const) : ('NONE' as const);
            const indexProgress = Math.floor(100 * store.shareOf(blob));
            const state = { index: 'BUILDING' as const, indexProgress, searchIndex };
            return { offset, ...page, content: rows.map(toFileRow), ...state };
          }
          const found = facts;
          const search = await store.searches.find(blob, found);
          const { list: listed, isBeingMade } = await store.searches.findList(blob, choice);
          const { rows, ...page } = await store.withSource(blob, (source) =>
            views.readRows({
              table: store.tableOf(blob, found, source, search.path),
              listed,
              countMs: isBeingMade ? 0 : countMs,
              ...range,
              ...choice,
            }),
          );
          if (page.total === null) store.searches.makeList(blob, found, choice);
          const workbook = blob.sheet === undefined ? undefined : await describeSheet(blob, blob.sheet, sheets ?? []);
          return {
            offset,
            ...page,
            content: rows.map(toFileRow),
            index: 'READY' as const,
            searchIndex: search.state,
            ...(found.layout === null || blob.sheet !== undefined ? {} : { text: describeText(found.layout) }),
            ...(workbook === undefined ? {} : { workbook }),
          };
        }),
      );
    },

    async columns(datasetId, fileId, { version, sheet }) {
      const { blob, path } = await tables.find(datasetId, fileId, version, sheet);
      if (blob === undefined) return { columns: [], rows: 0, duplicates: 0, unreadable: 0, omittedColumns: 0 };
      return tables.reading(path, () =>
        store.hold(blob, async () => {
          const facts = await tables.needIndex(blob, path);
          const { rows, unreadable, omittedColumns } = facts;
          const figures = await tables.orBusy(
            store.describe(blob, facts),
            causesOfDelay.COLUMNS_BEING_COUNTED.reason({ path }),
          );
          return { ...figures, rows, unreadable, omittedColumns };
        }),
      );
    },
  };
}

function describeText({ encoding, certainty, delimited }: TableLayout): NonNullable<FileRows['text']> {
  const delimiter = delimited === undefined ? null : String.fromCharCode(delimited.delimiter);
  const quotes = delimited === undefined ? null : quotesOf(delimited);
  const { endsAtReturns = false, above = [] } = delimited ?? {};
  const isCertain = certainty === 'CERTAIN' || certainty === 'GIVEN';
  return { encoding, isCertain, delimiter, quotes, endsAtReturns, above: [...above] };
}

function quotesOf({ quoting, hasEscapes }: NonNullable<TableLayout['delimited']>): 'DOUBLED' | 'BACKSLASH' | 'NONE' {
  if (!quoting) return 'NONE';
  return hasEscapes === true ? 'BACKSLASH' : 'DOUBLED';
}

type Choice = Pick<FileRowsQuery, 'where' | 'search' | 'sort' | 'unreadable'>;

function parseChoice({ where, search = '', sort, unreadable: isUnreadable }: Choice): RowChoice {
  if (search.includes('\0')) throw invalid('search', parameterProblems.MUST_NOT_HOLD_NUL.reason({}));
  return { where: where === undefined ? [] : parseWhere(where), search, sort: parseRowSort(sort), isUnreadable };
}

/** Parses `NAME,asc|desc`; the name of a column may contain commas. */
function parseRowSort(sort: string | undefined): RowChoice['sort'] {
  if (sort === undefined) return null;
  const found = /^(?<name>.*?)(?:,(?<direction>asc|desc))?$/s.exec(sort)?.groups;
  if (sort === '' || found?.['name'] === undefined)
    throw invalid('sort', parameterProblems.MUST_BE_COLUMN_SORT.reason({}));
  return { name: found['name'], isDescending: found['direction'] === 'desc' };
}

/** Throws INVALID_PARAMETER for columns that the table lacks, and for values that can't be compared with theirs. */
function checkChoice({ where, sort }: RowChoice, columns: readonly ViewColumn[]): void {
  const columnOf = (parameter: string, name: string): ViewColumn => {
    const column = columns.find((one) => one.name === name);
    if (column === undefined)
      throw invalid(parameter, parameterProblems.NAMES_NO_COLUMN.reason({ name: JSON.stringify(name) }));
    return column;
  };
  if (sort !== null) columnOf('sort', sort.name);
  for (const [index, condition] of where.entries()) {
    const { field } = condition;
    const at = `where[${index}]`;
    const { steps } = parseFieldPath(field);
    const [first] = steps;
    const isColumn = columns.some(({ name }) => name === field);
    if (!isColumn && steps.some((step) => !('name' in step)))
      throw invalid(`${at}.field`, parameterProblems.MUST_BE_PATH_OF_NAMES.reason({}));
    const column = columnOf(`${at}.field`, isColumn || first === undefined || !('name' in first) ? field : first.name);
    if (column.name !== field || isComparable(column, condition)) continue;
    const { name, type } = column;
    const example = type === 'TIME' ? '08:30:00' : '2024-02-01T08:00:00+08:00';
    throw invalid(`${at}.value`, parameterProblems.MUST_BE_MOMENT.reason({ example, column: name, type }));
  }
}

const maxConditions = 50;

function parseWhere(text: string): Condition[] {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw invalid(
      'where',
      parameterProblems.MUST_BE_CONDITIONS.reason({ example: '[{"field": "lang", "op": "EQ", "value": "en"}]' }),
    );
  }
  if (!Array.isArray(given) || given.length > maxConditions)
    throw invalid('where', parameterProblems.MANY_CONDITIONS.reason({ limit: maxConditions }));
  return given.map((one: unknown, index) => {
    const { field, op, value } = (typeof one === 'object' && one !== null ? one : {}) as Partial<Condition>;
    if (typeof field !== 'string')
      throw invalid(`where[${index}].field`, parameterProblems.MUST_NAME_COLUMN.reason({}));
    if (op === undefined || !conditionOperators.includes(op))
      throw invalid(
        `where[${index}].op`,
        parameterProblems.MUST_BE_ONE_OF.reason({ values: conditionOperators.join(', ') }),
      );
    if (!isPlain(value)) throw invalid(`where[${index}].value`, parameterProblems.MUST_BE_CONDITION_VALUE.reason({}));
    if (hasLostDigits(value)) throw invalid(`where[${index}].value`, parameterProblems.NUMBER_TOO_LONG.reason({}));
    return { field, op, value };
  });
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.length <= 1_000 && value.every((one) => !Array.isArray(one) && isPlain(one));
  return value === undefined || value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** A row in the form of the API: the problem of an unreadable row has a code. */
export function toFileRow(row: ViewRow): FileRows['content'][number] {
  return { ...row, row: row.row + 1, ...codedReason('problem', row.problem) };
}
