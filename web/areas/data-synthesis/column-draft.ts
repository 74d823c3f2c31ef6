import type { SynthesisColumn } from '../../api/schema.ts';

export const columnKinds = ['SAMPLER', 'EXPRESSION', 'MODEL', 'JUDGE', 'VALIDATOR'] as const;
export const samplers = ['CATEGORY', 'NUMBER', 'DATE', 'ROW'] as const;
export const codeLanguages = ['JSON', 'JAVASCRIPT', 'TYPESCRIPT', 'PYTHON'] as const;

/** A column being edited; a schema that is not valid JSON yet is kept as the typed text. */
export type ColumnDraft = Omit<SynthesisColumn, 'outputSchema' | 'schema'> & {
  outputSchema?: unknown;
  schema?: unknown;
};

/** A column of another kind, keeping what all kinds have in common. */
export function columnOfKind(
  kind: SynthesisColumn['kind'],
  { name, description, hidden }: Pick<ColumnDraft, 'name' | 'description' | 'hidden'>,
): ColumnDraft {
  return {
    name,
    kind,
    ...(description === undefined ? {} : { description }),
    ...(hidden === undefined || kind === 'VALIDATOR' ? {} : { hidden }),
    ...(kind === 'SAMPLER' ? { sampler: 'CATEGORY' as const, values: [{ value: 'A' }, { value: 'B' }] } : {}),
    ...(kind === 'MODEL' ? { prompt: '{{text}}' } : {}),
    ...(kind === 'EXPRESSION' ? { expression: 'text' } : {}),
  };
}

/** A column with another sampler; it keeps its seed. */
export function columnOfSampler(sampler: (typeof samplers)[number], column: ColumnDraft): ColumnDraft {
  const { name, kind, description, hidden, seed } = column;
  return {
    name,
    kind,
    ...(description === undefined ? {} : { description }),
    ...(hidden === undefined ? {} : { hidden }),
    ...(seed === undefined ? {} : { seed }),
    sampler,
    ...(sampler === 'CATEGORY' ? { values: [{ value: 'A' }, { value: 'B' }] } : {}),
    ...(sampler === 'NUMBER' ? { minimum: 1, maximum: 10 } : {}),
    ...(sampler === 'DATE' ? { from: '2020-01-01', to: '2029-12-31' } : {}),
  };
}

/** Whether a schema of a column is not a JSON object yet. */
export function isBroken({ outputSchema, schema }: ColumnDraft): boolean {
  return typeof outputSchema === 'string' || typeof schema === 'string';
}

/** The other columns that a column refers to, which are made before it. */
export function columnsBefore(column: ColumnDraft, columns: readonly ColumnDraft[]): string[] {
  const prompts = `${column.systemPrompt ?? ''}\n${column.prompt ?? ''}`;
  const named = new Set([
    ...[...prompts.matchAll(/\{\{\s*(\w+)/g)].map(([, name = '']) => name),
    ...[...(column.expression ?? '').replaceAll(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/[A-Za-z_]\w*/g)].map(
      ([name]) => name,
    ),
    ...(column.of ?? []),
  ]);
  return columns.map(({ name }) => name).filter((name) => name !== column.name && named.has(name));
}

/** The order in which columns are made: each stage depends only on earlier ones. Columns in a cycle are in no stage. */
export function stagesOf(columns: readonly ColumnDraft[]): string[][] {
  const stages: string[][] = [];
  const made = new Set<string>();
  let open = columns;
  while (open.length > 0) {
    const ready = open.filter((column) => columnsBefore(column, columns).every((name) => made.has(name)));
    if (ready.length === 0) return stages;
    stages.push(ready.map(({ name }) => name));
    for (const { name } of ready) made.add(name);
    open = open.filter((column) => !ready.includes(column));
  }
  return stages;
}

const longestSummary = 90;

/** What a column does, on one line: its values, range, expression or prompt, or the columns it judges. */
export function summaryOf(column: ColumnDraft): string {
  const { sampler, values = [], minimum, maximum, from, to, prefix, of = [] } = column;
  const parts: Readonly<Record<SynthesisColumn['kind'], string>> = {
    SAMPLER:
      sampler === 'CATEGORY'
        ? values.map(({ value }) => value).join(', ')
        : sampler === 'NUMBER'
          ? `${minimum ?? ''} – ${maximum ?? ''}`
          : sampler === 'DATE'
            ? `${from ?? ''} – ${to ?? ''}`
            : (prefix ?? ''),
    EXPRESSION: column.expression ?? '',
    MODEL: column.prompt ?? '',
    JUDGE: [of.join(', '), column.rubric ?? ''].filter((part) => part !== '').join(': '),
    VALIDATOR: of.join(', '),
  };
  const line = parts[column.kind].replaceAll(/\s+/g, ' ').trim();
  return line.length > longestSummary ? `${line.slice(0, longestSummary)}…` : line;
}

/** Values of a category as lines: `value`, or `value | weight`. */
export function linesOfValues(values: SynthesisColumn['values']): string {
  return (values ?? []).map(({ value, weight }) => (weight === undefined ? value : `${value} | ${weight}`)).join('\n');
}

export function valuesOfLines(lines: string): NonNullable<SynthesisColumn['values']> {
  return lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [, value = '', weight] = /^(.*?)\s*\|\s*(\d+(?:\.\d+)?)$/.exec(line) ?? [];
      return weight === undefined ? { value: line } : { value, weight: Number(weight) };
    });
}
