import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { CleaningTask } from '../../api/schema.ts';
import { Ago } from '../../ui/figures.tsx';
import { Fact, FactsPanel } from '../../ui/panel.tsx';

const outputLabels = {
  SOURCE: 'cleaning.builder.outputFormats.SOURCE',
  PARQUET: 'cleaning.builder.outputFormats.PARQUET',
  JSONL: 'cleaning.builder.outputFormats.JSONL',
  JSONL_ZST: 'cleaning.builder.outputFormats.JSONL_ZST',
} as const;

const onErrorLabels = {
  SET_ASIDE: 'cleaning.builder.setAside',
  KEEP: 'cleaning.builder.keep',
  DROP: 'cleaning.builder.drop',
} as const;

/** Source and target of a cleaning task, and how it cleans. */
export function Definition({ task }: { task: CleaningTask }) {
  const { t } = useTranslation();
  return (
    <FactsPanel title={t('cleaning.task.definition')}>
      <Fact label={t('cleaning.builder.source')}>
        <Link to="/datasets/$datasetId" params={{ datasetId: task.sourceDatasetId }}>
          {task.sourceDatasetName}
        </Link>{' '}
        <Text span size="xs" c="dimmed">
          {task.sourceVersion === null
            ? t('cleaning.task.currentVersion')
            : t('datasets.detail.version', { version: task.sourceVersion })}
        </Text>
      </Fact>
      {task.moreSources.length > 0 && (
        <Fact label={t('cleaning.source.others.title')}>
          {task.moreSources.map(({ datasetId, datasetName, version, folder, prefix }) => (
            <div key={datasetId}>
              <Link to="/datasets/$datasetId" params={{ datasetId }}>
                {datasetName}
              </Link>{' '}
              <Text span size="xs" c="dimmed">
                {version === null ? t('cleaning.task.currentVersion') : t('datasets.detail.version', { version })}
                {prefix === '' ? '' : ` · ${prefix}`} → {folder}/
              </Text>
            </div>
          ))}
        </Fact>
      )}
      <Fact label={t('cleaning.builder.target')}>
        {task.targetDatasetId === null ? (
          <>
            {task.targetDatasetName}{' '}
            <Text span size="xs" c="dimmed">
              {t('cleaning.task.madeByRun')}
            </Text>
          </>
        ) : (
          <Link to="/datasets/$datasetId" params={{ datasetId: task.targetDatasetId }}>
            {task.targetDatasetName}
          </Link>
        )}
      </Fact>
      {task.input.prefix !== '' && <Fact label={t('cleaning.builder.prefix')}>{task.input.prefix}</Fact>}
      {task.input.fileTypes.length > 0 && (
        <Fact label={t('cleaning.builder.fileTypes')}>{task.input.fileTypes.join(', ')}</Fact>
      )}
      <Fact label={t('cleaning.builder.textField')}>{task.input.textField ?? t('cleaning.task.foundByItself')}</Fact>
      <Fact label={t('cleaning.builder.output')}>
        {t(outputLabels[task.output.format])}
        {task.output.folderBy !== null && ` · ${t('cleaning.builder.folderBy')}: ${task.output.folderBy}`}
      </Fact>
      <Fact label={t('cleaning.builder.onError')}>{t(onErrorLabels[task.onError])}</Fact>
      <Fact label={t('datasets.overview.created')}>
        <Ago time={task.createdAt} /> {t('datasets.detail.by', { name: task.createdBy })}
      </Fact>
    </FactsPanel>
  );
}
