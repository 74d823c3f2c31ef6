import type { Static, TObject } from 'typebox';
import { createKnownFieldsReader } from '../kernel/known-fields.ts';
import { findSchemaProblem, type SchemaProblem } from '../kernel/schema-problem.ts';
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
  log(level: 'INFO' | 'WARN' | 'ERROR', message: string): Promise<void>;
  /** Waits before another attempt. */
  pause(ms: number): Promise<void>;
  journal: Journal;
};

/** What a run stores for a connector whose list grows while it is read, as that of a crawl does. */
export type Journal = {
  /** Items that the run has recorded before this `read`, in the order in which they were yielded. */
  readonly items: number;
  /** The notes of those that have one, with their number from 0, in order. */
  notes(): AsyncIterable<{ item: number; note: unknown }>;
  /** What the run has used up so far, as it was stored last. */
  readonly spent: unknown;
  /** Stores what is about to be used, before it is: a run that is killed gives nothing back. */
  spend(spent: unknown): Promise<void>;
};

/** Why a source, or one item of it, can not be read; the message is for people. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
}

/** A file of the source. */
export type FileItem = {
  kind: 'file';
  /** Identity within the source, the same in every run. */
  key: string;
  /** What people know it by: a URL, a path, an object key. */
  name: string;
  /** Wanted path in the dataset, made by `safePath`. */
  path: string;
  /** What changes with the content, if the list says it; equal to that of the earlier run: the item is not fetched. */
  stamp?: unknown;
  /** Where `read` continues after this item. */
  cursor?: unknown;
  /** Fetches the content, unless it is that of the stamp `known`. Throws SourceError and OutgoingError. */
  load(known: unknown, signal: AbortSignal): Promise<FetchedFile | LeftOutFile | 'unchanged'>;
  /** Called once the item has its verdict, also without `load`. */
  release?(): void;
};

export type FetchedFile = {
  bytes: AsyncIterable<Uint8Array>;
  /** The stamp of this content, if the list does not say it. */
  stamp?: unknown;
  /** What the source said of it. */
  evidence?: Readonly<Record<string, unknown>> | undefined;
  /** Wanted path, if the content decides it; made by `safePath`. */
  path?: string;
  /** What a later `read` of the run needs to know of the item. */
  note?: unknown;
};

/** A file that turns out to be nothing to keep. */
export type LeftOutFile = Pick<FetchedFile, 'stamp' | 'evidence' | 'note'> & {
  kind: 'unchanged' | 'dropped' | 'failed';
  reason: string;
};

/** Rows that become one file, or with `isIncremental` one more file for each run that finds new rows. */
export type RowSet = {
  kind: 'rows';
  key: string;
  name: string;
  /** Wanted path in the dataset without an extension. */
  path: string;
  /** Whether `read` can continue after a position. */
  isIncremental: boolean;
  /** Where the rows come from, beyond the name: stands with the files as their origin. */
  evidence?: Readonly<Record<string, unknown>>;
  /** Default: JSON Lines. */
  format?: RowSetFormat;
  read(position: unknown): AsyncIterable<RowBatch>;
};

export type RowSetFormat = 'JSONL' | 'PARQUET';

/** A column of rows that become Parquet. */
export type RowColumn = {
  name: string;
  /** Its type in Parquet, as DuckDB names it: `BIGINT`, `DECIMAL(10,2)`, `VARCHAR[]`. */
  type: string;
  /**
   * How values stand in the lines: by default as their type is in JSON; `text`: as strings, or lists of strings, that are cast
   * exactly; `hex` and `base64`: as strings that are bytes.
   */
  form?: 'text' | 'hex' | 'base64';
  /** Its type at the source, if Parquet has none for it and it becomes text. */
  becomesText?: string;
};

export type RowBatch = {
  /** JSON Lines, each ended by a line feed. */
  lines: Uint8Array;
  rows: number;
  /** In the first batch of rows that become Parquet. */
  columns?: readonly RowColumn[];
  /** Rows that could not be read. */
  failed?: readonly { name: string; reason: string }[];
  /** Where the next batch begins; any JSON. */
  position?: unknown;
};

/** An item that is not fetched: filtered, or unreadable. */
export type LeftOut = { kind: 'dropped' | 'failed'; name: string; reason: string; cursor?: unknown };

/** How many items there are, once it is known. */
export type Expectation = { kind: 'expected'; inputs: number };

/** The list continues when all files before it are fetched: what they needed can be released. */
export type Fetched = { kind: 'fetched' };

export type SourceItem = FileItem | RowSet | LeftOut | Expectation | Fetched;

/** The outcome of a successful check: a sentence, and a few items or rows. */
export type SourceCheck = { message: string; sample: readonly Readonly<Record<string, unknown>>[] };

type Words = {
  /** Name in the API: `http-files`. */
  type: string;
  name: string;
  /** What it is for, in one or two sentences. */
  description: string;
  /** Whether a later run can fetch only what changed. */
  incremental: boolean;
  /** Whether it lists everything each time: what earlier runs fetched and a list lacks is named in the log. */
  listsAll?: boolean;
  /** Files fetched at once. */
  parallel?: number;
};

/** A kind of source, for one schema of its configuration; secrets in it are `writeOnly`. */
export type ConnectorDefinition<S extends TObject> = Words & {
  config: S;
  /** Rules that the schema can not express; `roots` as in Effects. */
  validate?(config: Static<S>, roots: readonly string[]): SchemaProblem | undefined;
  /** Where secrets are sent: whoever changes it must give them again. */
  destinationsOf?(config: Static<S>): readonly string[];
  /** Reaches the source and lists a few items or rows; writes nothing. Throws SourceError and OutgoingError. */
  check(config: Static<S>, effects: Effects): Promise<SourceCheck>;
  /** Lists what the source offers, in the same order each time, after a cursor of an earlier list if it gave any. */
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
