import type { Db, Tx } from '../../../storage/database/database.ts';
import type { SynthesisTemplateVersionsTable } from '../../../storage/database/tables/data-synthesis.ts';

export async function insertTemplateVersion(tx: Tx, row: SynthesisTemplateVersionsTable): Promise<void> {
  await tx.insertInto('synthesis_template_versions').values(row).execute();
}

export async function deleteTemplateVersions(tx: Tx, templateId: string): Promise<void> {
  await tx.deleteFrom('synthesis_template_versions').where('template_id', '=', templateId).execute();
}

export async function findTemplateVersion(
  db: Db,
  id: string,
  version: number,
): Promise<SynthesisTemplateVersionsTable | undefined> {
  return db
    .selectFrom('synthesis_template_versions')
    .selectAll()
    .where('template_id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst();
}

/** Newest first. */
export async function listTemplateVersions(
  db: Db,
  id: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<SynthesisTemplateVersionsTable[]> {
  return db
    .selectFrom('synthesis_template_versions')
    .selectAll()
    .where('template_id', '=', id)
    .orderBy('version', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}
