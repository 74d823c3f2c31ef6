import type { Kysely } from 'kysely';
import type { ColumnTypes } from '../column-types.ts';

/** One step of the database's history: tables and indexes as they are to be from then on. */
// oxlint-disable-next-line no-explicit-any -- a migration sees tables that today's types no longer know
export type MigrationStep = (db: Kysely<any>, types: ColumnTypes) => Promise<void>;
