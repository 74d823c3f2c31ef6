import { isoNow, type Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { offsetOf, parseSort, toPage, type Page } from '../../kernel/page.ts';
import { searchTextOf } from '../../kernel/search-text.ts';
import { parseName, parseText } from '../../kernel/text-fields.ts';
import type { Models } from '../../models/index.ts';
import { lockName } from '../../storage/database/named-lock.ts';
import type { Database, Db, Tx } from '../../storage/database/database.ts';
import { refusingDuplicates } from '../../storage/database/sql.ts';
import type { SynthesisTemplatesTable } from '../../storage/database/tables/data-synthesis.ts';
import { builtInTemplates, type BuiltInInstruction } from './built-in-templates.ts';
import type { RecordColumn } from './schemas/columns.ts';
import { checkColumnModels } from './chat-models.ts';
import { synthesisErrors } from './errors.ts';
import {
  countTemplates,
  deleteTemplate,
  findTemplate,
  findTemplateNamed,
  findTemplateVersion,
  insertTemplate,
  insertTemplateVersion,
  listBuiltInTemplates,
  listTemplates,
  listTemplateVersions,
  lockTemplate,
  updateTemplate,
  type InstructionOrder,
} from './queries/templates.ts';
import { parseTemplate, withChanges } from './template-definition.ts';
import type {
  NewInstructionTemplate,
  InstructionTemplate,
  InstructionChanges,
  InstructionDefinition,
  InstructionsQuery,
  InstructionVersion,
  InstructionVersionsQuery,
  templateSortFields,
} from './schemas/templates.ts';

/** Instruction templates. All that take an id throw SYNTHESIS_TEMPLATE_NOT_FOUND. */
export type InstructionTemplates = {
  /** Updates the built-in templates. */
  start(): Promise<void>;
  list(query: InstructionsQuery): Promise<Page<InstructionTemplate>>;
  /** Throws INVALID_PARAMETER, SYNTHESIS_TEMPLATE_ALREADY_EXISTS. */
  create(template: NewInstructionTemplate, by: string): Promise<InstructionTemplate>;
  get(id: string): Promise<InstructionTemplate>;
  /** Makes the next version, unless only the name or description changes. Throws SYNTHESIS_TEMPLATE_BUILT_IN. */
  update(id: string, changes: InstructionChanges, by: string): Promise<InstructionTemplate>;
  /** Tasks keep their copy of it. Throws SYNTHESIS_TEMPLATE_BUILT_IN. */
  remove(id: string): Promise<void>;
  /** Newest first. */
  listVersions(id: string, query: InstructionVersionsQuery): Promise<Page<InstructionVersion>>;
  /** What makes records, by default in the latest version. Throws SYNTHESIS_TEMPLATE_VERSION_NOT_FOUND. */
  definitionOf(
    db: Db,
    id: string,
    version?: number,
  ): Promise<{ name: string; version: number; definition: InstructionDefinition }>;
};

const author = 'Tilth';

export function createTemplates({
  db,
  clock,
  models,
  builtIn = builtInTemplates,
}: {
  db: Database;
  clock: Clock;
  models: Pick<Models, 'registry'>;
  builtIn?: readonly BuiltInInstruction[];
}): InstructionTemplates {
  async function get(id: string): Promise<InstructionTemplate> {
    const row = await findTemplate(db.read, id);
    if (row === undefined) throw synthesisErrors.SYNTHESIS_TEMPLATE_NOT_FOUND({ id });
    return toTemplate(row);
  }

  async function lockOwn(tx: Tx, id: string): Promise<SynthesisTemplatesTable> {
    const row = await lockTemplate(tx, id);
    if (row === undefined) throw synthesisErrors.SYNTHESIS_TEMPLATE_NOT_FOUND({ id });
    if (row.built_in === 1) throw synthesisErrors.SYNTHESIS_TEMPLATE_BUILT_IN({ id });
    return row;
  }

  async function checkName(tx: Tx, { name, name_key: key }: Words, id: string): Promise<void> {
    const taken = await findTemplateNamed(tx, key, id);
    if (taken !== undefined) throw synthesisErrors.SYNTHESIS_TEMPLATE_ALREADY_EXISTS({ name });
  }

  /** Of two that take a name at once, one violates the index. */
  async function writeNamed(name: string, work: (tx: Tx) => Promise<void>): Promise<void> {
    await refusingDuplicates(
      () => db.write(work),
      (options) => synthesisErrors.SYNTHESIS_TEMPLATE_ALREADY_EXISTS({ name }, options),
    );
  }

  /** Inserts or changes a template; another definition is another version. */
  async function write(
    tx: Tx,
    row: SynthesisTemplatesTable,
    before: SynthesisTemplatesTable | undefined,
  ): Promise<void> {
    if (before === undefined) await insertTemplate(tx, row);
    else await updateTemplate(tx, row.id, row);
    if (before?.version === row.version) return;
    const { id, version, definition, updated_at: createdAt, updated_by: createdBy } = row;
    await insertTemplateVersion(tx, {
      template_id: id,
      version,
      definition,
      created_at: createdAt,
      created_by: createdBy,
    });
  }

  return {
    async start() {
      const now = isoNow(clock);
      await db.write(async (tx) => {
        await lockName(tx, 'built-in templates');
        const before = new Map((await listBuiltInTemplates(tx)).map((row) => [row.id, row]));
        for (const { id, ...template } of builtIn) {
          const known = before.get(id);
          before.delete(id);
          const row = rowOf(id, template, known, { now, by: author, builtIn: 1 });
          if (known?.version === row.version && known.search_text === row.search_text) continue;
          await write(tx, row, known);
        }
        for (const id of before.keys()) await deleteTemplate(tx, id);
      });
    },

    async list(query) {
      const { keyword, type, builtIn: onlyBuiltIn } = query;
      const filter = {
        keyword: keyword === undefined || keyword === '' ? undefined : searchTextOf(keyword),
        type,
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
      await checkColumnModels(models, template.columns ?? []);
      const row = rowOf(newId(), template, undefined, { now: isoNow(clock), by, builtIn: 0 });
      await writeNamed(row.name, async (tx) => {
        await checkName(tx, row, row.id);
        await write(tx, row, undefined);
      });
      return toTemplate(row);
    },

    get,

    async update(id, changes, by) {
      await checkColumnModels(models, changes.columns ?? []);
      await writeNamed(changes.name ?? '', async (tx) => {
        const before = await lockOwn(tx, id);
        const { name, description } = before;
        const merged = withChanges(JSON.parse(before.definition) as InstructionDefinition, changes);
        const given = { name, description, ...merged };
        const row = rowOf(id, given, before, { now: isoNow(clock), by, builtIn: 0 });
        await checkName(tx, row, id);
        await write(tx, row, before);
      });
      return get(id);
    },

    async remove(id) {
      await db.write(async (tx) => {
        await lockOwn(tx, id);
        await deleteTemplate(tx, id);
      });
    },

    async listVersions(id, query) {
      const { version: total } = await get(id);
      const rows = await listTemplateVersions(db.read, id, { limit: query.size, offset: offsetOf(query) });
      return toPage(
        rows.map(({ version, definition, created_at: createdAt, created_by: createdBy }) => ({
          version,
          ...shown(definition),
          createdAt,
          createdBy,
        })),
        query,
        total,
      );
    },

    async definitionOf(connection, id, version) {
      const row = await findTemplate(connection, id);
      if (row === undefined) throw synthesisErrors.SYNTHESIS_TEMPLATE_NOT_FOUND({ id });
      const wanted = version ?? row.version;
      const found = await findTemplateVersion(connection, id, wanted);
      if (found === undefined) throw synthesisErrors.SYNTHESIS_TEMPLATE_VERSION_NOT_FOUND({ id, version: wanted });
      return { name: row.name, version: wanted, definition: JSON.parse(found.definition) as InstructionDefinition };
    },
  };
}

type Words = Pick<SynthesisTemplatesTable, 'name' | 'name_key'>;

function rowOf(
  id: string,
  given: NewInstructionTemplate,
  before: SynthesisTemplatesTable | undefined,
  { now, by, builtIn }: { now: string; by: string; builtIn: 0 | 1 },
): SynthesisTemplatesTable {
  const name = parseName('name', given.name, 100);
  const description = parseText('description', given.description ?? '', 500);
  const parsed = parseTemplate(given);
  const definition = JSON.stringify(parsed);
  const isSame = before?.definition === definition;
  return {
    id,
    name,
    name_key: searchTextOf(name),
    description,
    // U+FFFF is not a character: no keyword matches across name and description.
    search_text: searchTextOf(`${name}\uFFFF${description}`),
    type: parsed.type,
    version: before === undefined ? 1 : isSame ? before.version : before.version + 1,
    definition,
    built_in: builtIn,
    created_at: before?.created_at ?? now,
    created_by: before?.created_by ?? by,
    updated_at: now,
    updated_by: by,
  };
}

type ShownDefinition = Omit<InstructionDefinition, 'columns'> & { columns: RecordColumn[] | null };

function shown(definition: string): ShownDefinition {
  const { columns = null, ...rest } = JSON.parse(definition) as InstructionDefinition;
  return { ...rest, columns };
}

function toTemplate(row: SynthesisTemplatesTable): InstructionTemplate {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    ...shown(row.definition),
    version: row.version,
    builtIn: row.built_in === 1,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  };
}

const orderColumns: Readonly<Record<(typeof templateSortFields)[number], InstructionOrder['column']>> = {
  name: 'name_key',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
};
