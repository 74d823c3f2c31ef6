import type { Clock } from '../../kernel/clock.ts';
import { offsetOf, toPage, type Page } from '../../kernel/page.ts';
import type { Models } from '../../models/index.ts';
import type { Database, Db } from '../../storage/database/database.ts';
import type { SynthesisTemplatesTable } from '../../storage/database/tables/templates.ts';
import { createTemplates, type Templates } from '../../tasks/index.ts';
import { builtInTemplates } from './built-in-templates.ts';
import type { RecordColumn } from './schemas/columns.ts';
import { checkColumnModels } from './chat-models.ts';
import { synthesisErrors } from './errors.ts';
import {
  deleteTemplateVersions,
  findTemplateVersion,
  insertTemplateVersion,
  listTemplateVersions,
} from './queries/template-versions.ts';
import { parseTemplate, withChanges } from './template-definition.ts';
import type {
  InstructionDefinition,
  InstructionFields,
  InstructionVersion,
  InstructionVersionsQuery,
  NewInstructionTemplate,
} from './schemas/templates.ts';

/**
 * Instruction templates; each changed definition becomes a new version. Throws SYNTHESIS_TEMPLATE_NOT_FOUND,
 * SYNTHESIS_TEMPLATE_BUILT_IN, SYNTHESIS_TEMPLATE_ALREADY_EXISTS.
 */
export type InstructionTemplates = Templates<'synthesis_templates', NewInstructionTemplate, InstructionFields> & {
  /** Newest first. */
  listVersions(id: string, query: InstructionVersionsQuery): Promise<Page<InstructionVersion>>;
  /** The definition of a version, by default the latest. Throws SYNTHESIS_TEMPLATE_VERSION_NOT_FOUND. */
  definitionOf(
    db: Db,
    id: string,
    version?: number,
  ): Promise<{ name: string; version: number; definition: InstructionDefinition }>;
};

export function createInstructionTemplates({
  db,
  clock,
  models,
}: {
  db: Database;
  clock: Clock;
  models: Pick<Models, 'registry'>;
}): InstructionTemplates {
  const templates = createTemplates<'synthesis_templates', NewInstructionTemplate, InstructionFields, void>(
    { db, clock },
    {
      table: 'synthesis_templates',
      builtIn: builtInTemplates,
      errors: {
        notFound: (id) => synthesisErrors.SYNTHESIS_TEMPLATE_NOT_FOUND({ id }),
        builtIn: (id) => synthesisErrors.SYNTHESIS_TEMPLATE_BUILT_IN({ id }),
        alreadyExists: (name, options) => synthesisErrors.SYNTHESIS_TEMPLATE_ALREADY_EXISTS({ name }, options),
      },
      prepare: ({ columns }) => checkColumnModels(models, columns ?? []),
      define: (given, before) => versionOf(given, before),
      change(before, changes) {
        const definition = JSON.parse(before.definition) as InstructionDefinition;
        return versionOf({ name: before.name, ...withChanges(definition, changes) }, before);
      },
      async stored(tx, { id, version, definition, updated_at: created_at, updated_by: created_by }, before) {
        if (before?.version === version) return;
        await insertTemplateVersion(tx, { template_id: id, version, definition, created_at, created_by });
      },
      remove: deleteTemplateVersions,
      show: ({ definition, version }) => ({ ...shown(definition), version }),
    },
  );
  return {
    ...templates,

    async listVersions(id, query) {
      const { version: total } = await templates.get(id);
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
      const row = await templates.find(connection, id);
      const wanted = version ?? row.version;
      const found = await findTemplateVersion(connection, id, wanted);
      if (found === undefined) throw synthesisErrors.SYNTHESIS_TEMPLATE_VERSION_NOT_FOUND({ id, version: wanted });
      return { name: row.name, version: wanted, definition: JSON.parse(found.definition) as InstructionDefinition };
    },
  };
}

/** Checks a definition; a changed one gets the next version number. */
function versionOf(
  given: NewInstructionTemplate,
  before: SynthesisTemplatesTable | undefined,
): Pick<SynthesisTemplatesTable, 'type' | 'version' | 'definition'> {
  const parsed = parseTemplate(given);
  const definition = JSON.stringify(parsed);
  const changed = before?.definition === definition ? 0 : 1;
  return { type: parsed.type, definition, version: (before?.version ?? 0) + changed };
}

type ShownDefinition = Omit<InstructionDefinition, 'columns'> & { columns: RecordColumn[] | null };

function shown(definition: string): ShownDefinition {
  const { columns = null, ...rest } = JSON.parse(definition) as InstructionDefinition;
  return { ...rest, columns };
}
