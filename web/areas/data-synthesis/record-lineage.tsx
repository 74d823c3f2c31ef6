import { Code, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { SynthesisRecord, SynthesisTask } from '../../api/schema.ts';
import { Count, useCost, useLocale } from '../../ui/figures.tsx';
import { Folded } from '../../ui/folded.tsx';
import { formatCount } from '../../ui/format.ts';
import { templateNameOf } from './built-in-texts.ts';
import { ColumnValues } from './column-values.tsx';
import { PromptMessages } from './prompt-messages.tsx';
import { useChatModels } from './use-chat-models.ts';

/**
 * The origin of a record: the text it was made from, the file and its version, the prompt, the template and the model.
 */
export function RecordLineage({ task, record }: { task: SynthesisTask; record: SynthesisRecord }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const cost = useCost();
  const models = useChatModels();
  const { source, template, usage } = record;
  const place =
    source.row !== null
      ? `${t('datasets.file.row')} ${formatCount(source.row, locale)}`
      : source.start === null || source.end === null
        ? ''
        : t('synthesis.records.characters', {
            start: formatCount(source.start + 1, locale),
            end: formatCount(source.end, locale),
          });
  return (
    <section aria-label={t('synthesis.records.lineage')}>
      <Title order={3} size="h6" mb={4}>
        {t('synthesis.records.lineage')}
      </Title>
      <ol className="lineage-chain">
        <li>
          <Text size="xs" c="dimmed">
            {t('synthesis.records.sourceText')}
            {place !== '' && ` · ${place}`}
          </Text>
          {record.sourceText === null ? (
            <Text size="sm" c="dimmed">
              {t('synthesis.records.noSourceText')}
            </Text>
          ) : (
            <div className="prompt-text" tabIndex={0} role="group" aria-label={t('synthesis.records.sourceText')}>
              {record.sourceText}
            </div>
          )}
        </li>
        <li>
          <Text size="xs" c="dimmed">
            {t('synthesis.records.file')}
          </Text>
          <Link
            to="/datasets/$datasetId/files/$fileId"
            params={{ datasetId: task.sourceDatasetId, fileId: source.fileId }}
            search={{ version: source.version }}
          >
            {task.sourceDatasetName} · {source.filePath}
          </Link>{' '}
          <Text span size="xs" c="dimmed">
            {t('runs.outputs.version', { version: source.version })}
          </Text>
        </li>
        <li>
          {record.columns === null ? (
            <Folded label={t('synthesis.records.prompt', { count: record.prompt.length })}>
              <PromptMessages messages={record.prompt} />
            </Folded>
          ) : (
            <Folded label={t('synthesis.columns.made', { count: record.columns.length })}>
              <ColumnValues columns={record.columns} />
            </Folded>
          )}
        </li>
        <li>
          <Text size="xs" c="dimmed">
            {t('synthesis.form.template')}
          </Text>
          <Link
            to="/synthesis/templates/$templateId"
            params={{ templateId: template.id }}
            search={{ version: template.version }}
          >
            {templateNameOf(
              { id: template.id, name: task.templateId === template.id ? task.templateName : template.id },
              t,
            )}
          </Link>{' '}
          <Text span size="xs" c="dimmed">
            {t('runs.outputs.version', { version: template.version })}
          </Text>
        </li>
        <li>
          <Text size="xs" c="dimmed">
            {t('synthesis.form.model')}
          </Text>
          <Link to="/settings/models/$modelId" params={{ modelId: record.model }}>
            {models.data?.find(({ id }) => id === record.model)?.name ?? record.model}
          </Link>{' '}
          <Text span size="xs" c="dimmed" className="figure">
            {t('synthesis.records.tokens', {
              input: formatCount(usage.inputTokens, locale),
              output: formatCount(usage.outputTokens, locale),
            })}
            {usage.cost !== null && ` · ${t('synthesis.usage.cost')} ${cost(usage.cost)}`}
            {usage.known && ` · ${t('synthesis.records.known')}`}
          </Text>
        </li>
        <li>
          <Text size="xs" c="dimmed">
            {t('synthesis.records.record')} #<Count value={record.number} />
          </Text>
          <Code className="wraps">{record.id}</Code>
        </li>
      </ol>
    </section>
  );
}
