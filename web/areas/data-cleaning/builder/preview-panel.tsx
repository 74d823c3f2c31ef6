import {
  ActionIcon,
  Alert,
  Button,
  Group,
  SegmentedControl,
  Select,
  Skeleton,
  Stack,
  Text,
  Tooltip,
} from '@mantine/core';
import { IconDice3 } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CleaningPreview, Operator, SampleTrace } from '../../../api/schema.ts';
import { verdictColors } from '../../../runs/verdict-badge.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { useLocale } from '../../../ui/figures.tsx';
import { AskedModels, AskModels } from '../../../ui/models-asked.tsx';
import { formatCount, formatShare } from '../../../ui/format.ts';
import { PreviewSample } from './preview-sample.tsx';
import { RefusalAlert } from './refusal-alert.tsx';
import { isSourceRefusal, SourceRefusal } from './source-refusal.tsx';
import { originalOf, type StepProblem } from './step-problem.ts';
import type { LivePreview, Sampling } from './use-preview.ts';

/** Values of the sampling choice: the first samples, or random ones. */
const samplings = ['first 10', 'first 30', 'first 100', 'random 100', 'random 1000'] as const;

/** Samples rendered at once: a thousand with their changes would take the browser seconds. */
const shownAtOnce = 50;

type Show = 'all' | 'changed' | 'dropped';

type Props = {
  preview: LivePreview;
  operators: readonly Operator[];
  sampling: Sampling;
  onSampling: (sampling: Sampling) => void;
  /** Why there is nothing to preview yet. */
  missing: 'source' | 'columns' | 'steps';
  /** What the service refuses in one step. */
  problem: StepProblem | undefined;
  onShowProblem: () => void;
  onShowSource: () => void;
};

/** What the steps do to samples of the source, updated after each change. */
export function PreviewPanel(props: Props) {
  const { t } = useTranslation();
  const { preview, sampling } = props;
  return (
    <Stack gap="xs" aria-busy={preview.query.isFetching}>
      {preview.wanted === undefined ? (
        <Stack gap="xs" align="center" py="xl">
          <Text size="sm" c="dimmed" ta="center">
            {t(`cleaning.preview.needs.${props.missing}`)}
          </Text>
          {props.missing === 'columns' && (
            <Button size="xs" variant="light" onClick={props.onShowSource}>
              {t('cleaning.preview.showSource')}
            </Button>
          )}
        </Stack>
      ) : (
        <Answer {...props} key={sampling.seed ?? 'first'} />
      )}
    </Stack>
  );
}

function Answer({ preview, operators, sampling, onSampling, problem, onShowProblem, onShowSource }: Props) {
  const { t } = useTranslation();
  const [show, setShow] = useState<Show>('all');
  const [most, setMost] = useState(shownAtOnce);
  const { query } = preview;
  const samples = query.data?.samples ?? [];
  const unchecked = query.data?.uncheckedFiles;
  const matching = samples.filter(({ verdict }) => isShown(verdict, show));
  const shown = matching.slice(0, most);
  const count = (...verdicts: SampleTrace['verdict'][]): number =>
    samples.filter(({ verdict }) => verdicts.includes(verdict)).length;
  return (
    <>
      <Group gap="xs" justify="space-between">
        <SegmentedControl
          size="xs"
          value={show}
          onChange={(value) => {
            setShow(value === 'changed' || value === 'dropped' ? value : 'all');
            setMost(shownAtOnce);
          }}
          data={[
            { value: 'all', label: t('cleaning.preview.all', { count: samples.length }) },
            { value: 'changed', label: t('cleaning.preview.changed', { count: count('CHANGED') }) },
            { value: 'dropped', label: t('cleaning.preview.out', { count: count('DROPPED', 'FAILED') }) },
          ]}
        />
        <SamplingSelect sampling={sampling} onSampling={onSampling} />
      </Group>
      {preview.ask !== undefined && <AskModels samples={preview.wanted?.request.limit ?? 0} onAsk={preview.ask} />}
      {query.isError &&
        (problem !== undefined ? (
          <RefusalAlert problem={problem} title={t('cleaning.preview.refused')} onShow={onShowProblem} />
        ) : isSourceRefusal(originalOf(query.error)) ? (
          <SourceRefusal title={t('cleaning.preview.refused')} onShow={onShowSource} />
        ) : (
          <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
        ))}
      {query.isPending && preview.ask === undefined && <Skeleton height={160} />}
      {query.data !== undefined && samples.length === 0 && (
        <Alert color="orange">{t('cleaning.preview.noSamples')}</Alert>
      )}
      {samples.length > 0 && <Sum samples={samples} drawn={query.data?.drawn ?? null} />}
      {query.data?.asked !== undefined && query.data.asked !== null && (
        <AskedModels asked={query.data.asked} samples={samples.length} />
      )}
      {query.data?.compared.map((dataset) => (
        <Compared key={`${dataset.step} ${dataset.datasetId}`} {...dataset} />
      ))}
      {unchecked !== undefined && unchecked.length > 0 && (
        <Text size="xs" c="dimmed">
          {t('cleaning.preview.unchecked', { count: unchecked.length, paths: unchecked.join(', ') })}
        </Text>
      )}
      <Stack
        component="section"
        gap="xs"
        className="preview-samples"
        data-stale={query.isFetching || undefined}
        tabIndex={0}
        aria-label={t('cleaning.preview.samples')}
      >
        {shown.map((sample) => (
          <PreviewSample key={`${sample.filePath} ${sample.row ?? ''}`} sample={sample} operators={operators} />
        ))}
        {shown.length < matching.length && (
          <Button size="xs" variant="default" w="fit-content" onClick={() => setMost(most + shownAtOnce)}>
            {t('cleaning.preview.more', { count: matching.length - shown.length })}
          </Button>
        )}
      </Stack>
    </>
  );
}

