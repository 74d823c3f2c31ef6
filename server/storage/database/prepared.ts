import type { CompiledQuery } from 'kysely';
import type { Db, Dialect } from './database-types.ts';
import { findGatheredReads } from './gathered-reads.ts';
import { dialectOf } from './sql.ts';

/** Placeholder of a parameter while a statement is built. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** What both the builder and `sql` return. */
type Statement<R> = { compile(db: Db): CompiledQuery<R> };

type Parameters = Readonly<Record<string, string | number | null>>;

/**
 * A statement of fixed text, built and compiled once per dialect. On a database that gathers short reads, it runs among them without
 * the builder: a point read costs 2 to 3 µs, through the builder 13 µs. For hot paths; elsewhere the plain builder reads better.
 * `const findTag = prepared<{ id: string }, Row>((db, p) => db.selectFrom('tags').selectAll().where('id', '=', p('id')));`
 */
export function prepared<P extends Parameters, R>(
  build: (db: Db, parameter: <K extends keyof P & string>(name: K) => P[K]) => Statement<R>,
): (db: Db, parameters: P) => Promise<R[]> {
  const compiled = new Map<Dialect, CompiledQuery<R>>();
  const gathered = new WeakMap<Db, (parameters: P) => Promise<R[]>>();
  const parameter = <K extends keyof P & string>(name: K) => new Placeholder(name) as unknown as P[K];

  function compile(db: Db): CompiledQuery<R> {
    const dialect = dialectOf(db);
    const known = compiled.get(dialect);
    if (known !== undefined) return known;
    const query = build(db, parameter).compile(db);
    compiled.set(dialect, query);
    return query;
  }

  function prepareGathered(db: Db): ((parameters: P) => Promise<R[]>) | undefined {
    const reads = findGatheredReads(db);
    if (reads === undefined) return undefined;
    const query = compile(db);
    const read = reads.prepare<R>(query.sql);
    const run = (parameters: P): Promise<R[]> => read(valuesOf(query, parameters));
    gathered.set(db, run);
    return run;
  }

  async function execute(db: Db, parameters: P): Promise<R[]> {
    const query = compile(db);
    const { rows } = await db.executeQuery<R>({ ...query, parameters: valuesOf(query, parameters) });
    return rows;
  }

  return (db, parameters) => {
    const run = gathered.get(db) ?? prepareGathered(db);
    return run === undefined ? execute(db, parameters) : run(parameters);
  };
}

function valuesOf(query: CompiledQuery, parameters: Parameters): unknown[] {
  return query.parameters.map((value) => (value instanceof Placeholder ? parameters[value.name] : value));
}
