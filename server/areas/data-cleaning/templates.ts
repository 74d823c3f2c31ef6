import { isoNow, type Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { offsetOf, parseSort, toPage, type Page } from '../../kernel/page.ts';
import { searchTextOf } from '../../kernel/search-text.ts';
import { parseName, parseText } from '../../kernel/text-fields.ts';
import type { Operator } from '../../operators/index.ts';
import { lockName } from '../../storage/database/named-lock.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import { refusingDuplicates } from '../../storage/database/sql.ts';
import type { CleaningTemplatesTable } from '../../storage/database/tables/data-cleaning.ts';
import { builtInTemplates, type BuiltInTemplate } from './built-in-templates.ts';
import { cleaningErrors } from './errors.ts';
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
  upsertTemplate,
  type TemplateOrder,
} from './queries/templates.ts';
import type { NewStep } from './schemas/tasks.ts';
import type { StepOperators } from './step-operators.ts';
import { parseSteps } from './steps.ts';
import type {
  NewTemplate,
  Template,
  TemplateChanges,
  TemplatesQuery,
  templateSortFields,
} from './schemas/templates.ts';

/** Named lists of steps. */
export type Templates = {
  /** Updates the built-in templates. */
  start(): Promise<void>;
  list(query: TemplatesQuery): Promise<Page<Template>>;
  /** Throws INVALID_PARAMETER, TEMPLATE_ALREADY_EXISTS. */
  create(template: NewTemplate, by: string): Promise<Template>;
  /** Throws TEMPLATE_NOT_FOUND, as all that take an id do. */
  get(id: string): Promise<Template>;
  /** Throws TEMPLATE_BUILT_IN, TEMPLATE_ALREADY_EXISTS. */
  update(id: string, changes: TemplateChanges, by: string): Promise<Template>;
  /** Throws TEMPLATE_BUILT_IN. Tasks created from it keep their steps. */
  remove(id: string): Promise<void>;
};

const orderColumns: Readonly<Record<(typeof templateSortFields)[number], TemplateOrder['column']>> = {
  name: 'name_key',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
};

type Definition = Pick<CleaningTemplatesTable, 'name' | 'name_key' | 'description' | 'search_text' | 'steps'>;

export function createTemplates({
  db,
  clock,
  operators,
  catalogue,
  builtIn = builtInTemplates,
}: {
  db: Database;
  clock: Clock;
  operators: readonly Operator[];
  catalogue: StepOperators;
  builtIn?: readonly BuiltInTemplate[];
}): Templates {
  function define({ name, description, steps }: Required<NewTemplate>, usable = operators): Definition {
    const named = parseName('name', name, 100);
    const described = parseText('description', description, 500);
    return {
      name: named,
      name_key: searchTextOf(named),
      description: described,
      // U+FFFF is not a character: no keyword matches across name and description.
      search_text: searchTextOf(`${named}\uFFFF${described}`),
      steps: JSON.stringify(templateSteps(steps, usable)),
    };
  }

  /** Steps with complete parameters; a version is pinned if requested. */
  function templateSteps(steps: readonly NewStep[], usable: readonly Operator[]): Template['steps'] {
    return parseSteps(usable, steps).map(({ operatorId, params }, index) => {
      const version = steps[index]?.version;
      return { operatorId, ...(version === undefined ? {} : { version }), params: { ...params } };
    });
  }

  async function get(id: string): Promise<Template> {
    const row = await findTemplate(db.read, id);
    if (row === undefined) throw cleaningErrors.TEMPLATE_NOT_FOUND({ id });
    return toTemplate(row);
  }

  async function lockOwn(tx: Tx, id: string): Promise<CleaningTemplatesTable> {
    const row = await lockTemplate(tx, id);
    if (row === undefined) throw cleaningErrors.TEMPLATE_NOT_FOUND({ id });
    if (row.built_in === 1) throw cleaningErrors.TEMPLATE_BUILT_IN({ id });
    return row;
  }

  /** Writes a definition; no other template may have its name. */
  async function writeNamed(
    id: string,
    prepare: (tx: Tx) => Promise<Definition> | Definition,
    write: (tx: Tx, definition: Definition) => Promise<void>,
  ): Promise<void> {
    let name = '';
    await refusingDuplicates(
      () =>
        db.write(async (tx) => {
          const definition = await prepare(tx);
          ({ name } = definition);
          const taken = await findTemplateNamed(tx, definition.name_key, id);
          if (taken !== undefined) throw cleaningErrors.TEMPLATE_ALREADY_EXISTS({ name });
          await write(tx, definition);
        }),
      (options) => cleaningErrors.TEMPLATE_ALREADY_EXISTS({ name }, options),
    );
  }

  return {
    async start() {
      const now = isoNow(clock);
      await db.write(async (tx) => {
        await lockName(tx, 'built-in templates');
        const before = new Map((await listBuiltInTemplates(tx)).map((row) => [row.id, row]));
        for (const template of builtIn) {
          const definition = define(template);
          const known = before.get(template.id);
          before.delete(template.id);
          if (known !== undefined && isSame(known, definition)) continue;
          const stamps = { created_at: now, created_by: author, updated_at: now, updated_by: author };
          await upsertTemplate(tx, { id: template.id, ...definition, built_in: 1, ...stamps });
        }
        for (const id of before.keys()) await deleteTemplate(tx, id);
      });
    },

    async list(query) {
      const { keyword, builtIn: onlyBuiltIn } = query;
      const filter = {
        keyword: keyword === undefined || keyword === '' ? undefined : searchTextOf(keyword),
        builtIn: onlyBuiltIn,
      };
      const total = await countTemplates(db.scan, filter);
      const offset = offsetOf(query);
      if (offset >= total) return toPage([], query, total);
      const order = parseSort(orderColumns, query.sort, { column: 'name_key', direction: 'asc' });
      const rows = await listTemplates(db.scan, filter, order, { limit: query.size, offset });
      return toPage(rows.map(toTemplate), query, total);
    },

    async create(template, by) {
      const id = newId();
      const now = isoNow(clock);
      const stamps = { created_at: now, created_by: by, updated_at: now, updated_by: by };
      const usable = await catalogue.operatorsFor(template.steps);
      await writeNamed(
        id,
        () => define({ description: '', ...template }, usable),
        (tx, definition) => insertTemplate(tx, { id, ...definition, built_in: 0, ...stamps }),
      );
      return get(id);
    },

    get,

    async update(id, changes, by) {
      const usable = await catalogue.operatorsFor(changes.steps ?? []);
      await writeNamed(
        id,
        async (tx) => {
          const row = await lockOwn(tx, id);
          const { name, description } = toTemplate(row);
          const definition = define({ name, description, ...changes, steps: changes.steps ?? [] }, usable);
          // Unchanged steps are not validated again: their operators may have changed, which is reported when the template is
          // used.
          return changes.steps === undefined ? { ...definition, steps: row.steps } : definition;
        },
        (tx, definition) => updateTemplate(tx, id, { ...definition, updated_at: isoNow(clock), updated_by: by }),
      );
      return get(id);
    },

    async remove(id) {
      await db.write(async (tx) => {
        await lockOwn(tx, id);
        await deleteTemplate(tx, id);
      });
    },
  };
}

const author = 'Tilth';

function isSame(row: CleaningTemplatesTable, definition: Definition): boolean {
  return row.name === definition.name && row.description === definition.description && row.steps === definition.steps;
}

function toTemplate(row: CleaningTemplatesTable): Template {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    steps: JSON.parse(row.steps) as Template['steps'],
    builtIn: row.built_in === 1,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  };
}
