import type { Clock } from '../../kernel/clock.ts';
import { createRunEvents, type Engine } from '../../engine/index.ts';
import { operators } from '../../operators/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { Datasets, FileCommits } from '../data-management/index.ts';
import { createCleaningJob } from './jobs.ts';
import { createLedgers, type Ledgers } from './ledgers.ts';
import { createPreviews, type Previews } from './previews.ts';
import { dataCleaningRoutes } from './routes.ts';
import { createRuns, type Runs } from './runs.ts';
import { createTasks, type Tasks } from './tasks.ts';
import { createTemplates, type Templates } from './templates.ts';

export type { Task } from './schemas.ts';

export type DataCleaning = {
  routes: ReturnType<typeof dataCleaningRoutes>;
  tasks: Tasks;
  runs: Runs;
  templates: Templates;
  previews: Previews;
  ledgers: Ledgers;
  /** Brings what comes with the service up to date; before the first call. */
  start(): Promise<void>;
};

/** The area of cleaning tasks; its runs go on once the engine starts. */
export function createDataCleaning(services: {
  db: Database;
  clock: Clock;
  engine: Engine;
  dataManagement: { datasets: Pick<Datasets, 'insert'>; commits: Pick<FileCommits, 'addAll' | 'closeVersion' | 'end'> };
}): DataCleaning {
  const { db, clock, engine, dataManagement } = services;
  engine.register('data-cleaning', createCleaningJob({ db, clock, ...dataManagement }));
  const templates = createTemplates({ db, clock, operators });
  const tasks = createTasks({ db, clock, engine, operators, templates });
  const previews = createPreviews({ db, engine, operators, templates });
  const runs = createRuns({ db, engine, commits: dataManagement.commits, events: createRunEvents({ db, engine }) });
  const ledgers = createLedgers({ engine, operators, runs });
  return {
    routes: dataCleaningRoutes({ tasks, runs, templates, previews, ledgers }),
    tasks,
    runs,
    templates,
    previews,
    ledgers,
    start: () => templates.start(),
  };
}
