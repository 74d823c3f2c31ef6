import type { Db, Tx } from '../../../storage/database/database.ts';
import { prepared } from '../../../storage/database/prepared.ts';

/** An index of a knowledge base: the one that searches ask, or the one that a rebuild makes. */
export type RagIndex = {
  knowledgeBaseId: string;
  indexId: string;
  embeddingModel: string;
  /** JSON. */
  chunking: string;
  /** Null until the first text was embedded. */
  dimensions: number | null;
  /** The column of documents with their unit in this index. */
  unitColumn: 'unit' | 'next_unit';
  /** Grows with each document that is indexed; 0 for a rebuild. */
  revision: number;
};

const columns = ['index_id', 'embedding_model', 'chunking', 'dimensions'] as const;

type IndexRow = {
  index_id: string;
  embedding_model: string;
  chunking: string;
  dimensions: number | null;
  last_unit?: number;
};

const readCurrentIndex = prepared<{ id: string }, IndexRow>((db, p) =>
  db
    .selectFrom('knowledge_bases')
    .select([...columns, 'last_unit'])
    .where('id', '=', p('id')),
);

/** The index in use; undefined if the knowledge base does not exist. */
export async function findCurrentIndex(db: Db, knowledgeBaseId: string): Promise<RagIndex | undefined> {
  const [row] = await readCurrentIndex(db, { id: knowledgeBaseId });
  return row === undefined ? undefined : indexOf(knowledgeBaseId, row, 'unit');
}

/** The index that a rebuild makes; undefined without one. */
export async function findNextIndex(db: Db, knowledgeBaseId: string): Promise<RagIndex | undefined> {
  const row = await db
    .selectFrom('rag_rebuilds')
    .select(columns)
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .executeTakeFirst();
  return row === undefined ? undefined : indexOf(knowledgeBaseId, row, 'next_unit');
}

/** Both indexes of a knowledge base, or the one that it has. */
export async function listIndexes(db: Db, knowledgeBaseId: string): Promise<RagIndex[]> {
  const found = [await findCurrentIndex(db, knowledgeBaseId), await findNextIndex(db, knowledgeBaseId)];
  return found.filter((index) => index !== undefined);
}

/** Whether any knowledge base has the index. */
export async function isInUse(db: Db, indexId: string): Promise<boolean> {
  for (const table of ['knowledge_bases', 'rag_rebuilds'] as const) {
    const row = await db.selectFrom(table).select('index_id').where('index_id', '=', indexId).executeTakeFirst();
    if (row !== undefined) return true;
  }
  return false;
}

/** An index by its id; undefined if it is in use no more, or not any longer for the same. */
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
  };
}
