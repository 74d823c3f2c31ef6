import { Alert, Button, Group, SegmentedControl, Select, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operator, CleaningPreviewRequest, SampleTrace } from '../../../api/schema.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { previewQuery } from '../cleaning-queries.ts';
import { Change, SampleJourney } from '../sample-journey.tsx';
import { localizeReason } from '../../../messages/reasons.ts';
import { VerdictBadge } from '../../../runs/verdict-badge.tsx';
import { inputToSend, isStepComplete, stepsToSend, type Draft } from './draft.ts';

const quietMs = 350;
const limits = ['10', '30', '100'];
type Show = 'all' | 'changed' | 'dropped';

/** Preview of the steps on the first samples, updated at each change. */
export function PreviewPanel({ draft, operators }: { draft: Draft; operators: readonly Operator[] }) {
  const { t } = useTranslation();
  const [limit, setLimit] = useState('10');
  const [show, setShow] = useState<Show>('all');
  const [request] = useDebouncedValue(requestOf(draft, operators, Number(limit)), quietMs);
  const preview = useQuery(previewQuery(request));
  const samples = preview.data?.samples ?? [];
  const unchecked = preview.data?.uncheckedFiles;
  const shown = samples.filter(
    ({ verdict }) =>
      show === 'all' || (show === 'changed' ? verdict === 'CHANGED' : verdict === 'DROPPED' || verdict === 'FAILED'),
  );
  const count = (...verdicts: SampleTrace['verdict'][]): number =>
    samples.filter(({ verdict }) => verdicts.includes(verdict)).length;
  if (request === undefined)
    return (
      <Text size="sm" c="dimmed" ta="center" py="xl">
        {t(draft.sourceDatasetId === '' ? 'cleaning.preview.needsSource' : 'cleaning.preview.needsSteps')}
      </Text>
    );
  return (
    <Stack gap="xs" aria-busy={preview.isFetching}>
      <Group gap="xs" justify="space-between">
        <SegmentedControl
          size="xs"
          value={show}
          onChange={(value) => setShow(value === 'changed' || value === 'dropped' ? value : 'all')}
          data={[
            { value: 'all', label: t('cleaning.preview.all', { count: samples.length }) },
            { value: 'changed', label: t('cleaning.preview.changed', { count: count('CHANGED') }) },
            { value: 'dropped', label: t('cleaning.preview.out', { count: count('DROPPED', 'FAILED') }) },
          ]}
        />
        <Select
          size="xs"
          w={120}
          aria-label={t('cleaning.preview.limit')}
          data={limits.map((value) => ({ value, label: t('cleaning.preview.first', { count: Number(value) }) }))}
          value={limit}
          allowDeselect={false}
          onChange={(value) => setLimit(value ?? '10')}
        />
      </Group>
      {preview.isError && <ErrorPanel error={preview.error} onRetry={() => void preview.refetch()} />}
      {preview.isPending && <Skeleton height={160} />}
      {preview.data !== undefined && samples.length === 0 && (
        <Alert color="orange">{t('cleaning.preview.noSamples')}</Alert>
      )}
      {unchecked !== undefined && unchecked.length > 0 && (
        <Text size="xs" c="dimmed">
          {t('cleaning.preview.unchecked', { count: unchecked.length, paths: unchecked.join(', ') })}
        </Text>
      )}
      <Stack
        component="section"
        gap="xs"
        className="preview-samples"
        data-stale={preview.isFetching || undefined}
        tabIndex={0}
        aria-label={t('cleaning.preview.title')}
      >
        {shown.map((sample) => (
          <PreviewSample key={`${sample.filePath} ${sample.row ?? ''}`} sample={sample} operators={operators} />
        ))}
      </Stack>
    </Stack>
  );
}

/** The request for a preview, with complete steps only, so that a half-typed number does not clear it. */
function requestOf(draft: Draft, operators: readonly Operator[], limit: number): CleaningPreviewRequest | undefined {
  const steps = draft.steps.filter((step) => isStepComplete(step, operators));
  if (draft.sourceDatasetId === '' || steps.length === 0) return undefined;
  return {
    sourceDatasetId: draft.sourceDatasetId,
    ...(draft.sourceVersion === undefined ? {} : { sourceVersion: draft.sourceVersion }),
    steps: stepsToSend({ steps }),
    input: inputToSend(draft),
    limit,
  };
}

function PreviewSample({ sample, operators }: { sample: SampleTrace; operators: readonly Operator[] }) {
  const { t, i18n } = useTranslation();
  const [open, setOpen] = useState(false);
  const before = sample.steps[0]?.before;
  return (
    <div className="preview-sample">
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <UnstyledButton onClick={() => setOpen(!open)} aria-expanded={open} className="step-name">
          <Group gap={4} wrap="nowrap">
            {open ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
            <Text size="xs" c="dimmed" truncate>
              {sample.filePath}
              {sample.row === null ? '' : ` · ${t('datasets.file.row')} ${sample.row}`}
            </Text>
          </Group>
        </UnstyledButton>
        <VerdictBadge verdict={sample.verdict} />
      </Group>
      {sample.reason !== null && (
        <Text size="sm" c={sample.verdict === 'FAILED' ? 'red' : 'orange'}>
          {localizeReason(sample.reason, i18n.language)}
        </Text>
      )}
      {open ? (
        <SampleJourney steps={sample.steps} operators={operators} />
      ) : (
        <div className="clipped">
          {before !== undefined && sample.verdict === 'CHANGED' && (
            <Change before={before} after={sample.texts} brief />
          )}
          {before !== undefined && sample.verdict !== 'CHANGED' && (
            <div className="diff-text">{before.text.slice(0, 400)}</div>
          )}
        </div>
      )}
      {!open && sample.steps.length > 0 && (
        <Button size="compact-xs" variant="subtle" onClick={() => setOpen(true)}>
          {t('cleaning.preview.stepByStep')}
        </Button>
      )}
    </div>
  );
}
