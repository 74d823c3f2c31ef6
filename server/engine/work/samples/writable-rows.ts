import { inputProblems } from '../../../kernel/sentences.ts';
import { endOfString, skipBlanks } from '../../../tables/json-values.ts';
import type { RowPart, RowProblem, TableRows } from '../../../tables/table-rows.ts';

const quote = 0x22;
const colon = 0x3a;
const halfCharacter = /\\u[dD][89a-fA-F]/;

/** Rows of JSON of which those that Parquet does not hold are unreadable: one of them would fail the whole file. */
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

/** Why Parquet does not hold a row; undefined if it does. */
function findUnwritable(bytes: Buffer, values: Readonly<Record<string, unknown>>): string | undefined {
  if (halfCharacter.test(bytes.toString('latin1')) && !isWhole(values)) return inputProblems.HALF_CHARACTER({});
  return countNames(bytes) === countMembers(values) ? undefined : inputProblems.REPEATED_NAME({});
}

function isWhole(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, part]) => name.isWellFormed() && isWhole(part));
}

/** Names of members as they are written: of those that stand twice in an object, the value has one. */
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
