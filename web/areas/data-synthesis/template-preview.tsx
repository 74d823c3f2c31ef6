import {
  Alert,
  Button,
  Group,
  NumberInput,
  Select,
  Skeleton,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconEye, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type {
  NewSynthesisPreview,
  SynthesisPreviewSample,
  SynthesisTemplate,
  SynthesisTemplateChanges,
  SynthesisVariable,
} from '../../api/schema.ts';
import { useSay } from '../../messages/sentences.ts';
import { VerdictBadge } from '../../runs/verdict-badge.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useCost, useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { DatasetSelect } from '../data-management/dataset-select.tsx';
import { ClozeWarning } from './cloze-warning.tsx';
import { ColumnValues } from './column-values.tsx';
import { PromptMessages } from './prompt-messages.tsx';
import { RecordOutput } from './record-output.tsx';
import { messagesQuery } from './synthesis-queries.ts';
import { useChatModels } from './use-chat-models.ts';

type Props = {
  template: SynthesisTemplate;
  /** Default: the latest. */
  version: number | undefined;
  /** Unsaved changes. */
  changes: SynthesisTemplateChanges | undefined;
  variables: readonly SynthesisVariable[];
  dataset: string | undefined;
  onDataset: (datasetId: string | undefined) => void;
};

const pauseMs = 500;
const mostSamples = 20;

/**
 * A template applied to real samples while it is edited; with a model also the resulting records, which costs money.
 */
export function TemplatePreview({ template, version, changes, variables, dataset, onDataset }: Props) {
  const { t } = useTranslation();
  const locale = useLocale();
  const cost = useCost();
  const models = useChatModels();
  const [limit, setLimit] = useState(2);
  const [prefix, setPrefix] = useState('');
  const [values, setValues] = useState<Record<string, string>>({});
  const [modelId, setModelId] = useState<string | null>('builtin-cloze');
  const given = Object.fromEntries(
    Object.entries(values).filter(([name, value]) => value !== '' && variables.some((each) => each.name === name)),
  );
  const missing = variables.find(({ name, default: preset }) => preset === undefined && given[name] === undefined);
  const request: NewSynthesisPreview = {
    sourceDatasetId: dataset ?? '',
    limit,
    variables: given,
    ...(prefix === '' ? {} : { input: { prefix } }),
    ...(version === undefined ? {} : { version }),
    ...(changes === undefined ? {} : { changes }),
  };
  const [wanted] = useDebouncedValue(JSON.stringify(request), pauseMs);
  const asked = JSON.parse(wanted) as NewSynthesisPreview;
  const shown = useQuery({
    ...messagesQuery(template.id, asked),
    // A newly chosen dataset gets into the debounced request only after the pause.
    enabled: dataset !== undefined && asked.sourceDatasetId !== '' && missing === undefined,
  });
  const isCurrent = wanted === JSON.stringify(request);
  const make = useMutation({
    mutationFn: async (model: string) => {
      const { data } = await dataOf(
        api.POST('/api/v1/data-synthesis/templates/{id}/preview', {
          params: { path: { id: template.id } },
          body: { ...request, model },
        }),
      );
      return { of: JSON.stringify(request), samples: data.samples };
    },
  });
  const model = models.data?.find(({ id }) => id === modelId);
  const made = make.data?.of === JSON.stringify(request) ? make.data.samples : undefined;
  const samples = made ?? shown.data?.samples ?? [];
  const tokens = shown.data?.tokens ?? 0;
  const prices = model?.prices ?? null;
  const calls = samples.filter(({ problem }) => problem === null).length;
  return (
    <section className="panel template-preview" aria-label={t('synthesis.preview.title')}>
      <Stack gap="sm">
        <Title order={2} size="h5">
          {t('synthesis.preview.title')}
        </Title>
        <DatasetSelect
          label={t('synthesis.preview.dataset')}
          value={dataset}
          onChange={(next) => {
            make.reset();
            onDataset(next);
          }}
          clearable
        />
        {dataset === undefined ? (
          <Text size="sm" c="dimmed">
            <IconEye size={14} aria-hidden /> {t('synthesis.preview.choose')}
          </Text>
        ) : (
          <>
            <Group grow gap="sm" align="flex-end">
              <TextInput
                label={t('synthesis.form.prefix')}
                placeholder={t('synthesis.form.wholeDataset')}
                value={prefix}
                onChange={(event) => setPrefix(event.currentTarget.value)}
              />
              <NumberInput
                label={t('synthesis.preview.samples')}
                value={limit}
                min={1}
                max={mostSamples}
                allowDecimal={false}
                onChange={(next) => typeof next === 'number' && next >= 1 && next <= mostSamples && setLimit(next)}
              />
            </Group>
            {variables.map(({ name, description, default: preset }) => (
              <Textarea
                key={name}
                label={name}
                description={description}
                placeholder={preset}
                autosize
                maxRows={4}
                value={values[name] ?? ''}
                onChange={(event) => {
                  const value = event.currentTarget.value;
                  setValues((old) => ({ ...old, [name]: value }));
                }}
              />
            ))}
            <Group gap="sm" align="flex-end">
              <Select
                label={t('synthesis.form.model')}
                data={(models.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
                value={modelId}
                allowDeselect={false}
                className="grows"
                onChange={setModelId}
              />
              <Button
                leftSection={<IconPlayerPlay size={16} />}
                loading={make.isPending}
                disabled={model === undefined || !isCurrent || calls === 0 || shown.isError}
                onClick={() => modelId !== null && make.mutate(modelId)}
              >
                {t('synthesis.preview.make', { count: calls })}
              </Button>
            </Group>
            <Text size="xs" c="dimmed" aria-live="polite">
              {t('synthesis.preview.tokens', { count: tokens, tokens: formatCount(tokens, locale) })} ·{' '}
              {model?.builtIn === true
                ? t('synthesis.preview.free')
                : prices === null
                  ? t('synthesis.preview.noPrices')
                  : t('synthesis.preview.cost', { cost: cost((tokens * prices.input) / 1e6) })}{' '}
              {model?.builtIn !== true && t('synthesis.preview.paidOnce')}
            </Text>
            <ClozeWarning template={asChanged(template, changes)} model={modelId ?? undefined} />
            {make.isError && <ErrorPanel error={make.error} />}
            {missing !== undefined ? (
              <Alert color="blue">{t('synthesis.form.needsVariable', { name: missing.name })}</Alert>
            ) : shown.isError ? (
              <ErrorPanel error={shown.error} onRetry={() => void shown.refetch()} />
            ) : shown.data === undefined ? (
              <Skeleton height={180} />
            ) : samples.length === 0 ? (
              <Alert color="orange">{t('synthesis.preview.nothing')}</Alert>
            ) : (
              <ol
                className="preview-list"
                data-stale={!isCurrent || shown.isPlaceholderData || undefined}
                aria-label={t('synthesis.preview.samples')}
              >
                {samples.map((sample, index) => (
                  <Sample key={index} sample={sample} />
                ))}
              </ol>
            )}
          </>
        )}
      </Stack>
    </section>
  );
}

/** The template as it would be saved. */
function asChanged(
  { outputSchema, columns }: SynthesisTemplate,
  changes: SynthesisTemplateChanges | undefined,
): ComponentProps<typeof ClozeWarning>['template'] {
  if (changes === undefined) return { outputSchema, columns };
  return { outputSchema: changes.outputSchema, columns: changes.columns ?? null };
}

function Sample({ sample }: { sample: SynthesisPreviewSample }) {
  const { t } = useTranslation();
  const say = useSay();
  const locale = useLocale();
  const cost = useCost();
  const { source, messages, columns, tokens, record } = sample;
  return (
    <li>
      <Text size="xs" c="dimmed" className="wraps">
        {source.filePath}
        {source.row !== null && ` · ${t('datasets.file.row')} ${source.row}`} ·{' '}
        {t('synthesis.preview.tokens', { count: tokens, tokens: formatCount(tokens, locale) })}
      </Text>
      {sample.problem !== null && (
        <Alert color="orange" py="xs" my={4}>
          {say(sample, 'problem')}
        </Alert>
      )}
      {record !== undefined && (
        <div className="preview-record">
          <Group gap="xs" mb={4}>
            <VerdictBadge verdict={record.verdict} />
            <Text size="xs" c="dimmed" className="figure">
              {t('synthesis.records.tokens', {
                input: formatCount(record.usage.inputTokens, locale),
                output: formatCount(record.usage.outputTokens, locale),
              })}
              {record.usage.known
                ? ` · ${t('synthesis.records.known')}`
                : record.usage.cost !== null && ` · ${t('synthesis.usage.cost')} ${cost(record.usage.cost)}`}
            </Text>
          </Group>
          {record.reason !== null && (
            <Text size="sm" c={record.verdict === 'FAILED' ? 'red' : 'orange'}>
              {say(record, 'reason')}
            </Text>
          )}
          {record.output !== null && <RecordOutput output={record.output} />}
        </div>
      )}
      {columns === null ? <PromptMessages messages={messages} /> : <ColumnValues columns={columns} />}
    </li>
  );
}
