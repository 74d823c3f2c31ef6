import { sql } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { prepared } from '../../../storage/database/prepared.ts';

/** An index of a knowledge base: the current one, or the one that a rebuild makes. */
export type RagIndex = {
  knowledgeBaseId: string;
  indexId: string;
  embeddingModel: string;
  /** JSON. */
  chunking: string;
  /** Null until the first text was embedded. */
  dimensions: number | null;
  /** The column of documents that names their unit in this index. */
  unitColumn: 'unit' | 'next_unit';
  /** Grows with each indexed document; 0 for a rebuild. */
  revision: number;
  /** The latest revision of a searchable document; 0 unless nodes follow each other. */
  foundRevision: number;
};

const columns = ['index_id', 'embedding_model', 'chunking', 'dimensions', 'found_revision'] as const;

type IndexRow = {
  index_id: string;
  embedding_model: string;
  chunking: string;
  dimensions: number | null;
  found_revision: number;
  last_unit?: number;
};

const readCurrentIndex = prepared<{ id: string }, IndexRow>((db, p) =>
  db
    .selectFrom('knowledge_bases')
    .select([...columns, 'last_unit'])
    .where('id', '=', p('id')),
);

/** The current index; undefined if the knowledge base does not exist. */
export async function findCurrentIndex(db: Db, knowledgeBaseId: string): Promise<RagIndex | undefined> {
  const [row] = await readCurrentIndex(db, { id: knowledgeBaseId });
  return row === undefined ? undefined : indexOf(knowledgeBaseId, row, 'unit');
}

/** The index that a rebuild is making; undefined without a rebuild. */
export async function findNextIndex(db: Db, knowledgeBaseId: string): Promise<RagIndex | undefined> {
  const row = await db
    .selectFrom('rag_rebuilds')
    .select(columns)
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .executeTakeFirst();
  return row === undefined ? undefined : indexOf(knowledgeBaseId, row, 'next_unit');
}

/** The current index of a knowledge base, and that of its rebuild if there is one. */
export async function listIndexes(db: Db, knowledgeBaseId: string): Promise<RagIndex[]> {
  const found = [await findCurrentIndex(db, knowledgeBaseId), await findNextIndex(db, knowledgeBaseId)];
  return found.filter((index) => index !== undefined);
}

/** The indexes of all knowledge bases. */
export async function listAllIndexes(db: Db): Promise<RagIndex[]> {
  // Current ones first: an index that a rebuild switches to in between is listed twice rather than never.
  const current = await db
    .selectFrom('knowledge_bases')
    .select([...columns, 'last_unit', 'id'])
    .orderBy('id')
    .execute();
  const next = await db
    .selectFrom('rag_rebuilds')
    .select([...columns, 'knowledge_base_id as id'])
    .orderBy('id')
    .execute();
  return [
    ...current.map((row) => indexOf(row.id, row, 'unit')),
    ...next.map((row) => indexOf(row.id, row, 'next_unit')),
  ];
}

const raiseCurrent = prepared<{ id: string }, { found_revision: number }>(
  (_, p) => sql`update knowledge_bases set found_revision = found_revision + 1
    where id = ${p('id')} returning found_revision`,
);
const raiseNext = prepared<{ id: string }, { found_revision: number }>(
  (_, p) => sql`update rag_rebuilds set found_revision = found_revision + 1
    where knowledge_base_id = ${p('id')} returning found_revision`,
);

/** The next revision in a locked index; the lock makes revisions commit in order. */
export async function nextFoundRevision(tx: Tx, { knowledgeBaseId, unitColumn }: RagIndex): Promise<number> {
  const [row] = await (unitColumn === 'unit' ? raiseCurrent : raiseNext)(tx, { id: knowledgeBaseId });
  if (row === undefined) throw new Error('An index that is locked is gone');
  return row.found_revision;
}

/** Whether a knowledge base or a rebuild uses the index. */
export async function isInUse(db: Db, indexId: string): Promise<boolean> {
  for (const table of ['knowledge_bases', 'rag_rebuilds'] as const) {
    const row = await db.selectFrom(table).select('index_id').where('index_id', '=', indexId).executeTakeFirst();
    if (row !== undefined) return true;
  }
  return false;
}

/** Finds an index by its id; undefined if it is no longer in use, or not in the same role. */
export async function findIndex(
  db: Db,
  { knowledgeBaseId, indexId, unitColumn }: Pick<RagIndex, 'knowledgeBaseId' | 'indexId' | 'unitColumn'>,
): Promise<RagIndex | undefined> {
  const find = unitColumn === 'unit' ? findCurrentIndex : findNextIndex;
  const index = await find(db, knowledgeBaseId);
  return index?.indexId === indexId ? index : undefined;
}

export async function setDimensions(tx: Tx, { indexId, unitColumn }: RagIndex, dimensions: number): Promise<void> {
  await tx
    .updateTable(unitColumn === 'unit' ? 'knowledge_bases' : 'rag_rebuilds')
    .set({ dimensions })
    .where('index_id', '=', indexId)
    .execute();
}

function indexOf(knowledgeBaseId: string, row: IndexRow, unitColumn: RagIndex['unitColumn']): RagIndex {
  return {
    knowledgeBaseId,
    indexId: row.index_id,
    embeddingModel: row.embedding_model,
    chunking: row.chunking,
    dimensions: row.dimensions,
    unitColumn,
    revision: row.last_unit ?? 0,
    foundRevision: row.found_revision,
  };
}
