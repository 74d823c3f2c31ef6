import {
  BudgetExhaustedError,
  findBuiltIn,
  hashEmbedding,
  ModelCallError,
  type Models,
} from '../../../models/index.ts';
import type { Database } from '../../../storage/database/database.ts';
import { ragErrors } from '../errors.ts';
import { findChunks } from '../queries/chunks.ts';
import { listFoundUnits } from '../queries/found-units.ts';
import type { RagIndex } from '../queries/indexes.ts';
import { createWordWeighing } from './word-weights.ts';

/** Embeds queries with the model of the index. */
export type QueryVectors = {
  /** Throws QUERY_NOT_EMBEDDED. */
  vectorOf(base: RagIndex, query: string, signal: AbortSignal | undefined): Promise<Float32Array>;
};

export function createQueryVectors({ db, models }: { db: Database; models: Pick<Models, 'embed'> }): QueryVectors {
  const weighing = createWordWeighing();

  return {
    async vectorOf(base, query, signal) {
      const { embeddingModel: model, dimensions } = base;
      if (findBuiltIn(model) !== undefined) {
        // Computed here without the ledger, since it costs nothing; words are weighted by their frequency in this
        // index.
        const weightOf = await weighing.weightsOf({
          id: base.indexId,
          revision: base.revision,
          listUnits: () => listFoundUnits(db.read, base),
          findChunks: (places) => findChunks(db.read, base.knowledgeBaseId, places),
        });
        return hashEmbedding(query, weightOf);
      }
      try {
        const { vectors } = await models.embed(model, [query], { signal });
        const [vector] = vectors;
        if (vector !== undefined && vector.length === dimensions) return vector;
      } catch (error) {
        if (error instanceof ModelCallError || error instanceof BudgetExhaustedError)
          throw ragErrors.QUERY_NOT_EMBEDDED({ model, problem: error.reason }, { cause: error });
        throw error;
      }
      throw ragErrors.QUERY_NOT_EMBEDDED({ model, problem: `its vectors no longer have ${dimensions} numbers` });
    },
  };
}
