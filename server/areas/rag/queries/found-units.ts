import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../storage/database/database.ts';
import { prepared } from '../../../storage/database/prepared.ts';
import { dialectOf, jsonRowsOf, jsonRowsTable, keysTable } from '../../../storage/database/sql.ts';
import type { RagIndex } from './indexes.ts';

/** Which documents a search covers. */
export type DocumentConditions = {
  documentIds?: readonly string[] | undefined;
  datasetIds?: readonly string[] | undefined;
  fileTypes?: readonly string[] | undefined;
  /** Documents with any of these. */
  tags?: readonly string[] | undefined;
  /** Documents with all of these. */
  metadata?: Readonly<Record<string, string>> | undefined;
  createdAfter?: string | undefined;
  createdBefore?: string | undefined;
};

/** The units of the documents that meet all conditions. */
export async function listUnits(
  db: Db,
  { knowledgeBaseId, unitColumn }: RagIndex,
  conditions: DocumentConditions,
): Promise<number[]> {
  const unit = sql.ref(unitColumn);
  const { rows } = await sql<{ unit: number }>`select ${unit} as unit from rag_documents
    where knowledge_base_id = ${knowledgeBaseId} and ${unit} is not null
      and ${sql.join([sql`1 = 1`, ...partsOf(db, conditions)], sql` and `)} order by ${unit}`.execute(db);
  return rows.map(({ unit }) => unit);
}

function partsOf(db: Db, given: DocumentConditions): RawBuilder<unknown>[] {
  const parts: RawBuilder<unknown>[] = [];
  const isPostgres = dialectOf(db) === 'postgres';
  const oneOf = (column: RawBuilder<unknown>, values: readonly string[] | undefined): void => {
    if (values !== undefined) parts.push(sql`${column} in ${keysTable(db, values)}`);
  };
  oneOf(sql`id`, given.documentIds);
  oneOf(sql`dataset_id`, given.datasetIds);
  oneOf(
    sql`file_type`,
    given.fileTypes?.map((type) => type.toLowerCase()),
  );
  if (given.tags !== undefined) {
    const elements = isPostgres
      ? sql`select value from jsonb_array_elements_text(tags::jsonb) as list(value)`
      : sql`select value from json_each(tags)`;
    parts.push(sql`exists (select 1 from (${elements}) as tag where tag.value in ${keysTable(db, given.tags)})`);
  }
  for (const [key, value] of Object.entries(given.metadata ?? {})) {
    const members = isPostgres
      ? sql`select key, value from jsonb_each_text(metadata::jsonb) as members(key, value)`
      : sql`select key, value from json_each(metadata)`;
    parts.push(
      sql`exists (select 1 from (${members}) as member where member.key = ${key} and member.value = ${value})`,
    );
  }
  if (given.createdAfter !== undefined) parts.push(sql`created_at >= ${given.createdAfter}`);
  if (given.createdBefore !== undefined) parts.push(sql`created_at < ${given.createdBefore}`);
  return parts;
}

const unitColumns = { unit: 'integer' } as const;

type FoundDocument = { id: string; name: string; unit: number; created_at: string };

// SQLite keeps the order of a cross join; the reverse order would read all documents of the knowledge base.
const readDocumentsBy = (column: RagIndex['unitColumn']) =>
  prepared<{ knowledgeBaseId: string; units: string }, FoundDocument>((db, p) => {
    const unit = sql.ref(`rag_documents.${column}`);
    return sql`select rag_documents.id, rag_documents.name, rag_documents.created_at, ${unit} as unit
      from ${jsonRowsTable(db, unitColumns, p('units'), 'wanted')} cross join rag_documents
      where rag_documents.knowledge_base_id = ${p('knowledgeBaseId')} and ${unit} = wanted.unit`;
  });
const readDocuments = { unit: readDocumentsBy('unit'), next_unit: readDocumentsBy('next_unit') };

/** The searchable documents of these units of an index. */
export async function findDocumentsOfUnits(
  db: Db,
  { knowledgeBaseId, unitColumn }: RagIndex,
  units: readonly number[],
): Promise<FoundDocument[]> {
  if (units.length === 0) return [];
  const rows = units.map((unit) => ({ unit }));
  return readDocuments[unitColumn](db, { knowledgeBaseId, units: jsonRowsOf(unitColumns, rows) });
}

/** All searchable units of an index, with their number of chunks. */
export async function listFoundUnits(
  db: Db,
  { knowledgeBaseId, unitColumn }: RagIndex,
): Promise<{ unit: number; document_id: string; chunks: number }[]> {
  const rows = await db
    .selectFrom('rag_documents')
    .select(['id', `${unitColumn} as unit`, unitColumn === 'unit' ? 'chunks' : 'next_chunks as chunks'])
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where(unitColumn, 'is not', null)
    .orderBy(unitColumn)
    .execute();
  return rows.flatMap(({ id, unit, chunks }) => (unit === null ? [] : [{ unit, document_id: id, chunks }]));
}

const revisionColumns = { unit: 'found_revision', next_unit: 'next_found_revision' } as const;

function foundSince({ knowledgeBaseId, unitColumn }: RagIndex, revision: number): RawBuilder<unknown> {
  const column = sql.ref(revisionColumns[unitColumn]);
  // The last condition makes the query match the partial index.
  return sql`rag_documents where knowledge_base_id = ${knowledgeBaseId} and ${column} > ${revision} and ${column} > 0
    and ${sql.ref(unitColumn)} is not null`;
}

export type FoundUnit = { unit: number; chunks: number; revision: number };

/** The units of an index that became searchable after a revision, in order of revision. */
export async function listFoundSince(
  db: Db,
  index: RagIndex,
  { revision, limit }: { revision: number; limit: number },
): Promise<FoundUnit[]> {
  const chunks = sql.ref(index.unitColumn === 'unit' ? 'chunks' : 'next_chunks');
  const number = sql.ref(revisionColumns[index.unitColumn]);
  const { rows } = await sql<FoundUnit>`select ${sql.ref(index.unitColumn)} as unit, ${chunks} as chunks,
    ${number} as revision from ${foundSince(index, revision)} order by ${number} limit ${limit}`.execute(db);
  return rows;
}

export async function countFoundSince(db: Db, index: RagIndex, revision: number): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${foundSince(index, revision)}`.execute(
    db,
  );
  return rows[0]?.total ?? 0;
}
