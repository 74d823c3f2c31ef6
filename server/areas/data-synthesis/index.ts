import type { Area } from '../../area.ts';
import type { ChunkingThread } from '../../chunking/chunking-thread.ts';
import type { Engine } from '../../engine/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Models } from '../../models/index.ts';
import type { Runs } from '../../runs/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import type { TaskFloor } from '../../tasks/index.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import { createDiversityReports } from './diversity.ts';
import { createExports } from './exports.ts';
import { createForecasts } from './forecasts.ts';
import { createPreviews } from './previews.ts';
import { createRecords } from './records.ts';
import { dataSynthesisRoutes } from './routes.ts';
import { createRunReports } from './run-reports.ts';
import { createSourceSamples } from './source-samples.ts';
import { createSynthesisKind } from './synthesis-run.ts';
import { createSynthesisTasks, startingAtOnce } from './tasks.ts';
import { createInstructionTemplates } from './templates.ts';

export { synthesisLog } from './sentences.ts';

/** The area of synthesis: instruction templates, and the records that models make with them. */
export function createDataSynthesis({
  db,
  clock,
  blobs,
  engine,
  models,
  chunking,
  runs,
  tasks: floor,
  datasets,
}: {
  db: Database;
  clock: Clock;
  blobs: BlobStore;
  engine: Pick<Engine, 'previewFile'>;
  models: Pick<Models, 'chat' | 'registry' | 'usageOfRuns'>;
  chunking: ChunkingThread;
  runs: Runs;
  tasks: TaskFloor;
  datasets: DatasetAccess;
}): Area {
  const templates = createInstructionTemplates({ db, clock, models });
  const samples = createSourceSamples({ db, datasets, engine, chunking });
  const previews = createPreviews({ db, datasets, models, samples, templates });
  const tasks = startingAtOnce(floor.define(createSynthesisTasks({ db, datasets, models, templates })));
  const exports = createExports({ db, blobs, datasets, tasks });
  const forecasts = createForecasts({ db, datasets, models, samples });
  runs.register(createSynthesisKind({ db, clock, blobs, models, samples, exports, forecasts }));
  const records = createRecords({ db, clock, models, samples, runs, tasks });
  const reports = createRunReports({ forecasts, diversity: createDiversityReports({ db }), tasks });
  return {
    prefix: '/data-synthesis',
    envelope: true,
    routes: dataSynthesisRoutes({ tasks, templates, previews, records, exports, reports }),
    contentHolders: [],
    lineageSources: [],
    runNames: {},
    // Updates the built-in templates.
    start: () => templates.start(),
    stop() {},
  };
}
