import { requireSource, type TaskArea } from '../../tasks/index.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import type { CountingFields, NewCountingTask } from './schemas/tasks.ts';

/** Tasks that count the files of a dataset. */
export function createCountingTasks(
  datasets: Pick<DatasetAccess, 'lock'>,
): TaskArea<NewCountingTask, CountingFields, CountingFields> {
  return {
    area: 'data-counting',
    read: (stored) => stored as CountingFields,
    async define(tx, { sourceDatasetId }) {
      requireSource(await datasets.lock(tx, sourceDatasetId), sourceDatasetId);
      return { sourceDatasetId };
    },
    change: ({ name, definition }, changes) => ({ name, ...definition, ...changes }),
    show: async (definitions) => [...definitions],
    async plan(tx, { definition }) {
      const { sourceDatasetId: id } = definition;
      const { version } = requireSource(await datasets.lock(tx, id), id);
      return { details: { ...definition, version }, datasets: [{ datasetId: id, role: 'SOURCE', version }] };
    },
  };
}
