import { isoNow, type Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { parseSort, toPage, type Page } from '../../kernel/page.ts';
import { parseName } from '../../kernel/text-fields.ts';
import { modelErrors, type Models } from '../../models/index.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import { refusingDuplicates } from '../../storage/database/sql.ts';
import type { KnowledgeBasesTable, RagRebuildsTable } from '../../storage/database/tables/rag.ts';
import type { Chunking } from '../../chunking/chunking.ts';
import { chunkingOf } from '../../chunking/chunking-settings.ts';
import { createKnowledgeBaseViews } from './knowledge-base-views.ts';
import { ragErrors } from './errors.ts';
import { listSomeDocuments } from './queries/documents.ts';
import {
  deleteKnowledgeBase,
  findKnowledgeBase,
  insertKnowledgeBase,
  listKnowledgeBases,
  lockKnowledgeBase,
  updateKnowledgeBase,
} from './queries/knowledge-bases.ts';
import { findRebuild, insertDisposal, updateRebuild } from './queries/rebuilds.ts';
import type { Reconciliation } from './reconciliation.ts';
import type { Rebuilds } from './rebuilds.ts';
import type { WaitingForSpace } from './space-wait.ts';
import type {
  KnowledgeBaseChanges,
  KnowledgeBasesQuery,
  KnowledgeBaseView,
  NewKnowledgeBase,
} from './schemas/knowledge-bases.ts';

const defaultModel = 'builtin:hash-512';
const maxNameLength = 100;

const orderColumns = { name: 'name', createdAt: 'created_at' } as const;

export type KnowledgeBases = {
  create(given: NewKnowledgeBase, by: string): Promise<KnowledgeBaseView>;
  list(query: KnowledgeBasesQuery): Promise<Page<KnowledgeBaseView>>;
  get(id: string): Promise<KnowledgeBaseView>;
  /** Another model or chunking needs another index, which a rebuild makes while there are documents. */
  change(id: string, changes: KnowledgeBaseChanges, by: string): Promise<KnowledgeBaseView>;
  /** Takes effect at once; documents and chunks are deleted in the background. */
  remove(id: string): Promise<void>;
};

export function createKnowledgeBases({
  db,
  clock,
  models,
  rebuilds,
  reconciliation,
  waitingForSpace,
}: {
  db: Database;
  clock: Clock;
  models: Pick<Models, 'registry'>;
  rebuilds: Pick<Rebuilds, 'begin' | 'end' | 'wake'>;
  reconciliation: Pick<Reconciliation, 'isMadeAgain'>;
  waitingForSpace: Pick<WaitingForSpace, 'has'>;
}): KnowledgeBases {
  const { show, showOne } = createKnowledgeBaseViews({ db, reconciliation, waitingForSpace });

  async function embeddingModel(reference: string): Promise<string> {
    const model = await models.registry.get(reference);
    if (model.kind !== 'EMBEDDING')
      throw modelErrors.MODEL_WRONG_KIND({ name: model.name, kind: model.kind, needed: 'EMBEDDING' });
    return model.builtIn ? model.name : model.id;
  }

  /** Writes, and reports a taken name as the API's error. */
  async function write<T>(name: string | undefined, work: (tx: Tx) => Promise<T>): Promise<T> {
    if (name === undefined) return db.write(work);
    return refusingDuplicates(
      () => db.write(work),
      (options) => ragErrors.KNOWLEDGE_BASE_ALREADY_EXISTS({ name }, options),
    );
  }

  return {
    async create(given, by) {
      const name = parseName('name', given.name, maxNameLength);
      const now = isoNow(clock);
      const row: KnowledgeBasesTable = {
        id: newId(),
        name,
        description: given.description ?? '',
        embedding_model: await embeddingModel(given.embeddingModel ?? defaultModel),
        index_id: newId(),
        dimensions: null,
        chunking: JSON.stringify(chunkingOf(given.chunking)),
        last_unit: 0,
        found_revision: 0,
        created_at: now,
        created_by: by,
        updated_at: now,
      };
      await write(name, (tx) => insertKnowledgeBase(tx, row));
      return showOne(row);
    },

    async list({ page, size, keyword, sort }) {
      const order = parseSort(orderColumns, sort, { column: 'created_at', direction: 'desc' });
      const filter = { keyword: keyword?.toLowerCase(), order };
      const { rows, total } = await listKnowledgeBases(db.read, filter, { page, size });
      return toPage(await show(rows), { page, size }, total);
    },

    async get(id) {
      const row = await findKnowledgeBase(db.read, id);
      if (row === undefined) throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id });
      return showOne(row);
    },

    async change(id, { name: givenName, description, embeddingModel: model, chunking, switch: how }, by) {
      const name = givenName === undefined ? undefined : parseName('name', givenName, maxNameLength);
      const wanted = model === undefined ? undefined : await embeddingModel(model);
      const changed = await write(name, async (tx) => {
        const row = await lockKnowledgeBase(tx, id);
        if (row === undefined) throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id });
        const texts = {
          name: name ?? row.name,
          description: description ?? row.description,
          updated_at: isoNow(clock),
        };
        const before = JSON.parse(row.chunking) as Chunking;
        const settings = {
          embeddingModel: wanted ?? row.embedding_model,
          chunking: chunking === undefined ? row.chunking : JSON.stringify(chunkingOf(chunking, before)),
        };
        const isOther = settings.embeddingModel !== row.embedding_model || settings.chunking !== row.chunking;
        const isEmpty = (await listSomeDocuments(tx, id, 1)).length === 0;
        if (isOther && !isEmpty) await rebuilds.begin(tx, row, { ...settings, switch: how ?? 'AUTOMATIC', by });
        // Either changed back to the current settings, or nothing to rebuild.
        else if (model !== undefined || chunking !== undefined) await rebuilds.end(tx, row);
        else if (how !== undefined) await changeSwitch(tx, row, how, by);
        const { embeddingModel: embedding_model, chunking: cut } = settings;
        // A new id: the old index may still be open, with vectors of another length.
        const other = { embedding_model, chunking: cut, index_id: newId(), dimensions: null, found_revision: 0 };
        if (isOther && isEmpty) await disposeOfIndex(tx, row);
        const values = { ...texts, ...(isOther && isEmpty ? other : {}) };
        await updateKnowledgeBase(tx, id, values);
        return { ...row, ...values };
      });
      rebuilds.wake();
      return showOne(changed);
    },

    async remove(id) {
      await db.write(async (tx) => {
        const row = await lockKnowledgeBase(tx, id);
        if (row === undefined) throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id });
        await rebuilds.end(tx, row);
        await disposeOfIndex(tx, row);
        await deleteKnowledgeBase(tx, id);
      });
      rebuilds.wake();
    },
  };

  async function disposeOfIndex(tx: Tx, { id, index_id, embedding_model }: KnowledgeBasesTable): Promise<void> {
    await insertDisposal(tx, { index_id, knowledge_base_id: id, embedding_model, keep_until: null });
  }

  async function changeSwitch(
    tx: Tx,
    base: KnowledgeBasesTable,
    how: RagRebuildsTable['switch'],
    by: string,
  ): Promise<void> {
    const rebuild = await findRebuild(tx, base.id);
    if (rebuild === undefined) return;
    const { embedding_model: model, chunking } = rebuild;
    if (rebuild.status === 'READY' && how === 'AUTOMATIC')
      await rebuilds.begin(tx, base, { embeddingModel: model, chunking, switch: how, by });
    else await updateRebuild(tx, rebuild.index_id, { switch: how });
  }
}
