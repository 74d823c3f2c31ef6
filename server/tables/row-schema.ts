/**
 * The kind of the values at one path of many JSON rows; `scalars`: different kinds, but neither lists nor objects. For
 * whole numbers passed as bigint: `long` fits 64 bits, but a double may lose digits; `round` exceeds 64 bits, but a
 * double holds it exactly; `huge` has up to 38 digits. `isEmpty`: the type of a column without values, which gives way
 * to the kind of values elsewhere.
 */
export type ValueKind =
  | {
      kind: 'null' | 'boolean' | 'integer' | 'long' | 'round' | 'huge' | 'number' | 'text' | 'scalars' | 'mixed';
      isEmpty?: true;
    }
  | { kind: 'list'; item: ValueKind }
  | { kind: 'object'; fields: [name: string, kind: ValueKind][] };

/** The columns of rows, in order of first appearance. */
export type RowSchema = [name: string, kind: ValueKind][];

/** Rows as JSON Lines: where they can be cut, and their columns if the format has a schema. */
export type RowsSummary = {
  /** The rows' folder, if files are distributed over folders; units of one folder are contiguous. */
  units: [sizeBytes: number, rows: number, folder?: string][];
  schema?: RowSchema;
  /** Values that JSON lacks and that became null: count by column. */
  nonFinite?: Readonly<Record<string, number>>;
  /** Values with whole numbers whose digits a double may lose: count by column. */
  long?: Readonly<Record<string, number>>;
};

/** An object with more names than this is a dictionary, not a record. */
const maxFields = 200;

/** The kind of one value. */
export function kindOfValue(value: unknown): ValueKind {
  if (value === null || value === undefined) return { kind: 'null' };
  if (typeof value === 'string') return { kind: 'text' };
  if (typeof value === 'boolean') return { kind: 'boolean' };
  if (typeof value === 'bigint') return { kind: kindOfWhole(value) };
  if (typeof value === 'number') return { kind: isInt64(value) ? 'integer' : 'number' };
  if (Array.isArray(value)) {
    const none: ValueKind = { kind: 'null' };
    return { kind: 'list', item: value.reduce<ValueKind>((kind, one) => mergeKinds(kind, kindOfValue(one)), none) };
  }
  return bounded({ kind: 'object', fields: columnsOf(value as Record<string, unknown>) });
}

