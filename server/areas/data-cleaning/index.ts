import type { Area } from '../../area.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Engine } from '../../engine/index.ts';
import { operators } from '../../operators/index.ts';
import type { Models } from '../../models/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { Runs } from '../../runs/index.ts';
import type { TaskFloor, Tasks } from '../../tasks/index.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import type { StepOperators } from './step-operators.ts';
import type { CleaningDefinition } from './definition.ts';
import { createGivenPictures } from './given-pictures.ts';
import { createInspections, type Inspections } from './inspections.ts';
import { createCleaningJob } from './jobs.ts';
import { createLedgers, type Ledgers } from './ledgers.ts';
import { createPreviews, type Previews } from './previews.ts';
import { createProfiles, type Profiles } from './profiles.ts';
import { createReferences, type StepReferences } from './references.ts';
import { dataCleaningRoutes } from './routes.ts';
import type { CleaningFields, NewTask } from './schemas/tasks.ts';
import { createCleaningTasks } from './tasks.ts';
import { createCleaningTemplates, type CleaningTemplates } from './templates.ts';

export type { StepReferences } from './references.ts';
export type { Task } from './schemas/tasks.ts';

export type DataCleaning = Area & {
  tasks: Tasks<NewTask, CleaningDefinition, CleaningFields>;
  templates: CleaningTemplates;
  previews: Previews;
  inspections: Inspections;
  profiles: Profiles;
  ledgers: Ledgers;
  /** The datasets and models that steps use. */
  references: StepReferences;
};

/** The area of cleaning tasks. */
export function createDataCleaning(services: {
  db: Database;
  clock: Clock;
  engine: Engine;
  models: Pick<Models, 'registry'>;
  runs: Runs;
  tasks: TaskFloor;
  datasets: DatasetAccess;
  catalogue: StepOperators;
}): DataCleaning {
  const { db, clock, engine, models, datasets, catalogue } = services;
  const templates = createCleaningTemplates({ db, clock, catalogue });
  const references = createReferences({ db, datasets, engine, models, operators });
  const tasks = services.tasks.define(createCleaningTasks({ db, engine, datasets, catalogue, templates, references }));
  engine.register('data-cleaning', createCleaningJob({ db, datasets, references, tasks }));
  const previews = createPreviews({ db, datasets, engine, catalogue, templates, references });
  const pictures = createGivenPictures({ engine, catalogue, references });
  const inspections = createInspections({ db, datasets, engine });
  const profiles = createProfiles({ db, datasets, engine, operators, runs: services.runs });
  const ledgers = createLedgers({ db, datasets, engine, catalogue, tasks });
  return {
    prefix: '/data-cleaning',
    envelope: true,
    routes: dataCleaningRoutes({ tasks, templates, previews, pictures, inspections, profiles, ledgers }),
    tasks,
    templates,
    previews,
    inspections,
    profiles,
    ledgers,
    references,
    contentHolders: [],
    lineageSources: [],
    runNames: {},
    // Updates the built-in templates.
    start: () => templates.start(),
    stop() {},
  };
}
