import type { Database } from '../../storage/database/database.ts';
import type { RunNames } from '../../tasks/index.ts';
import { ingestKind } from './ingest-run.ts';
import { findDocuments } from './queries/documents.ts';
import { findBasesOfIndexes, findKnowledgeBases } from './queries/knowledge-bases.ts';
import { rebuildKind } from './rebuild-run.ts';

/** Names runs after their documents, or the knowledge bases they rebuild. */
export function createRagRunNames(db: Database): RunNames {
  return {
    [ingestKind]: async (documentIds) => {
      const documents = await findDocuments(db.read, documentIds);
      const bases = await findKnowledgeBases(db.read, [...new Set(documents.map((row) => row.knowledge_base_id))]);
      const byId = new Map(bases.map(({ id, name }) => [id, { id, name }]));
      return new Map(
        documents.map((row) => [row.id, { taskName: row.name, within: byId.get(row.knowledge_base_id) ?? null }]),
      );
    },
    [rebuildKind]: async (indexIds) => {
      const bases = await findBasesOfIndexes(db.read, indexIds);
      return new Map(bases.map(({ indexId, id, name }) => [indexId, { taskName: null, within: { id, name } }]));
    },
  };
}
