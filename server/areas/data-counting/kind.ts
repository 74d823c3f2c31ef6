import { noCounts, type RunKind } from '../../runs/index.ts';
import type { Db } from '../../storage/database/database.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import type { CountingFields } from './schemas/tasks.ts';

/** Runs that count the files of a version of a dataset, in one step. */
export function createCountingKind(db: Db, datasets: Pick<DatasetAccess, 'countFiles'>): RunKind {
  return {
    kind: 'data-counting',
    async drive(run, context) {
      if (context.doneBefore > 0) return;
      if (!context.isPlanned) await context.checkpoint({ total: 1, phase: 'COUNT' });
      const { sourceDatasetId: datasetId, version } = run.details as CountingFields & { version: number };
      const types = await datasets.countFiles(db, { datasetId, version, prefix: '', fileTypes: [] });
      const files = types.reduce((sum, { files: some }) => sum + some, 0);
      await context.checkpoint({ done: 1, counts: { ...noCounts, in: files, kept: files, emitted: files } });
    },
  };
}
