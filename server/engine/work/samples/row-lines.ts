import { ReasonedError } from '../../../kernel/reasoned-error.ts';
import { inputProblems, type Reason } from '../../../kernel/sentences/index.ts';
import type { Encoding } from '../../../encodings/encodings.ts';
import type { FieldText } from '../../../tables/field-paths.ts';
import type { TableLayout } from '../../../tables/table-layout.ts';
import type { RowPart, TableRows } from '../../../tables/table-rows.ts';
import { changesOf } from './row-parts.ts';
import type { RowOutput } from './row-output.ts';
import { replaced, type RowResult } from './row-sample.ts';

type WrittenRow = {
  rows: TableRows;
  part: RowPart;
  layout: TableLayout;
  /** The paths of its texts, if steps may write more than one column. */
  places: readonly FieldText[];
  /** Whether the row is written unchanged. */
  isKept: boolean;
};

/** Writes a row, or its replacements, as JSON; returns their number. */
export function writeRows(
  rowOutput: RowOutput,
  { rows, part, layout, places, isKept }: WrittenRow,
  outputs: readonly (string | RowResult)[],
): number {
  const { encoding, field } = layout;
  if (layout.delimited === undefined) {
    if (isKept) rowOutput.append(inUtf8(rows.source(part.start, part.end), encoding));
    for (const output of isKept ? [] : outputs) {
      const row = typeof output === 'string' ? rows.splice(part, output) : replaced(rows, part, output, places);
      rowOutput.append(inUtf8(row, encoding));
    }
  } else {
    const values = rows.values(part);
    if (isKept) rowOutput.append(values);
    for (const output of isKept ? [] : outputs) {
      rowOutput.append(typeof output === 'string' ? withField(values, field, output) : changed(values, output, places));
    }
  }
  return isKept ? 1 : outputs.length;
}

/** Why the columns of a table can't be the names of a JSON object; undefined if they can. */
export function findUnfitNames({ delimited }: TableLayout): Reason | undefined {
  const { names = [] } = delimited ?? {};
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return undefined;
  return inputProblems.HEADER_NAME_TWICE.reason({ column: JSON.stringify(twice) });
}

type Values = Readonly<Record<string, unknown>>;

function withField(values: Values, field: string, value: unknown): Values {
  return { ...values, [field]: value };
}

/** Removes a column of a row, or renames it in place. */
function withoutField(values: Values, field: string, newName: string | undefined): Values {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (name !== field) return [[name, value]];
      return newName === undefined ? [] : [[newName, value]];
    }),
  );
}

function changed(values: Values, output: RowResult, places: readonly FieldText[]): Values {
  const changes = changesOf(values, places, output);
  if ('problem' in changes) throw new ReasonedError(changes.problem);
  let row = values;
  for (const change of changes) {
    if ('items' in change) throw new Error('A cell has no list');
    const name = String(change.path[0]);
    row =
      'value' in change
        ? withField(row, name, change.value)
        : withoutField(row, name, 'name' in change ? change.name : undefined);
  }
  return row;
}

function inUtf8(bytes: Uint8Array, encoding: Encoding): Uint8Array {
  return encoding === 'utf-8' ? bytes : Buffer.from(new TextDecoder(encoding).decode(bytes));
}
