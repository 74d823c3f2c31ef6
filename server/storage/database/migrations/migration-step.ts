import type { Kysely } from 'kysely';
import type { ColumnTypes } from '../column-types.ts';

/** One migration: creates or changes tables and indexes. */
// oxlint-disable-next-line no-explicit-any -- a migration sees tables that today's types no longer know
export type MigrationStep = (db: Kysely<any>, types: ColumnTypes) => Promise<void>;
