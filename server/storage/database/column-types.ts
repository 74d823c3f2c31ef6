import { sql, type RawBuilder } from 'kysely';
import type { Dialect } from './database-types.ts';

/** Column types with the same meaning on both databases. */
export type ColumnTypes = {
  dialect: Dialect;
  /** Text ordered and compared bytewise (PostgreSQL's default order depends on the machine's locale). */
  text: RawBuilder<unknown>;
  /** Whole numbers up to 2^53; booleans as 0 and 1. */
  integer: RawBuilder<unknown>;
  real: RawBuilder<unknown>;
};

export function columnTypes(dialect: Dialect): ColumnTypes {
  return dialect === 'sqlite'
    ? { dialect, text: sql`text`, integer: sql`integer`, real: sql`real` }
    : { dialect, text: sql`text collate "C"`, integer: sql`bigint`, real: sql`double precision` };
}
