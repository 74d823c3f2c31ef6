import type { Static, TObject } from 'typebox';
import { createKnownFieldsReader } from '../kernel/known-fields.ts';
import { ReasonedError } from '../kernel/reasoned-error.ts';
import { findSchemaProblem, type SchemaProblem } from '../kernel/schema-problem.ts';
import type { Reason } from '../kernel/sentences/index.ts';
import type { Outgoing } from '../outgoing/index.ts';

/** Everything through which a connector reaches the world. */
export type Effects = {
  /** The only way to the network. */
  outgoing: Pick<Outgoing, 'fetch' | 'exchange' | 'connect'>;
  /** Folders of this machine that an administrator allows to read. */
  roots: readonly string[];
  /** For temporary files, which the connector removes. */
  scratchDirectory: string;
  /** Aborted when the run is stopped: release everything. */
  signal: AbortSignal;
  /** Adds a line to the log of the run. */
  log(level: 'INFO' | 'WARN' | 'ERROR', message: Reason): Promise<void>;
  /** Waits before another attempt. */
  pause(ms: number): Promise<void>;
  journal: Journal;
};

/** What a run stores for a connector whose list grows while it is read, such as a crawl. */
export type Journal = {
  /** Items that the run has recorded before this `read`, in the order in which they were yielded. */
  readonly items: number;
  /** The notes of those items, in order, with the index of the item (from 0); items without a note are left out. */
  notes(): AsyncIterable<{ item: number; note: unknown }>;
  /** The `spent` that the run stored last. */
  readonly spent: unknown;
  /** Stores usage before it happens, so that a killed run can't exceed its budget. */
  spend(spent: unknown): Promise<void>;
};

/** Why a source, or one item of it, can not be read; the message is for people. */
export class SourceError extends ReasonedError {
  override readonly name = 'SourceError';
}

/** A file of the source. */
export type FileItem = {
  kind: 'file';
  /** Identity within the source, stable across runs. */
  key: string;
  /** The name that users know: a URL, a path, an object key. */
  name: string;
  /** Preferred path in the dataset, from `safePath`. */
  path: string;
  /** Changes with the content, if the list reports it. An item whose stamp equals the earlier run's is not fetched. */
  stamp?: unknown;
  /** Where `read` continues after this item. */
  cursor?: unknown;
  /** Fetches the content; `unchanged` if it still has the stamp `known`. Throws SourceError and OutgoingError. */
  load(known: unknown, signal: AbortSignal): Promise<FetchedFile | LeftOutFile | 'unchanged'>;
  /** Called once the item's outcome is decided, also if `load` was not called. */
  release?(): void;
};

export type FetchedFile = {
  bytes: AsyncIterable<Uint8Array>;
  /** The stamp of this content, if the list does not report it. */
  stamp?: unknown;
  /** Metadata that the source sent with it. */
  evidence?: Readonly<Record<string, unknown>> | undefined;
  /** Preferred path, if it depends on the content; from `safePath`. */
  path?: string;
  /** What a later `read` of the run needs of the item. */
  note?: unknown;
};

/** A file that is not kept once it has been fetched or compared. */
export type LeftOutFile = Pick<FetchedFile, 'stamp' | 'evidence' | 'note'> & {
  kind: 'unchanged' | 'dropped' | 'failed';
  reason: Reason;
};

/** Rows that become one file; with `isIncremental`, each run that finds new rows adds a file. */
export type RowSet = {
  kind: 'rows';
  key: string;
  name: string;
  /** Preferred path in the dataset, without an extension. */
  path: string;
  /** Whether `read` can continue after a position. */
  isIncremental: boolean;
  /** Where the rows come from, besides the name; stored as the origin of the files. */
  evidence?: Readonly<Record<string, unknown>>;
  /** Default: JSON Lines. */
  format?: RowSetFormat;
  read(position: unknown): AsyncIterable<RowBatch>;
};

export type RowSetFormat = 'JSONL' | 'PARQUET';

