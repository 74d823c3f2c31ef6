import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { datasetQuery, datasetsQuery } from '../../data-management/dataset-queries.ts';
import type { Draft } from '../drafts/draft.ts';
import { cleaning } from '../../../runs/run-area.ts';
import { tasksQuery } from '../../../runs/run-queries.ts';
import { freeName } from './free-name.ts';

/** Names for a task and its new dataset that no other task or dataset has; empty without a source. */
export function useProposedNames({ sourceDatasetId }: Pick<Draft, 'sourceDatasetId'>): {
  task: string;
  target: string;
} {
  const { t } = useTranslation();
  const hasSource = sourceDatasetId !== '';
  const source = useQuery({ ...datasetQuery(sourceDatasetId), enabled: hasSource });
  const tasks = useQuery(tasksQuery(cleaning, { size: 1000 }));
  const wanted = source.data === undefined ? '' : t('cleaning.builder.targetFor', { name: source.data.name });
  const datasets = useQuery({ ...datasetsQuery({ keyword: wanted, size: 1000 }), enabled: wanted !== '' });
  if (source.data === undefined) return { task: '', target: '' };
  const others = tasks.data?.content ?? [];
  return {
    task: freeName(
      t('cleaning.builder.nameFor', { name: source.data.name }),
      others.map(({ name }) => name),
    ),
    // Until a task has run, its target dataset does not exist, but its name is reserved.
    target: freeName(wanted, [
      ...(datasets.data?.content ?? []).map(({ name }) => name),
      ...others.map(({ targetDatasetName }) => targetDatasetName),
    ]),
  };
}
