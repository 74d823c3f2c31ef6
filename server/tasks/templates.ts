import { isoNow, type Clock } from '../kernel/clock.ts';
import type { AppError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { offsetOf, parseSort, toPage, type Page } from '../kernel/page.ts';
import { searchTextOf } from '../kernel/search-text.ts';
import type { Database, Db, Tx } from '../storage/database/database.ts';
import { lockName } from '../storage/database/named-lock.ts';
import type { Tables } from '../storage/database/schema.ts';
import { refusingDuplicates } from '../storage/database/sql.ts';
import type { TemplateColumns } from '../storage/database/tables/templates.ts';
import { namedColumnsOf, namedOrderColumns } from './named-rows.ts';
import {
  countTemplates,
  deleteTemplate,
  findTemplate,
  findTemplateNamed,
  insertTemplate,
  listBuiltInTemplates,
  listTemplates,
  lockTemplate,
  updateTemplate,
  type TemplateTable,
} from './queries/templates.ts';
import type { NewTemplateFields, TemplateFields, TemplatesQuery } from './template-schemas.ts';

/** The columns of a table that the area itself fills in. */
export type OwnColumns<T extends TemplateTable> = Omit<Tables[T], keyof TemplateColumns>;

/** A built-in template. */
export type BuiltIn<Given> = Given & { id: string; description: string };

/** The part of templates that an area defines; everything else is shared. */
export type TemplateArea<T extends TemplateTable, Given extends NewTemplateFields, Own, Known> = {
  table: T;
  builtIn: readonly BuiltIn<Given>[];
  errors: {
    notFound(id: string): AppError;
    builtIn(id: string): AppError;
    alreadyExists(name: string, options?: ErrorOptions): AppError;
  };
  /** Runs slow checks of the input before the transaction, and returns what the definition depends on. */
  prepare(given: Partial<Given>): Promise<Known>;
  /** Checks the definition; `before` is the stored row that it replaces. */
  define(given: Given, before: Tables[T] | undefined, known: Known): OwnColumns<T>;
  /** Merges changes into the stored definition. */
  change(before: Tables[T], changes: Partial<Given>, known: Known): OwnColumns<T>;
  /** Stores further data of a template that was inserted or changed. */
  stored?(tx: Tx, row: Tables[T], before: Tables[T] | undefined): Promise<void>;
  /** Deletes the area's own data of a template being deleted. */
  remove?(tx: Tx, id: string): Promise<void>;
  /** The area's own fields of a template. */
  show(row: Tables[T]): Own;
};

/** A template as the API shows it. */
export type TemplateView<Own> = TemplateFields & Own;

/** The API's operations on the templates of an area. All that take an id throw the area's error for an unknown one. */
export type TemplateCalls<Given, Own> = {
  list(query: TemplatesQuery): Promise<Page<TemplateView<Own>>>;
  /** Throws INVALID_PARAMETER, and the area's error if the name is taken. */
  create(template: Given, by: string): Promise<TemplateView<Own>>;
  get(id: string): Promise<TemplateView<Own>>;
  /** Throws the area's errors for a built-in template and for a taken name. */
  update(id: string, changes: Partial<Given>, by: string): Promise<TemplateView<Own>>;
  /** Throws the area's error for a built-in template. Tasks made from the template are kept. */
  remove(id: string): Promise<void>;
};

/** The templates of an area. */
export type Templates<T extends TemplateTable, Given, Own> = TemplateCalls<Given, Own> & {
  /** Updates the built-in templates. */
  start(): Promise<void>;
  /** The template in its stored form; throws if it does not exist. */
  find(db: Db, id: string): Promise<Tables[T]>;
};

const author = 'Tilth';

/** Creates the templates of an area. */
export function createTemplates<T extends TemplateTable, Given extends NewTemplateFields, Own, Known>(
  { db, clock }: { db: Database; clock: Clock },
  area: TemplateArea<T, Given, Own, Known>,
): Templates<T, Given, Own> {
  type Row = Tables[T];
  const { table, errors } = area;

  async function find(connection: Db, id: string): Promise<Row> {
    const row = await findTemplate(connection, table, id);
    if (row === undefined) throw errors.notFound(id);
    return row;
  }

  const get = async (id: string): Promise<TemplateView<Own>> => toView(await find(db.read, id));

  function toView(row: Row): TemplateView<Own> {
    return { ...toTemplateFields(row), ...area.show(row) };
  }

  function rowOf(
    id: string,
    given: Pick<NewTemplateFields, 'name' | 'description'>,
    define: () => OwnColumns<T>,
    { before, by, builtIn = 0 }: { before: Row | undefined; by: string; builtIn?: 0 | 1 },
  ): Row {
    const now = isoNow(clock);
    const shared: TemplateColumns = {
      id,
      ...namedColumnsOf(given),
      built_in: builtIn,
      created_at: before?.created_at ?? now,
      created_by: before?.created_by ?? by,
      updated_at: now,
      updated_by: by,
    };
    return { ...shared, ...define() } as Row;
  }

  async function lockOwn(tx: Tx, id: string): Promise<Row> {
    const row = await lockTemplate(tx, table, id);
    if (row === undefined) throw errors.notFound(id);
    if (row.built_in === 1) throw errors.builtIn(id);
    return row;
  }

  async function write(tx: Tx, row: Row, before: Row | undefined): Promise<void> {
    if (before === undefined) await insertTemplate(tx, table, row);
    else await updateTemplate(tx, table, row.id, row);
    await area.stored?.(tx, row, before);
  }

  /** Writes a row if its name is free. If two take a name at the same time, the second violates the unique index. */
  async function writeNamed(prepare: (tx: Tx) => Promise<{ row: Row; before: Row | undefined }>): Promise<void> {
    let name = '';
    await refusingDuplicates(
      () =>
        db.write(async (tx) => {
          const { row, before } = await prepare(tx);
          ({ name } = row);
          const taken = await findTemplateNamed(tx, table, row.name_key, row.id);
          if (taken !== undefined) throw errors.alreadyExists(name);
          await write(tx, row, before);
        }),
      (options) => errors.alreadyExists(name, options),
    );
  }

  async function remove(tx: Tx, id: string): Promise<void> {
    await area.remove?.(tx, id);
    await deleteTemplate(tx, table, id);
  }

  return {
    async start() {
      const known = await Promise.all(area.builtIn.map((template) => area.prepare(template)));
      await db.write(async (tx) => {
        await lockName(tx, 'built-in templates');
        const stored = new Map((await listBuiltInTemplates(tx, table)).map((row) => [row.id, row]));
        for (const [index, template] of area.builtIn.entries()) {
          const before = stored.get(template.id);
          stored.delete(template.id);
          const define = (): OwnColumns<T> => area.define(template, before, known[index] as Known);
          const row = rowOf(template.id, template, define, { before, by: author, builtIn: 1 });
          if (before === undefined || !isSame(before, row)) await write(tx, row, before);
        }
        for (const id of stored.keys()) await remove(tx, id);
      });
    },

    async list(query) {
      const { keyword, type, builtIn } = query;
      const filter = {
        keyword: keyword === undefined || keyword === '' ? undefined : searchTextOf(keyword),
        type,
        builtIn,
      };
      const total = await countTemplates(db.scan, table, filter);
      const offset = offsetOf(query);
      if (offset >= total) return toPage([], query, total);
      const order = parseSort(namedOrderColumns, query.sort, { column: 'name_key', direction: 'asc' });
      const rows = await listTemplates(db.scan, table, filter, order, { limit: query.size, offset });
      return toPage(rows.map(toView), query, total);
    },

    async create(template, by) {
      const id = newId();
      const known = await area.prepare(template);
      await writeNamed(async () => {
        const define = (): OwnColumns<T> => area.define(template, undefined, known);
        return { row: rowOf(id, template, define, { before: undefined, by }), before: undefined };
      });
      return get(id);
    },

    get,

    async update(id, changes, by) {
      const known = await area.prepare(changes);
      await writeNamed(async (tx) => {
        const before = await lockOwn(tx, id);
        const texts = { name: changes.name ?? before.name, description: changes.description ?? before.description };
        return { row: rowOf(id, texts, () => area.change(before, changes, known), { before, by }), before };
      });
      return get(id);
    },

    async remove(id) {
      await db.write(async (tx) => {
        await lockOwn(tx, id);
        await remove(tx, id);
      });
    },

    find,
  };
}

/** Whether two rows have the same content, regardless of when and by whom they were written. */
function isSame(one: TemplateColumns, other: TemplateColumns): boolean {
  const { created_at: _created, updated_at: _updated, updated_by: _by, ...before } = one;
  return Object.entries(before).every(([column, value]) => other[column as keyof typeof before] === value);
}

function toTemplateFields(row: TemplateColumns): TemplateFields {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    builtIn: row.built_in === 1,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  };
}
