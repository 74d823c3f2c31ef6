import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { SynthesisTask } from '../../api/schema.ts';
import { Count, useCost, useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { Fact, FactsPanel } from '../../ui/panel.tsx';
import { templateNameOf } from './built-in-texts.ts';
import { useChatModels } from './use-chat-models.ts';

/** What a task makes records from, and with which template and model. */
export function Recipe({ task }: { task: SynthesisTask }) {
  const { t } = useTranslation();
  const models = useChatModels();
  const { prefix, fileTypes, textField } = task.input;
  const only = [prefix, ...fileTypes.map((type) => `.${type}`), textField ?? ''].filter((part) => part !== '');
  return (
    <FactsPanel title={t('synthesis.task.recipe')}>
      <Fact label={t('synthesis.form.dataset')}>
        <Link to="/datasets/$datasetId" params={{ datasetId: task.sourceDatasetId }}>
          {task.sourceDatasetName}
        </Link>
        {task.sourceVersion !== null && ` · ${t('runs.outputs.version', { version: task.sourceVersion })}`}
      </Fact>
      {only.length > 0 && <Fact label={t('synthesis.task.only')}>{only.join(' · ')}</Fact>}
      <Fact label={t('synthesis.form.template')}>
        <Link
          to="/synthesis/templates/$templateId"
          params={{ templateId: task.templateId }}
          search={{ version: task.templateVersion, dataset: task.sourceDatasetId }}
        >
          {templateNameOf({ id: task.templateId, name: task.templateName }, t)} ·{' '}
          {t('runs.outputs.version', { version: task.templateVersion })}
        </Link>
      </Fact>
      {Object.entries(task.variables).map(([name, value]) => (
        <Fact key={name} label={name}>
          {value}
        </Fact>
      ))}
      <Fact label={t('synthesis.form.model')}>
        <Link to="/settings/models/$modelId" params={{ modelId: task.model }}>
          {models.data?.find(({ id }) => id === task.model)?.name ?? task.model}
        </Link>
      </Fact>
      <Fact label={t('synthesis.form.perSample')}>
        <Count value={task.perSample} />
      </Fact>
      {task.maxSamples !== null && (
        <Fact label={t('synthesis.form.maxSamples')}>
          <Count value={task.maxSamples} />
        </Fact>
      )}
      {task.judge !== null && (
        <Fact label={t('synthesis.form.judge')}>
          {t('synthesis.form.minScore')}: {task.judge.minScore}
        </Fact>
      )}
    </FactsPanel>
  );
}

/** Where the records of a task are written, in which format, and within which budget. */
export function Result({ task }: { task: SynthesisTask }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const cost = useCost();
  const { maxCalls, maxTokens, maxCost } = task.budget;
  const caps = [
    ...(maxCalls === undefined ? [] : [`${t('synthesis.budget.maxCalls')}: ${formatCount(maxCalls, locale)}`]),
    ...(maxTokens === undefined ? [] : [`${t('synthesis.budget.maxTokens')}: ${formatCount(maxTokens, locale)}`]),
    ...(maxCost === undefined ? [] : [`${t('synthesis.budget.maxCost')}: ${cost(maxCost)}`]),
  ];
  return (
    <FactsPanel title={t('synthesis.form.result')}>
      <Fact label={t('synthesis.form.targetDataset')}>
        {task.targetDatasetId === null ? (
          `${task.targetDatasetName} (${t('synthesis.task.madeByRun')})`
        ) : (
          <Link to="/datasets/$datasetId" params={{ datasetId: task.targetDatasetId }}>
            {task.targetDatasetName}
          </Link>
        )}
      </Fact>
      <Fact label={t('synthesis.form.format')}>{task.format}</Fact>
      <Fact label={t('synthesis.form.provenance')}>{t(task.provenance ? 'common.form.on' : 'common.form.off')}</Fact>
      <Fact label={t('synthesis.form.budget')}>{caps.length === 0 ? t('common.form.noLimit') : caps.join(' · ')}</Fact>
    </FactsPanel>
  );
}
