import { sql } from 'kysely';
import type { VersionSpan } from '../../../runs/index.ts';
import type { Db } from '../../../storage/database/database.ts';
import { keysTable, rowsTable } from '../../../storage/database/sql.ts';

/** A dataset version that a knowledge base holds documents of. */
export type HeldVersion = {
  datasetId: string;
  version: number;
  documents: number;
  knowledgeBase: { id: string; name: string; embeddingModel: string };
};

/** Knowledge bases that hold documents of these dataset versions, and how many; ordered by name. */
export async function listIndexedVersions(
  db: Db,
  spans: readonly VersionSpan[],
  limit: number,
): Promise<HeldVersion[]> {
  const rows = rowsTable(
    db,
    { dataset: 'text', low: 'integer', high: 'integer' },
    spans.map(({ datasetId, from, to }) => ({ dataset: datasetId, low: from ?? null, high: to ?? null })),
    'spans',
  );
  const found =
    await sql<HeldVersionRow>`select dataset_id, dataset_version, documents, knowledge_bases.id, name, embedding_model from (
      select knowledge_base_id, dataset_id, dataset_version, count(distinct rag_documents.id) as documents
      from rag_documents join ${rows} on spans.dataset = rag_documents.dataset_id
      where dataset_version >= coalesce(spans.low, 0) and dataset_version <= coalesce(spans.high, dataset_version)
      group by knowledge_base_id, dataset_id, dataset_version) as held
    join knowledge_bases on knowledge_bases.id = held.knowledge_base_id
    order by name, knowledge_bases.id, dataset_id, dataset_version limit ${limit}`.execute(db);
  return found.rows.map(toHeldVersion);
}

/** The dataset versions whose documents are in a knowledge base, or in any that embeds with one of the models. */
export async function listHeldVersions(
  db: Db,
  of: { knowledgeBase: string } | { models: readonly string[] },
  limit: number,
): Promise<HeldVersion[]> {
  const chosen =
    'models' in of
      ? sql`knowledge_bases.embedding_model in ${keysTable(db, of.models)}`
      : sql`knowledge_bases.id = ${of.knowledgeBase}`;
  const found =
    await sql<HeldVersionRow>`select dataset_id, dataset_version, count(distinct rag_documents.id) as documents,
      knowledge_bases.id as id, knowledge_bases.name as name, embedding_model
    from knowledge_bases join rag_documents on rag_documents.knowledge_base_id = knowledge_bases.id
    where ${chosen} and dataset_id is not null and dataset_version is not null
    group by knowledge_bases.id, knowledge_bases.name, embedding_model, dataset_id, dataset_version
    order by knowledge_bases.name, knowledge_bases.id, dataset_id, dataset_version limit ${limit}`.execute(db);
  return found.rows.map(toHeldVersion);
}

type HeldVersionRow = {
  dataset_id: string;
  dataset_version: number;
  documents: number;
  id: string;
  name: string;
  embedding_model: string;
};

const toHeldVersion = (row: HeldVersionRow): HeldVersion => ({
  datasetId: row.dataset_id,
  version: row.dataset_version,
  documents: row.documents,
  knowledgeBase: { id: row.id, name: row.name, embeddingModel: row.embedding_model },
});
