import { fileNameOf } from '../../kernel/file-path.ts';
import { reasonOf } from '../../kernel/reasoned-error.ts';
import { runSentences, versionMessages } from '../../kernel/sentences/index.ts';
import type { Job, OutputFile } from '../../engine/index.ts';
import { RunFailure } from '../../runs/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { Tasks } from '../../tasks/index.ts';
import type { DatasetAccess, NewFile } from '../data-management/index.ts';
import { reprocessedFolder, type CleaningDefinition } from './definition.ts';
import type { StepReferences } from './references.ts';
import type { CleaningFields, NewTask } from './schemas/tasks.ts';
import { inputsOf, sourcesIn, walkPurged, type PinnedSources } from './sources.ts';
import { selectionOf } from './task-input.ts';

/** The stored details of a cleaning run: what it reads and where its result goes. */
export type CleaningDetails = PinnedSources & {
  sourceDatasetId: string;
  sourceVersion: number;
  input: ReturnType<typeof selectionOf>;
  taskName: string;
  /** Set for a run over the failed samples of another run: that run's number, and the target folder for the results. */
  reprocesses?: { runNumber: number; folder: string };
};

/** The callbacks of the engine for cleaning runs. */
export function createCleaningJob({
  db,
  datasets,
  references,
  tasks,
}: {
  db: Database;
  datasets: DatasetAccess;
  references: Pick<StepReferences, 'open' | 'walkPurged'>;
  tasks: Pick<Tasks<NewTask, CleaningDefinition, CleaningFields>, 'lock' | 'redefine'>;
}): Job {
  return {
    async *inputs(run) {
      const details = run.areaDetails as CleaningDetails;
      yield* inputsOf(datasets, db.scan, sourcesIn(details), details.input);
    },

    async *purged(run) {
      const { purges, input, ...details } = run.areaDetails as CleaningDetails;
      const sources = sourcesIn({ ...details, input });
      yield* walkPurged(datasets, db.scan, { sources, purges }, selectionOf(input));
      yield* references.walkPurged(run.recipe.steps, purges);
    },

    mainSource: (run) => (run.areaDetails as CleaningDetails).sourceDatasetId,

    reference: references.open,

    async commit(tx, run, outputs) {
      const { sourceDatasetId, taskName, reprocesses } = run.areaDetails as CleaningDetails;
      const task = await tasks.lock(tx, run.taskId);
      if (task === undefined) throw new RunFailure(runSentences.TASK_DELETED.reason({}));
      const { ownsTarget, targetDatasetName: name } = task.definition;
      let datasetId = task.definition.targetDatasetId;
      let ending: { prefix: string } | undefined;
      if (reprocesses !== undefined) {
        // The rest of the target holds the result of the run in which the samples failed.
        if (datasetId === null) throw new RunFailure(runSentences.TARGET_DELETED.reason({}));
      } else if (datasetId === null) {
        const source = await datasets.lock(tx, sourceDatasetId);
        if (source === undefined) throw new RunFailure(runSentences.SOURCE_DELETED.reason({}));
        datasetId = await datasets.insert(tx, { name, type: source.type }, run.createdBy);
        await tasks.redefine(tx, task.id, { ...task.definition, targetDatasetId: datasetId });
      } else {
        // Remove outputs of earlier runs that this run does not write. In a target of others, that is the folder of
        // runs over failed samples, which this run processes again.
        ending = { prefix: ownsTarget ? '' : reprocessedFolder(task) };
      }
      const { version } = await datasets.commit.addAll(
        tx,
        {
          datasetId,
          by: run.createdBy,
          onConflict: conflictPolicy(task.definition, reprocesses),
          message:
            reprocesses === undefined
              ? versionMessages.CLEANED.reason({ task: taskName })
              : versionMessages.REPROCESSED.reason({ run: reprocesses.runNumber, task: taskName }),
          slices: newFilesOf(outputs, reprocesses?.folder),
          ...(ending === undefined ? {} : { ending }),
        },
        (outcome) => {
          if (outcome.kind === 'conflict') throw new RunFailure(reasonOf(outcome.error), { cause: outcome.error });
        },
      );
      return { datasetId, version };
    },
  };
}

function conflictPolicy(
  { ownsTarget }: CleaningDefinition,
  reprocesses: CleaningDetails['reprocesses'],
): 'ERROR' | 'REPLACE' | 'RENAME' {
  // Conflicts only arise if a source has a folder of the same name, and neither file may be lost.
  if (reprocesses !== undefined) return 'RENAME';
  // In the task's own dataset, only outputs of the same run can conflict, and neither may be lost.
  return ownsTarget ? 'ERROR' : 'REPLACE';
}

async function* newFilesOf(
  outputs: AsyncIterable<readonly OutputFile[]>,
  folder: string | undefined,
): AsyncGenerator<NewFile[]> {
  for await (const slice of outputs) {
    yield slice.map(({ path, sizeBytes, blobId }) => ({
      path: folder === undefined ? path : `${folder}/${path}`,
      originalName: fileNameOf(path),
      sizeBytes,
      status: 'COMPLETED',
      blobId,
    }));
  }
}
