import type { Clock } from '../../kernel/clock.ts';
import type { Engine } from '../../engine/index.ts';
import { operators } from '../../operators/index.ts';
import { createRunEvents, type Runs as AllRuns } from '../../runs/index.ts';
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

/** The area of cleaning tasks; its runs go on once they are started. */
export function createDataCleaning(services: {
  db: Database;
  clock: Clock;
  engine: Engine;
  runs: AllRuns;
  dataManagement: { datasets: Pick<Datasets, 'insert'>; commits: Pick<FileCommits, 'addAll' | 'closeVersion' | 'end'> };
}): DataCleaning {
  const { db, clock, engine, runs: allRuns, dataManagement } = services;
  engine.register('data-cleaning', createCleaningJob({ db, clock, ...dataManagement }));
  const templates = createTemplates({ db, clock, operators });
  const tasks = createTasks({ db, clock, engine, runs: allRuns, operators, templates });
  const previews = createPreviews({ db, engine, operators, templates });
  const events = createRunEvents({ db, runs: allRuns });
  const runs = createRuns({ db, engine, runs: allRuns, commits: dataManagement.commits, events });
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