/** A dataset that a step compared the samples to. */
function Compared({ step, dataset, samples, isWhole }: CleaningPreview['compared'][number]) {
  const { t } = useTranslation();
  const locale = useLocale();
  const part = isWhole ? '' : t('cleaning.preview.comparedPart');
  return (
    <Text size="xs" c="dimmed">
      {t('cleaning.preview.compared', {
        count: samples,
        shown: formatCount(samples, locale),
        step: step + 1,
        name: dataset,
        part,
      })}
    </Text>
  );
}

function isShown(verdict: SampleTrace['verdict'], show: Show): boolean {
  if (show === 'all') return true;
  return show === 'changed' ? verdict === 'CHANGED' : verdict === 'DROPPED' || verdict === 'FAILED';
}

function SamplingSelect({ sampling, onSampling }: Pick<Props, 'sampling' | 'onSampling'>) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { limit, seed } = sampling;
  return (
    <Group gap={4} wrap="nowrap">
      <Select
        size="xs"
        w={150}
        aria-label={t('cleaning.preview.limit')}
        data={samplings.map((value) => {
          const [kind, size = ''] = value.split(' ');
          const count = Number(size);
          const words = { count, shown: formatCount(count, locale) };
          return {
            value,
            label: kind === 'random' ? t('cleaning.preview.random', words) : t('cleaning.preview.first', words),
          };
        })}
        value={`${seed === undefined ? 'first' : 'random'} ${limit}`}
        allowDeselect={false}
        onChange={(value) => {
          const [kind, size = '10'] = (value ?? '').split(' ');
          onSampling({ limit: Number(size), seed: kind === 'random' ? (seed ?? 1) : undefined });
        }}
      />
      {seed !== undefined && (
        <Tooltip label={t('cleaning.preview.drawAgain')}>
          <ActionIcon
            variant="default"
            aria-label={t('cleaning.preview.drawAgain')}
            onClick={() => onSampling({ limit, seed: seed + 1 })}
          >
            <IconDice3 size={16} />
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  );
}

/** How many of the samples are kept, dropped and failed, as figures and as one bar. */
function Sum({ samples, drawn }: { samples: readonly SampleTrace[]; drawn: CleaningPreview['drawn'] }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const count = (...verdicts: SampleTrace['verdict'][]): number =>
    samples.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const figures = {
    KEPT: count('KEPT', 'CHANGED'),
    DROPPED: count('DROPPED'),
    FAILED: count('FAILED'),
    SKIPPED: count('SKIPPED'),
  };
  const total = samples.length - figures.SKIPPED;
  return (
    <div>
      <Group gap="2px 12px">
        <Text size="xs" fw={600}>
          {drawn === null
            ? t('cleaning.preview.ofFirst', { count: samples.length, shown: formatCount(samples.length, locale) })
            : t(drawn.isExact ? 'cleaning.preview.ofRandom' : 'cleaning.preview.ofAbout', {
                count: samples.length,
                shown: formatCount(samples.length, locale),
                total: formatCount(drawn.total, locale),
              })}
        </Text>
        {(['KEPT', 'DROPPED', 'FAILED', 'SKIPPED'] as const)
          .filter((verdict) => verdict !== 'SKIPPED' || figures.SKIPPED > 0)
          .map((verdict) => (
            <Text key={verdict} size="xs" c="dimmed" className="figure">
              <span className="dot" style={{ background: verdictColors[verdict] }} aria-hidden />{' '}
              {t(`runs.verdicts.${verdict}`)} {formatCount(figures[verdict], locale)}
              {verdict !== 'SKIPPED' && ` (${formatShare(total === 0 ? 0 : figures[verdict] / total, locale)})`}
            </Text>
          ))}
      </Group>
      <div className="sum-bar" aria-hidden>
        {(['KEPT', 'DROPPED', 'FAILED'] as const).map((verdict) => (
          <div key={verdict} style={{ flexGrow: figures[verdict], background: verdictColors[verdict] }} />
        ))}
      </div>
    </div>
  );
}
