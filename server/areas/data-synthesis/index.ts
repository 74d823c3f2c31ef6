import { createChunkingThread } from '../../chunking/chunking-thread.ts';
import type { Engine } from '../../engine/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Models } from '../../models/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import { createPreviews } from './previews.ts';
import { dataSynthesisRoutes } from './routes.ts';
import { createSourceSamples } from './source-samples.ts';
import { createTemplates } from './templates.ts';

export type DataSynthesis = {
  routes: ReturnType<typeof dataSynthesisRoutes>;
  /** Updates the built-in templates; call before anything else. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** The area of synthesis: instruction templates, and what they make of datasets. */
export function createDataSynthesis({
  db,
  clock,
  engine,
  models,
  dataManagement: { access: datasets },
}: {
  db: Database;
  clock: Clock;
  engine: Pick<Engine, 'previewFile'>;
  models: Pick<Models, 'chat' | 'registry'>;
  dataManagement: { access: DatasetAccess };
}): DataSynthesis {
  const chunking = createChunkingThread();
  const templates = createTemplates({ db, clock });
  const samples = createSourceSamples({ db, datasets, engine, chunking });
  const previews = createPreviews({ db, datasets, models, samples, templates });
  return {
    routes: dataSynthesisRoutes({ templates, previews }),
    start: () => templates.start(),
    stop: () => chunking.close(),
  };
}