function isInt64(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

const moreThanHuge = 10n ** 38n;

function kindOfWhole(value: bigint): 'integer' | 'long' | 'round' | 'huge' | 'scalars' {
  const isKept = String(Number(value)) === String(value);
  if (BigInt.asIntN(64, value) === value) return isKept ? 'integer' : 'long';
  if (isKept) return 'round';
  return value > -moreThanHuge && value < moreThanHuge ? 'huge' : 'scalars';
}

function columnsOf(row: Readonly<Record<string, unknown>>): RowSchema {
  return Object.entries(row).map(([name, value]) => [name, kindOfValue(value)]);
}

const wholeKinds: ReadonlySet<string> = new Set(['integer', 'long', 'round', 'huge']);
const scalarKinds: ReadonlySet<string> = new Set([...wholeKinds, 'boolean', 'number', 'text', 'scalars']);

/** The kind that holds the values of both; kinds that don't match become `scalars` or `mixed`. */
export function mergeKinds(one: ValueKind, other: ValueKind): ValueKind {
  if (one.kind === 'null') return other;
  if (other.kind === 'null') return one;
  const merged = mergeKnown(one, other);
  const isEmpty = [one, other].map((kind) => 'isEmpty' in kind);
  if (merged.kind !== 'scalars' && merged.kind !== 'mixed') return merged;
  if (isEmpty[0] === isEmpty[1]) return isEmpty[0] === true ? { kind: 'null' } : merged;
  return isEmpty[0] === true ? other : one;
}

function mergeKnown(one: ValueKind, other: ValueKind): ValueKind {
  if (one.kind === 'list' && other.kind === 'list') return { kind: 'list', item: mergeKinds(one.item, other.item) };
  if (one.kind === 'object' && other.kind === 'object') {
    return bounded({ kind: 'object', fields: mergeSchemas(one.fields, other.fields) });
  }
  // Whichever has values: then so has the column.
  if (one.kind === other.kind) return 'isEmpty' in one ? other : one;
  const kinds = new Set<string>([one.kind, other.kind]);
  if (wholeKinds.has(one.kind) && wholeKinds.has(other.kind)) {
    if (kinds.has('huge') || (kinds.has('long') && kinds.has('round'))) return { kind: 'huge' };
    return { kind: kinds.has('long') ? 'long' : 'round' };
  }
  // Mixed with fractions, whole numbers count as numbers only if a double holds them exactly.
  if (kinds.has('number') && (kinds.has('integer') || kinds.has('round'))) return { kind: 'number' };
  return { kind: scalarKinds.has(one.kind) && scalarKinds.has(other.kind) ? 'scalars' : 'mixed' };
}

function bounded(kind: Extract<ValueKind, { kind: 'object' }>): ValueKind {
  const names = new Set(kind.fields.map(([name]) => name.toLowerCase()));
  // Parquet readers ignore case in names.
  const isRecord = kind.fields.length <= maxFields && names.size === kind.fields.length && !names.has('');
  return isRecord && kind.fields.every(([name]) => isWritable(name)) ? kind : { kind: 'mixed' };
}

/** Whether a member name can be used in a type: no NUL, no lone surrogates. */
function isWritable(name: string): boolean {
  return !name.includes('\0') && name.isWellFormed();
}

/** The columns of both schemas; the columns of the first come first. */
export function mergeSchemas(one: RowSchema, other: RowSchema): RowSchema {
  const merged = new Map(one);
  for (const [name, kind] of other) {
    const known = merged.get(name);
    merged.set(name, known === undefined ? kind : mergeKinds(known, kind));
  }
  return [...merged];
}

/** Collects the columns of rows; rows with the same columns as before cost little. */
export function createSchemaCollector(): {
  add(row: Readonly<Record<string, unknown>>): void;
  /** Adds columns whose kinds are known without seeing values. */
  declare(columns: RowSchema): void;
  schema(): RowSchema;
} {
  let schema: RowSchema = [];
  const seen = new Map<string, Set<string>>();
  return {
    add(row) {
      let isKnown = true;
      for (const [name, value] of Object.entries(row)) {
        const isScalar = typeof value !== 'object';
        const kind = isScalar ? kindOfValue(value).kind : '';
        const kinds = seen.get(name);
        if (kinds !== undefined && (value === null || kinds.has(kind))) continue;
        isKnown = false;
        if (isScalar) seen.set(name, (kinds ?? new Set()).add(kind));
      }
      if (!isKnown) schema = mergeSchemas(schema, columnsOf(row));
    },
    declare(columns) {
      schema = mergeSchemas(schema, columns);
    },
    schema: () => schema,
  };
}

/** The DuckDB type of a kind; kinds without a type of their own become JSON text. */
export function typeOfKind(kind: ValueKind): string {
  switch (kind.kind) {
    case 'boolean':
      return 'BOOLEAN';
    case 'integer':
    case 'long':
      return 'BIGINT';
    case 'round':
    case 'huge':
      return 'HUGEINT';
    case 'number':
      return 'DOUBLE';
    case 'text':
    case 'null':
      return 'VARCHAR';
    case 'scalars':
    case 'mixed':
      return 'JSON';
    case 'list':
      return `${typeOfKind(kind.item)}[]`;
    case 'object': {
      if (kind.fields.length === 0) return 'JSON';
      const fields = kind.fields.map(([name, field]) => `"${name.replaceAll('"', '""')}" ${typeOfKind(field)}`);
      return `STRUCT(${fields.join(', ')})`;
    }
  }
}
