import { inputProblems, type Reason } from '../../kernel/sentences/index.ts';
import { leadsToSeveral, parseFieldPath, type FieldPath, type FieldText } from '../field-paths.ts';

/** The type of a column, as far as it concerns texts. */
export type ColumnShape =
  | { readonly kind: 'text' }
  | { readonly kind: 'list'; readonly item: ColumnShape }
  | { readonly kind: 'struct'; readonly members: Readonly<Record<string, ColumnShape>> }
  | { readonly kind: 'other'; readonly type: string };

/** Where texts are in a row: names of columns and members, null for the items of a list. */
export type TextPattern = readonly (string | null)[];

/** The distinct patterns of paths; or why one of the paths leads to no text. */
export function patternsOf(
  columns: Readonly<Record<string, ColumnShape>>,
  fields: readonly string[],
): readonly TextPattern[] | { field: string; problem: Reason } {
  const patterns = new Map<string, TextPattern>();
  for (const field of fields) {
    const path = parseFieldPath(field);
    const row: ColumnShape = { kind: 'struct', members: columns };
    const given = Object.hasOwn(columns, field) ? [field] : patternOf(path);
    const isOfParts = given.length > 1 && leadsToSeveral(path) && isShapeOfParts(shapeAt(row, given));
    const pattern = isOfParts ? [...given, null, 'text'] : given;
    const problem = problemOf(row, pattern, field);
    if (problem !== undefined) return { field, problem };
    patterns.set(JSON.stringify(pattern), pattern);
  }
  return [...patterns.values()];
}

/** Whether a column contains message content in parts: `[{type: 'text', text: '…'}, …]`. */
export function isShapeOfParts(shape: ColumnShape | undefined): boolean {
  if (shape?.kind !== 'list' || shape.item.kind !== 'struct') return false;
  const { type, text } = shape.item.members;
  return type?.kind === 'text' && text?.kind === 'text';
}

function shapeAt(shape: ColumnShape | undefined, [step, ...rest]: TextPattern): ColumnShape | undefined {
  if (step === undefined || shape === undefined) return shape;
  if (step === null) return shape.kind === 'list' ? shapeAt(shape.item, rest) : undefined;
  return shape.kind === 'struct' && Object.hasOwn(shape.members, step) ? shapeAt(shape.members[step], rest) : undefined;
}

/** The columns that the paths lead into; names that are not columns are left out. */
export function columnsOf(names: readonly string[], fields: readonly string[]): string[] {
  return fields.flatMap((field) => {
    if (names.includes(field)) return [field];
    const [first] = patternOf(parseFieldPath(field));
    return typeof first === 'string' && names.includes(first) ? [first] : [];
  });
}

function patternOf({ steps }: FieldPath): TextPattern {
  return steps.map((step) => ('name' in step ? step.name : null));
}

function problemOf(shape: ColumnShape, [step, ...rest]: TextPattern, field: string, at = ''): Reason | undefined {
  if (step === undefined) {
    if (shape.kind === 'text') return undefined;
    return inputProblems.PARQUET_OTHER_TYPE.reason({ column: JSON.stringify(field), type: typeOf(shape) });
  }
  const column = JSON.stringify(at);
  if (step === null) {
    return shape.kind === 'list'
      ? problemOf(shape.item, rest, field, at)
      : inputProblems.PARQUET_NO_LIST.reason({ column, type: typeOf(shape) });
  }
  const name = JSON.stringify(step);
  if (shape.kind !== 'struct')
    return inputProblems.PARQUET_NO_STRUCT.reason({ column, type: typeOf(shape), member: name });
  const member = Object.hasOwn(shape.members, step) ? shape.members[step] : undefined;
  if (member === undefined)
    return at === ''
      ? inputProblems.PARQUET_NO_COLUMN.reason({ column: name })
      : inputProblems.PARQUET_NO_MEMBER.reason({ column, member: name });
  return problemOf(member, rest, field, at === '' ? step : `${at}.${step}`);
}

function typeOf(shape: ColumnShape): string {
  return shape.kind === 'other'
    ? shape.type
    : shape.kind === 'list'
      ? 'a list'
      : shape.kind === 'text'
        ? 'text'
        : 'a struct';
}

/** Name of the field with the new texts of a pattern. */
export function nameOfTexts(index: number): string {
  return `f${index}`;
}

/**
 * The new texts of a row by pattern: a text, or lists nested as deep as those of the pattern; null keeps the old text.
 */
export function textsByPattern(
  patterns: readonly TextPattern[],
  places: readonly Pick<FieldText, 'path'>[],
  texts: readonly string[],
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [number, { path }] of places.entries()) {
    const index = patterns.findIndex(
      (pattern) =>
        pattern.length === path.length &&
        pattern.every((step, place) => (step === null ? typeof path[place] === 'number' : step === path[place])),
    );
    if (index === -1) throw new Error(`No pattern leads to ${JSON.stringify(path)}`);
    const items = path.filter((step) => typeof step === 'number');
    found[nameOfTexts(index)] = placed(found[nameOfTexts(index)], items, texts[number] ?? '');
  }
  return found;
}

function placed(before: unknown, [item, ...rest]: readonly number[], text: string): unknown {
  if (item === undefined) return text;
  const list: unknown[] = Array.isArray(before) ? before : [];
  while (list.length <= item) list.push(null);
  list[item] = placed(list[item], rest, text);
  return list;
}

/**
 * SQL of a column, which the library calls `sql`, with its texts replaced where the patterns match; `textsOf` returns
 * the SQL of a pattern's new texts.
 */
export function replaceExpression(
  column: { name: string; sql: string; shape: ColumnShape },
  patterns: readonly TextPattern[],
  textsOf: (index: number) => string,
): string {
  return patterns.reduce(
    (value, [first, ...rest], index) =>
      first === column.name
        ? replaced({ value, shape: column.shape, depth: index * 100 }, rest, textsOf(index))
        : value,
    identifier(column.sql),
  );
}

function replaced(
  { value, shape, depth }: { value: string; shape: ColumnShape; depth: number },
  [step, ...rest]: TextPattern,
  texts: string,
): string {
  if (step === undefined) return `coalesce(${texts}, ${value})`;
  if (step === null) {
    if (shape.kind !== 'list') throw new Error(`${value} is no list`);
    const [item, index] = [`x${depth}`, `i${depth}`];
    const inner = replaced({ value: item, shape: shape.item, depth: depth + 1 }, rest, `${texts}[${index}]`);
    return `list_transform(${value}, lambda ${item}, ${index}: ${inner})`;
  }
  if (shape.kind !== 'struct') throw new Error(`${value} is no struct`);
  const members = Object.entries(shape.members).map(([name, member]) => {
    const own = `struct_extract(${value}, ${literal(name)})`;
    const inner = name === step ? replaced({ value: own, shape: member, depth: depth + 1 }, rest, texts) : own;
    return `${identifier(name)} := ${inner}`;
  });
  return `case when ${value} is null then null else struct_pack(${members.join(', ')}) end`;
}

/** The SQL type of the new texts of a pattern. */
export function typeOfTexts(pattern: TextPattern): string {
  return `VARCHAR${'[]'.repeat(pattern.filter((step) => step === null).length)}`;
}

/** SQL string literal. A statement ends at NUL, so NUL is written as chr(0). */
export function literal(text: string): string {
  const parts = text.split('\0').map((part) => `'${part.replaceAll("'", "''")}'`);
  return parts.length === 1 ? parts.join('') : `(${parts.join(' || chr(0) || ')})`;
}

export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
