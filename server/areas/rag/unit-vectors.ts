import type { StagedBlob } from '../../storage/blobs/blob-store.ts';
import type { RagChunksTable, RagVectorsTable } from '../../storage/database/tables/rag.ts';
import { wordsOfRow } from './chunk-words.ts';
import { insertVectors } from './queries/chunks.ts';
import { openStoredVectors, type StoredVectors } from './stored-vectors.ts';
import { readVectorsOf, writeVectors } from './vectors.ts';
import { type BuildingServices, type Building, lockTarget, requireDimensions, isFree } from './building.ts';

export async function openReused(
  services: BuildingServices,
  { index, reusedUnits }: Building,
): Promise<StoredVectors | undefined> {
  if (reusedUnits.length === 0 || isFree(index)) return undefined;
  const { knowledgeBaseId } = index;
  const units = await Promise.all(reusedUnits.map((unit) => openStoredVectors(services, { knowledgeBaseId, unit })));
  return {
    async find(texts) {
      const found: (Float32Array | undefined)[] = texts.map(() => undefined);
      for (const one of units) {
        const missing = [...texts.keys()].filter((at) => found[at] === undefined);
        const vectors = await one.find(missing.map((at) => texts[at] ?? ''));
        for (const [index, at] of missing.entries()) found[at] = vectors[index];
      }
      return found;
    },
  };
}

type SomeChunks = { unit: number; from: number; rows: readonly RagChunksTable[] };

/** The vectors of a batch of chunks: from this unit or a reused one if stored, else from the model. */
export async function embed(
  services: BuildingServices,
  building: Building,
  { stored, reused, ...some }: SomeChunks & { stored: readonly RagVectorsTable[]; reused: StoredVectors | undefined },
): Promise<Float32Array[]> {
  const { index, context, runId, progressOf } = building;
  const texts = some.rows.map(wordsOfRow);
  const { signal } = context;
  if (isFree(index)) {
    const { vectors } = await services.models.embed(index.embeddingModel, texts, { signal, runId });
    await context.checkpoint(progressOf({ done: texts.length }), async (tx) =>
      requireDimensions(tx, await lockTarget(tx, building), vectors),
    );
    return vectors;
  }
  const found = await readVectorsOf(services.blobs, stored, { from: some.from, count: texts.length });
  const isStored = found.map((vector) => vector !== undefined);
  const reusable = (await reused?.find(texts)) ?? [];
  for (const at of texts.keys()) found[at] ??= reusable[at];
  const missing = [...texts.keys()].filter((at) => found[at] === undefined);
  const record = (from: number, to: number): Promise<void> =>
    recordVectors(services, building, some, { vectors: found, isStored, from, to });
  if (missing.length === 0) await record(0, texts.length);
  else {
    const asked = missing.map((at) => texts[at] ?? '');
    await services.models.embed(index.embeddingModel, asked, {
      signal,
      runId,
      // Includes the chunks before and within the batch whose vectors were reused.
      async onBatch(first, vectors) {
        for (const [at, vector] of vectors.entries()) found[missing[first + at] ?? 0] = vector;
        await record(first === 0 ? 0 : (missing[first] ?? 0), missing[first + vectors.length] ?? texts.length);
      },
    });
  }
  return found.map((vector) => vector ?? new Float32Array(0));
}

/** Stores the vectors of a batch of chunks that are not stored yet, in one transaction. */
async function recordVectors(
  { blobs }: Pick<BuildingServices, 'blobs'>,
  building: Building,
  some: SomeChunks,
  given: { vectors: readonly (Float32Array | undefined)[]; isStored: readonly boolean[]; from: number; to: number },
): Promise<void> {
  const { index, context, progressOf } = building;
  const parts: { first: number; vectors: Float32Array[] }[] = [];
  for (let at = given.from; at < given.to; at += 1) {
    const vector = given.vectors[at];
    if (vector === undefined || given.isStored[at] === true) continue;
    const last = parts.at(-1);
    if (last !== undefined && last.first + last.vectors.length === at) last.vectors.push(vector);
    else parts.push({ first: at, vectors: [vector] });
  }
  if (parts.length === 0) return;
  const staged: StagedBlob[] = [];
  try {
    for (const { vectors } of parts) staged.push(await writeVectors(blobs, vectors));
    const all = parts.flatMap(({ vectors }) => vectors);
    await context.checkpoint(progressOf({ done: all.length }), async (tx) => {
      await requireDimensions(tx, await lockTarget(tx, building), all);
      await blobs.adopt(tx, staged);
      for (const [at, { first, vectors }] of parts.entries())
        await insertVectors(tx, {
          knowledge_base_id: index.knowledgeBaseId,
          unit: some.unit,
          first_chunk: some.from + first,
          chunks: vectors.length,
          blob_id: staged[at]?.id ?? '',
        });
    });
  } finally {
    await blobs.settle(staged);
  }
}
