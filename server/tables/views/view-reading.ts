import { closeSync, openSync, readSync } from 'node:fs';
import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { foreign } from '../../kernel/sentences/index.ts';
import type { ReadAt } from '../lines.ts';
import { headRows, readHead, readLayout, type RowFormat, type TableLayout } from '../table-layout.ts';
import { walkRows } from './row-walk.ts';
import type { RowRange, ViewColumn, ViewPage, ViewSource } from './view-protocol.ts';
import { uniqueNames } from '../unique-names.ts';
import { maxPageCharacters, shownRow, sizeOf } from './view-values.ts';

/** The table can't be read; the message says why. */
export class ViewProblem extends ReasonedError {
  override readonly name = 'ViewProblem';
}

export type TextSource = ViewSource & { format: RowFormat };

/** Calls `work` with the bytes of the table. */
export async function withSource<T>({ path, offset }: ViewSource, work: (read: ReadAt) => T | Promise<T>): Promise<T> {
  const file = openSync(path, 'r');
  try {
    return await work((target, position) => readSync(file, target, 0, target.length, offset + position));
  } finally {
    closeSync(file);
  }
}

/** The layout of a table; it needs no text column. */
export function layoutOf(read: ReadAt, { sizeBytes, format }: TextSource): TableLayout {
  const answer = readLayout(readHead(read, sizeBytes, format), format, { field: '', encoding: undefined });
  if (answer.ok) return withUniqueNames(answer.layout);
  throw new ViewProblem('problem' in answer ? answer.problem : foreign('its columns can not be told'));
}

/** Gives each column of a delimited table a unique name, as for sheets of workbooks: values are stored by name. */
function withUniqueNames(layout: TableLayout): TableLayout {
  const { delimited } = layout;
  if (delimited?.names === undefined) return layout;
  const names = uniqueNames(delimited.names, (name) => name);
  return names.every((name, place) => name === delimited.names?.[place])
    ? layout
    : { ...layout, delimited: { ...delimited, names, givenNames: delimited.names } };
}

/** A column, with its name in the header if that differs. */
export function cellColumnOf(layout: TableLayout, place: number, column: ViewColumn): ViewColumn {
  const given = layout.delimited?.givenNames?.[place];
  return given === undefined || given === column.name ? column : { ...column, given };
}

/** Reads rows from the beginning of the file; the columns are those of its first rows. */
export async function readDirectly(source: TextSource, range: RowRange): Promise<ViewPage> {
  return withSource(source, (read) => {
    const layout = layoutOf(read, source);
    const page: ViewPage = {
      columns: columnsOf(read, source, layout),
      rows: [],
      total: null,
      unreadable: null,
      omittedColumns: 0,
    };
    const isJson = layout.delimited === undefined;
    let characters = 0;
    let count = 0;
    for (const walked of walkRows(read, source.sizeBytes, layout)) {
      count += 1;
      if (walked.row < range.offset) continue;
      if (page.rows.length === range.limit || characters > maxPageCharacters) return page;
      const shown = shownRow(walked, walked.open(), { isJson, ...range });
      page.rows.push(shown);
      characters += sizeOf(shown);
    }
    return { ...page, total: count };
  });
}

function columnsOf(read: ReadAt, { sizeBytes, format }: TextSource, layout: TableLayout): ViewColumn[] {
  if (layout.delimited?.names !== undefined)
    return layout.delimited.names.map((name, place) => cellColumnOf(layout, place, { name, type: 'VARCHAR' }));
  const head = readHead(read, sizeBytes, format);
  const names = new Set<string>();
  for (const row of headRows(head, layout)) for (const name of Object.keys(row)) names.add(name);
  return [...names].map((name) => ({ name, type: 'JSON' }));
}