/** A column of rows that are stored as Parquet. */
export type RowColumn = {
  name: string;
  /** Its Parquet type by its DuckDB name: `BIGINT`, `DECIMAL(10,2)`, `VARCHAR[]`. */
  type: string;
  /**
   * How values are written in the lines: by default as JSON of their type; `text`: as strings, or lists of strings,
   * that are cast exactly; `hex` and `base64`: as encoded bytes.
   */
  form?: 'text' | 'hex' | 'base64';
  /** Its type at the source, if Parquet has no such type and it becomes text. */
  becomesText?: string;
};

export type RowBatch = {
  /** JSON Lines, each ended by a line feed. */
  lines: Uint8Array;
  rows: number;
  /** Only in the first batch of rows that are stored as Parquet. */
  columns?: readonly RowColumn[];
  /** Rows that could not be read. */
  failed?: readonly { name: string; reason: Reason }[];
  /** Where the next batch begins; any JSON. */
  position?: unknown;
};

/** An item that is not fetched: filtered, or unreadable. */
export type LeftOut = { kind: 'dropped' | 'failed'; name: string; reason: Reason; cursor?: unknown };

/** The number of items, once it is known. */
export type Expectation = { kind: 'expected'; inputs: number };

/** The list continues once all files before it are fetched: what they needed can be released. */
export type Fetched = { kind: 'fetched' };

export type SourceItem = FileItem | RowSet | LeftOut | Expectation | Fetched;

/** The outcome of a successful check: a sentence, and a few items or rows. */
export type SourceCheck = { message: Reason; sample: readonly Readonly<Record<string, unknown>>[] };

type Words = {
  /** Name in the API: `http-files`. */
  type: string;
  name: string;
  /** Its purpose, in one or two sentences. */
  description: string;
  /** Whether a later run can fetch only what changed. */
  incremental: boolean;
  /** Whether each run lists everything: files of earlier runs that are missing from the list are then logged. */
  listsAll?: boolean;
  /** Number of files fetched at once. */
  parallel?: number;
};

/** A kind of source, with the schema of its configuration; its secrets are `writeOnly`. */
export type ConnectorDefinition<S extends TObject> = Words & {
  config: S;
  /** Rules that the schema can not express; `roots` as in Effects. */
  validate?(config: Static<S>, roots: readonly string[]): SchemaProblem | undefined;
  /** Where secrets are sent: a user who changes one of these must enter the secrets again. */
  destinationsOf?(config: Static<S>): readonly string[];
  /** Reaches the source and lists a few items or rows; writes nothing. Throws SourceError and OutgoingError. */
  check(config: Static<S>, effects: Effects): Promise<SourceCheck>;
  /** Lists the items of the source, in the same order each time, after a cursor of an earlier list if it gave any. */
  read(config: Static<S>, effects: Effects, cursor: unknown): AsyncIterable<SourceItem>;
};

/** A connector whose configuration has been checked by `parseConfig`. */
export type Connector = ConnectorDefinition<TObject> & { readonly secretFields: readonly string[] };

export function defineConnector<S extends TObject>(definition: ConnectorDefinition<S>): Connector {
  const properties = Object.entries(definition.config.properties as Record<string, { writeOnly?: boolean }>);
  const secretFields = properties.filter(([, { writeOnly }]) => writeOnly === true).map(([field]) => field);
  if (secretFields.length > 0 && definition.destinationsOf === undefined)
    throw new Error(`${definition.type} does not tell where its secrets go`);
  return { ...definition, secretFields };
}

const readers = new WeakMap<Connector, ReturnType<typeof createKnownFieldsReader>>();

/** The known fields of a configuration with their defaults, or what is wrong with it. */
export function parseConfig(
  connector: Connector,
  given: unknown,
  roots: readonly string[],
): { ok: true; config: Readonly<Record<string, unknown>> } | ({ ok: false } & SchemaProblem) {
  const reader = readers.get(connector) ?? createKnownFieldsReader(connector.config);
  readers.set(connector, reader);
  const config = reader(given);
  const wrong = findSchemaProblem(connector.config, config);
  if (wrong !== undefined) return { ok: false, ...wrong };
  const problem = connector.validate?.(config as Record<string, unknown>, roots);
  if (problem !== undefined) return { ok: false, ...problem };
  return { ok: true, config: config as Record<string, unknown> };
}
