import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { CollectionTask } from '../../api/schema.ts';
import { valueText } from '../../ui/field-value.ts';
import { Fact, FactsPanel } from '../../ui/panel.tsx';
import { fieldsOf } from '../../ui/schema-fields.ts';
import { useConnectors } from './use-connectors.ts';

/** The source of a task; of a secret it shows only that it is set. */
export function Source({ task }: { task: CollectionTask }) {
  const { t, i18n } = useTranslation();
  const connectors = useConnectors();
  const connector = connectors.data?.find(({ type }) => type === task.connector.type);
  const { config, storedSecrets } = task.connector;
  const shown = fieldsOf(connector?.configSchema).filter(
    ({ name }) => storedSecrets.includes(name) || (config[name] !== undefined && config[name] !== null),
  );
  return (
    <FactsPanel title={t('collection.form.source')}>
      <Fact label={t('collection.task.connector')}>{connector?.name ?? task.connector.type}</Fact>
      {shown.map((field) => (
        <Fact key={field.name} label={field.label}>
          {storedSecrets.includes(field.name)
            ? t('collection.task.secret')
            : field.name === 'port'
              ? String(config[field.name])
              : valueText(field, config[field.name], t, i18n.language)}
        </Fact>
      ))}
    </FactsPanel>
  );
}

/** The target of a task, and how it is written. */
export function Target({ task }: { task: CollectionTask }) {
  const { t } = useTranslation();
  return (
    <FactsPanel title={t('collection.form.target')}>
      <Fact label={t('collection.form.dataset')}>
        {task.targetDatasetId === null ? (
          <>
            {task.targetDatasetName}{' '}
            <Text span size="xs" c="dimmed">
              {t('collection.task.madeByRun')}
            </Text>
          </>
        ) : (
          <Link to="/datasets/$datasetId" params={{ datasetId: task.targetDatasetId }}>
            {task.targetDatasetName}
          </Link>
        )}
      </Fact>
      {task.prefix !== '' && <Fact label={t('collection.form.prefix')}>{task.prefix}</Fact>}
      <Fact label={t('collection.form.onConflict')}>{t(`collection.conflict.${task.onConflict}`)}</Fact>
      <Fact label={t('collection.form.how')}>
        {t(task.incremental ? 'collection.task.onlyChanges' : 'collection.task.everything')}
      </Fact>
    </FactsPanel>
  );
}
