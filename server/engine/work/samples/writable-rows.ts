import { inputProblems, type Reason } from '../../../kernel/sentences/index.ts';
import type { RowPart, RowProblem, TableRows } from '../../../tables/table-rows.ts';
import { endOfString, skipBlanks } from '../../../tables/json-spans.ts';

const quote = 0x22;
const colon = 0x3a;
const halfCharacter = /\\u[dD][89a-fA-F]/;

/** JSON rows, with those that Parquet can't hold reported as unreadable: one of them would fail the whole file. */
export function writableRows(rows: TableRows): TableRows {
  let checked: { part: RowPart; problem: RowProblem | undefined } | undefined;
  function problemOf(part: RowPart): RowProblem | undefined {
    if (checked?.part === part) return checked.problem;
    const found = findUnwritable(Buffer.from(rows.show(part)), rows.values(part));
    const problem = found === undefined ? undefined : { problem: found, isUnread: true };
    checked = { part, problem };
    return problem;
  }
  return {
    ...rows,
    open: (part) => rows.open(part) ?? problemOf(part),
    read(part) {
      const found = rows.read(part);
      return 'problem' in found && found.isUnread ? found : (problemOf(part) ?? found);
    },
  };
}

/** Why Parquet can't hold a row; undefined if it can. */
function findUnwritable(bytes: Buffer, values: Readonly<Record<string, unknown>>): Reason | undefined {
  if (halfCharacter.test(bytes.toString('latin1')) && !isWhole(values)) return inputProblems.HALF_CHARACTER.reason({});
  return countNames(bytes) === countMembers(values) ? undefined : inputProblems.REPEATED_NAME.reason({});
}

function isWhole(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, part]) => name.isWellFormed() && isWhole(part));
}

/** Counts member names as written: a name repeated in an object counts twice, but its parsed value has it once. */
function countNames(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(quote); at !== -1;) {
    const end = endOfString(bytes, at);
    const next = skipBlanks(bytes, end);
    if (bytes[next] === colon) count += 1;
    at = bytes.indexOf(quote, end);
  }
  return count;
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts: unknown[] = Object.values(value);
  const own = Array.isArray(value) ? 0 : parts.length;
  return parts.reduce<number>((count, part) => count + countMembers(part), own);
}
