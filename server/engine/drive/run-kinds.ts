import type { Tx } from '../../storage/database/database.ts';
import { ingredientsOf } from './lineage.ts';
import { driveProfile } from './profiles/profile-driver.ts';
import { deleteProfile } from './queries/profiles.ts';
import { deleteReferenceShards, moveReferenceShards } from './queries/references.ts';
import { deleteSetSteps, moveSetSteps } from './queries/set-steps.ts';
import { clearOutputs, copyShards, deleteShards, listShards } from './queries/shards.ts';
import { deleteExportedFiles, moveExportedFiles } from './queries/exported-files.ts';
import { deleteUnpackedFiles, moveUnpackedFiles } from './queries/unpacked-files.ts';
import { namingPurged } from './purged-input.ts';
import { findPosition } from './position.ts';
import { recipeRunOf } from './recipe-run.ts';
import { asideIdsOf, blobIdsOf } from './shards/shard-outcome.ts';
import type { RunKind } from '../../runs/index.ts';
import type { RunDriverDeps } from './drive-context.ts';
import type { Job } from './job.ts';
import { driveRun } from './run-driver.ts';

type KindOptions<J> = {
  kind: string;
  /** Whether runs stay on the node whose disk holds their bytes. */
  needsOwnPlace: boolean;
  job: J;
};

/** Runs that process samples with a recipe, and how a later run takes over what one of them finished. */
export function recipeRunKind(deps: RunDriverDeps, { kind, needsOwnPlace, job }: KindOptions<Job>): RunKind {
  return {
    kind,
    needsOwnPlace,
    isForCluster: true,
    takesSlots: true,
    drive: namingPurged(job, (run, context) => driveRun(deps, job, run, context)),
    trace: (run) => ingredientsOf(recipeRunOf(run)),
    findPosition,
    async resume(tx, fromRunId, toRunId) {
      await copyShards(tx, fromRunId, toRunId);
      await moveSetSteps(tx, fromRunId, toRunId);
      await moveReferenceShards(tx, fromRunId, toRunId);
      await moveUnpackedFiles(tx, fromRunId, toRunId);
      await moveExportedFiles(tx, fromRunId, toRunId);
      // The new run takes over the outputs; both runs keep the ledgers and the bytes set aside.
      for await (const { kept: ids } of blobsOf(tx, fromRunId)) if (ids.length > 0) await deps.blobs.retain(tx, ids);
      await clearOutputs(tx, fromRunId);
    },
    async release(tx, runId) {
      for await (const { outputs } of blobsOf(tx, runId)) if (outputs.length > 0) await deps.blobs.release(tx, outputs);
      await clearOutputs(tx, runId);
      await releaseWork(deps, tx, runId);
    },
    async remove(tx, runId) {
      for await (const { outputs, kept } of blobsOf(tx, runId)) {
        const ids = [...outputs, ...kept];
        if (ids.length > 0) await deps.blobs.release(tx, ids);
      }
      await releaseWork(deps, tx, runId);
      await deleteShards(tx, runId);
    },
  };
}

/** Runs that measure all samples of their input. */
export function profileRunKind(
  deps: RunDriverDeps,
  { kind, needsOwnPlace, job }: KindOptions<Pick<Job, 'inputs' | 'purged'>>,
): RunKind {
  return {
    kind,
    needsOwnPlace,
    isForCluster: true,
    takesSlots: true,
    drive: namingPurged(job, (run, context) => driveProfile(deps, job, run, context)),
    findPosition,
    async resume(tx, fromRunId, toRunId) {
      await copyShards(tx, fromRunId, toRunId);
      await deleteShards(tx, fromRunId);
      await moveSetSteps(tx, fromRunId, toRunId);
      await moveUnpackedFiles(tx, fromRunId, toRunId);
    },
    release: (tx, runId) => releaseWork(deps, tx, runId),
    async remove(tx, runId) {
      await releaseWork(deps, tx, runId);
      await deleteShards(tx, runId);
      await deleteProfile(tx, runId);
    },
  };
}

/** The blobs of a run's shards, a batch of shards at a time. */
async function* blobsOf(tx: Tx, runId: string): AsyncGenerator<{ outputs: string[]; kept: string[] }> {
  for (let after = -1; ;) {
    const shards = await listShards(tx, runId, after, 100);
    const last = shards.at(-1);
    if (last === undefined) return;
    after = last.shard_no;
    yield {
      outputs: shards.flatMap((shard) => blobIdsOf(shard.outputs)),
      kept: shards.flatMap(({ ledger_blob_id: id, set_aside }) => [
        ...(id === null ? [] : [id]),
        ...asideIdsOf(set_aside),
      ]),
    };
  }
}

/** Releases what a run kept only for its own steps. */
async function releaseWork({ blobs }: Pick<RunDriverDeps, 'blobs'>, tx: Tx, runId: string): Promise<void> {
  const ids = [
    ...(await deleteSetSteps(tx, runId)),
    ...(await deleteReferenceShards(tx, runId)),
    ...(await deleteUnpackedFiles(tx, runId)),
    ...(await deleteExportedFiles(tx, runId)),
  ];
  if (ids.length > 0) await blobs.release(tx, ids);
}
