import type { Area } from '../../area.ts';
import type { Engine } from '../../engine/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import { createExaminer } from '../../operator-packages/index.ts';
import { operators } from '../../operators/index.ts';
import type { LaneName, SandboxLimits } from '../../sandbox/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import type { TaskFloor } from '../../tasks/index.ts';
import type { ReadArchive } from './archives.ts';
import { createComparisons } from './comparisons.ts';
import { measuredTexts } from './measured-texts.ts';
import { createOperators } from './operators.ts';
import { createPublishing } from './publishing.ts';
import { operatorMarketRoutes } from './routes.ts';
import { createSignatures } from './signatures.ts';
import { createSpeeds } from './speeds.ts';
import { createTrials, type TrialReferences } from './trials.ts';

export type { ReadArchive } from './archives.ts';
export { createCatalogue, type OperatorCatalogue } from './catalogue.ts';
export { createPackageStore, listPackageReferences, type PackageStore } from './package-store.ts';

/** The area of operators: built-in ones, and published ones, which run in the sandbox. */
export function createOperatorMarket({
  db,
  clock,
  blobs,
  tasks,
  engine,
  datasets,
  readArchive,
  sandbox,
  references,
}: {
  db: Database;
  clock: Clock;
  blobs: BlobStore;
  tasks: Pick<TaskFloor, 'countUses'>;
  engine: Pick<Engine, 'preview' | 'previewTexts' | 'measureSpeed'>;
  datasets: DatasetAccess;
  references: TrialReferences;
  readArchive: ReadArchive;
  sandbox: { lane: LaneName; limits: SandboxLimits };
}): Area {
  const signatures = createSignatures({ db, clock });
  const market = createOperators({ db, clock, blobs, tasks, operators, signatures });
  const examiner = createExaminer({ ...sandbox, texts: measuredTexts });
  const show = market.get;
  const readSignature = signatures.reader;
  const publishing = createPublishing({ db, clock, blobs, examiner, readArchive, operators, readSignature, show });
  const routes = operatorMarketRoutes({
    operators: market,
    trials: createTrials({ db, engine, operators, references }),
    comparisons: createComparisons({ db, engine, datasets, operators }),
    speeds: createSpeeds({ engine, operators }),
    publishing,
    signatures,
  });
  return {
    prefix: '/operator-market',
    envelope: true,
    routes,
    contentHolders: [],
    lineageSources: [],
    runNames: {},
    start() {},
    // Aborts an examination in progress.
    stop: () => examiner.close(),
  };
}
