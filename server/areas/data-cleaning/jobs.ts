import type { Clock } from '../../kernel/clock.ts';
import { isoNow } from '../../kernel/clock.ts';
import { fileNameOf } from '../../kernel/file-path.ts';
import type { Job, OutputFile } from '../../engine/index.ts';
import { RunFailure } from '../../runs/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { Datasets, FileCommits, NewFile } from '../data-management/index.ts';
import { lockDataset, lockTask, updateTask } from './queries.ts';
import type { TaskInput } from './schemas.ts';
import { walkSourceFiles } from './source-files.ts';

/** What a cleaning run reads and where its result goes, as its row keeps it. */
export type CleaningDetails = {
  sourceDatasetId: string;
  sourceVersion: number;
  input: Pick<TaskInput, 'prefix' | 'fileTypes'>;
  taskName: string;
};

type NewDataset = Parameters<Datasets['insert']>[1];

/** What the engine calls for cleaning runs. */
export function createCleaningJob(services: {
  db: Database;
  clock: Clock;
  datasets: Pick<Datasets, 'insert'>;
  commits: Pick<FileCommits, 'addAll' | 'end'>;
}): Job {
  const { db, clock, datasets, commits } = services;
  return {
    async *inputs(run) {
      const { sourceDatasetId: datasetId, sourceVersion: version, input } = run.areaDetails as CleaningDetails;
      yield* walkSourceFiles(db.scan, { datasetId, version, input });
    },

    async commit(tx, run, outputs) {
      const { sourceDatasetId, taskName } = run.areaDetails as CleaningDetails;
      const task = await lockTask(tx, run.taskId);
      if (task === undefined) throw new RunFailure('The task was deleted');
      let datasetId = task.target_dataset_id;
      if (datasetId === null) {
        const source = await lockDataset(tx, sourceDatasetId);
        if (source === undefined) throw new RunFailure('The source dataset was deleted');
        const type = source.type as NewDataset['type'];
        datasetId = await datasets.insert(tx, { name: task.target_dataset_name, type }, run.createdBy);
        await updateTask(tx, task.id, { target_dataset_id: datasetId, updated_at: isoNow(clock) });
      } else if (task.owns_target === 1) {
        // What an earlier run wrote and this one doesn't must not stay.
        await commits.end(tx, { datasetId, by: run.createdBy, prefix: '', message: `Replaced by ${taskName}` });
      }
      const { version } = await commits.addAll(
        tx,
        {
          datasetId,
          by: run.createdBy,
          // In a dataset of its own nothing stands in the way but outputs of the same run, and none may be lost.
          onConflict: task.owns_target === 1 ? 'ERROR' : 'REPLACE',
          message: `Cleaned by ${taskName}`,
          slices: newFilesOf(outputs),
        },
        (outcome) => {
          if (outcome.kind === 'conflict') throw new RunFailure(outcome.error.message, { cause: outcome.error });
        },
      );
      return { datasetId, version };
    },
  };
}

async function* newFilesOf(outputs: AsyncIterable<readonly OutputFile[]>): AsyncGenerator<NewFile[]> {
  for await (const slice of outputs) {
    yield slice.map(({ path, sizeBytes, blobId }) => ({
      path,
      originalName: fileNameOf(path),
      sizeBytes,
      status: 'COMPLETED',
      blobId,
    }));
  }
}
