import type { CleaningInspection } from '../../../api/schema.ts';
import type { Draft, TextFieldsRule } from '../drafts/draft.ts';

export type InputTable = CleaningInspection['tables'][number];

/** Tables of one folder and type with the same columns; they share one choice. */
export type TableGroup = {
  /** The path of a single table, or a pattern for several. */
  label: string;
  tables: readonly InputTable[];
  columns: InputTable['columns'];
  /** The text columns in effect; null: the user has to choose. */
  fields: readonly string[] | null;
  /** The column used if none is chosen; null if it is ambiguous or there is none. */
  guess: string | null;
  isExcluded: boolean;
  /** Whether none of the tables has rows. */
  isEmpty: boolean;
  /** Why the tables can't be read; null if they can. */
  problem: Pick<InputTable, 'problem' | 'problemCode' | 'problemParams'> | null;
};

/** Groups tables that look alike; groups that need a choice come first. */
export function groupTables(tables: readonly InputTable[]): TableGroup[] {
  const groups = new Map<string, InputTable[]>();
  for (const table of tables) {
    const { columns, fields, guess, isExcluded, isEmpty, problem } = table;
    const names = columns.map(({ name }) => name);
    const likeness = [patternOf(table.filePath), names, fields, guess, isExcluded, isEmpty, problem];
    const key = JSON.stringify(likeness);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [table]);
    else known.push(table);
  }
  return [...groups.values()].map(groupOf).toSorted((a, b) => Number(isUnclear(b)) - Number(isUnclear(a)));
}

function groupOf(tables: readonly InputTable[]): TableGroup {
  const [first, ...others] = tables;
  if (first === undefined) throw new RangeError('A group has at least one table');
  const { filePath, columns, fields, guess, isExcluded, isEmpty } = first;
  const problem = first.problem === null ? null : first;
  const label = others.length === 0 ? filePath : patternOf(filePath);
  return { label, tables, columns, fields, guess, isExcluded, isEmpty, problem };
}

/** Whether the user has to choose a column, or leave the tables out, before the task can be saved. */
export function isUnclear({
  fields,
  isExcluded,
  isEmpty,
  problem,
}: Pick<TableGroup, 'fields' | 'isExcluded' | 'isEmpty' | 'problem'>): boolean {
  return fields === null && !isExcluded && !isEmpty && problem === null;
}

/** `a/b/c.csv` → `a/b/*.csv`. */
function patternOf(path: string): string {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const name = path.slice(folder.length);
  const dot = name.lastIndexOf('.');
  return `${folder}*${dot === -1 ? '' : name.slice(dot)}`;
}

/** The columns chosen for exactly this group; undefined if another rule applies or they are detected. */
export function chosenFor({ textFields }: Pick<Draft, 'textFields'>, group: TableGroup): readonly string[] | undefined {
  const own = new Set([...group.tables.map(({ filePath }) => filePath), patternOf(group.tables[0]?.filePath ?? '')]);
  return textFields.find(({ files }) => own.has(files))?.fields;
}

/** The rules with the choice for a group added; without columns, those of its tables are detected again. */
export function chooseColumns(
  rules: readonly TextFieldsRule[],
  tables: readonly InputTable[],
  group: TableGroup,
  fields: readonly string[],
): TextFieldsRule[] {
  const others = withoutGroup(rules, ({ files }) => files, group);
  const own = fields.length === 0 ? [] : patternsFor(tables, group).map((files) => ({ files, fields: [...fields] }));
  // A rule without a folder matches its name in all folders, so paths and narrower patterns come first.
  return [...own, ...others].toSorted((a, b) => breadthOf(a.files) - breadthOf(b.files));
}

/** The patterns of excluded files, with or without those of a group. */
export function leaveOut(
  exclude: readonly string[],
  tables: readonly InputTable[],
  group: TableGroup,
  isOut: boolean,
): string[] {
  const others = withoutGroup(exclude, (pattern) => pattern, group);
  return isOut ? [...others, ...patternsFor(tables, group)] : others;
}

function withoutGroup<T>(list: readonly T[], patternIn: (item: T) => string, group: TableGroup): T[] {
  const paths = new Set(group.tables.map(({ filePath }) => filePath));
  for (const { filePath } of group.tables) paths.add(patternOf(filePath));
  return list.filter((item) => !paths.has(patternIn(item)));
}

/** One pattern if it selects exactly these tables, else one per table. */
function patternsFor(tables: readonly InputTable[], group: TableGroup): string[] {
  const paths = group.tables.map(({ filePath }) => filePath);
  const [first = ''] = paths;
  const pattern = patternOf(first);
  const isOwn = tables.every(({ filePath }) => paths.includes(filePath) || !matches(filePath, pattern));
  return paths.length > 1 && isOwn ? [pattern] : paths;
}

/** Whether a path matches a pattern of `patternOf`; a pattern without a folder matches in all folders. */
function matches(path: string, pattern: string): boolean {
  return patternOf(path) === pattern || (!pattern.includes('/') && patternOf(path).endsWith(`/${pattern}`));
}

function breadthOf(pattern: string): number {
  return (pattern.includes('*') ? 2 : 0) + (pattern.includes('/') ? 0 : 1);
}
