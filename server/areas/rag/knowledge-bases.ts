import { isoNow, type Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { toPage, type Page } from '../../kernel/page.ts';
import { modelErrors, type Models } from '../../models/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import { isUniqueViolation } from '../../storage/database/sql.ts';
import type { KnowledgeBasesTable } from '../../storage/database/tables/rag.ts';
import type { VectorStore } from '../../storage/vectors/index.ts';
import type { Chunking } from '../../chunking/chunking.ts';
import { chunkingOf } from '../../chunking/chunking-settings.ts';
import type { RagDocuments } from './documents.ts';
import { ragErrors } from './errors.ts';
import { listSomeDocuments } from './queries/documents.ts';
import {
  countDocuments,
  deleteKnowledgeBase,
  findKnowledgeBase,
  insertKnowledgeBase,
  listKnowledgeBases,
  lockKnowledgeBase,
  updateKnowledgeBase,
} from './queries/knowledge-bases.ts';
import type { KnowledgeBaseChanges, KnowledgeBasesQuery, KnowledgeBaseView, NewKnowledgeBase } from './schemas.ts';

const defaultModel = 'builtin:hash-512';

export type KnowledgeBases = {
  create(given: NewKnowledgeBase, by: string): Promise<KnowledgeBaseView>;
  list(query: KnowledgeBasesQuery): Promise<Page<KnowledgeBaseView>>;
  get(id: string): Promise<KnowledgeBaseView>;
  /** Throws KNOWLEDGE_BASE_IN_USE for another model or chunking while there are documents. */
  change(id: string, changes: KnowledgeBaseChanges): Promise<KnowledgeBaseView>;
  /** Deletes it with all documents; searches find none of them from then on. */
  remove(id: string): Promise<void>;
};

export function createKnowledgeBases({
  db,
  clock,
  blobs,
  models,
  vectors,
  documents,
}: {
  db: Database;
  clock: Clock;
  blobs: BlobStore;
  models: Pick<Models, 'registry'>;
  vectors: VectorStore;
  documents: Pick<RagDocuments, 'erase'>;
}): KnowledgeBases {
  async function embeddingModel(reference: string): Promise<string> {
    const model = await models.registry.get(reference);
    if (model.kind !== 'EMBEDDING')
      throw modelErrors.MODEL_WRONG_KIND({ name: model.name, kind: model.kind, needed: 'EMBEDDING' });
    return model.builtIn ? model.name : model.id;
  }

  async function show(rows: readonly KnowledgeBasesTable[]): Promise<KnowledgeBaseView[]> {
    const counts = await countDocuments(
      db.read,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => {
      const own = counts.filter(({ knowledgeBaseId }) => knowledgeBaseId === row.id);
      return {
        id: row.id,
        name: row.name,
        description: row.description,
        embeddingModel: row.embedding_model,
        chunking: JSON.parse(row.chunking) as Chunking & { separators?: string[] },
        status: 'READY' as const,
        documentCount: own.reduce((sum, { documents: count }) => sum + count, 0),
        chunkCount: own.reduce((sum, { chunks }) => sum + chunks, 0),
        documentsByStatus: Object.fromEntries(own.map(({ status, documents: count }) => [status, count])),
        createdAt: row.created_at,
        createdBy: row.created_by,
        updatedAt: row.updated_at,
      };
    });
  }

  async function showOne(row: KnowledgeBasesTable): Promise<KnowledgeBaseView> {
    const [view] = await show([row]);
    if (view === undefined) throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id: row.id });
    return view;
  }

  /** A taken name as the error of the API. */
  async function write<T>(name: string | undefined, work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await db.write(work);
    } catch (error) {
      if (name !== undefined && isUniqueViolation(error))
        throw ragErrors.KNOWLEDGE_BASE_NAME_TAKEN({ name }, { cause: error });
      throw error;
    }
  }

  return {
    async create(given, by) {
      const now = isoNow(clock);
      const row: KnowledgeBasesTable = {
        id: newId(),
        name: given.name,
        description: given.description ?? '',
        embedding_model: await embeddingModel(given.embeddingModel ?? defaultModel),
        dimensions: null,
        chunking: JSON.stringify(chunkingOf(given.chunking)),
        last_unit: 0,
        created_at: now,
        created_by: by,
        updated_at: now,
      };
      await write(given.name, (tx) => insertKnowledgeBase(tx, row));
      return showOne(row);
    },

    async list({ page, size, keyword, sort = 'createdAt,desc' }) {
      const [field, direction] = sort.split(',') as ['name' | 'createdAt', 'asc' | 'desc'];
      const filter = { keyword: keyword?.toLowerCase(), sort: { field, direction } };
      const { rows, total } = await listKnowledgeBases(db.read, filter, { page, size });
      return toPage(await show(rows), { page, size }, total);
    },

    async get(id) {
      const row = await findKnowledgeBase(db.read, id);
      if (row === undefined) throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id });
      return showOne(row);
    },

    async change(id, { name, description, embeddingModel: model, chunking }) {
      const wanted = model === undefined ? undefined : await embeddingModel(model);
      const changed = await write(name, async (tx) => {
        const row = await lockKnowledgeBase(tx, id);
        if (row === undefined) throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id });
        const values: KnowledgeBasesTable = {
          ...row,
          name: name ?? row.name,
          description: description ?? row.description,
          embedding_model: wanted ?? row.embedding_model,
          chunking: JSON.stringify(
            chunking === undefined
              ? JSON.parse(row.chunking)
              : chunkingOf(chunking, JSON.parse(row.chunking) as Chunking),
          ),
          updated_at: isoNow(clock),
        };
        const isOther = values.embedding_model !== row.embedding_model || values.chunking !== row.chunking;
        if (isOther && (await listSomeDocuments(tx, id, 1)).length > 0) throw ragErrors.KNOWLEDGE_BASE_IN_USE();
        if (values.embedding_model !== row.embedding_model) values.dimensions = null;
        const { id: _id, ...fields } = values;
        await updateKnowledgeBase(tx, id, fields);
        return values;
      });
      return showOne(changed);
    },

    async remove(id) {
      const isGone = await db.write(async (tx) => {
        const row = await lockKnowledgeBase(tx, id);
        if (row === undefined) throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id });
        for (;;) {
          const some = await listSomeDocuments(tx, id, 200);
          if (some.length === 0) break;
          for (const document of some) await blobs.release(tx, await documents.erase(tx, document));
        }
        await deleteKnowledgeBase(tx, id);
        return true;
      });
      if (isGone) await vectors.drop(id);
    },
  };
}
