import { Skeleton, Text } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { LedgerEntry, LedgerSample } from '../../api/schema.ts';
import { TextDiff } from '../../ui/text-diff.tsx';
import { sampleQuery } from './cleaning-queries.ts';
import { SamplePicture } from './sample-journey.tsx';

/** Picture rows get their final height before the picture has loaded. */
const pictureNames = /\.(?:jpe?g|png|gif|webp|tiff?|avif)$/i;

/** The beginning of a sample's text with the changes of the steps; loaded when the row scrolls into view. */
export function SampleText({ taskId, runId, entry }: { taskId: string; runId: string; entry: LedgerEntry }) {
  const { ref, inViewport } = useInViewport();
  const hasText = entry.rawText === null && entry.verdict !== 'SKIPPED';
  const sample = useQuery({ ...sampleQuery(taskId, runId, entry.sampleId), enabled: hasText && inViewport });
  return (
    <div
      ref={ref}
      className={hasText || entry.rawText !== null ? 'sample-text' : undefined}
      data-picture={pictureNames.test(entry.filePath) || undefined}
    >
      {hasText ? <Traced sample={sample.data} isFailed={sample.isError} /> : <Plain text={entry.rawText ?? ''} />}
    </div>
  );
}

function Traced({ sample, isFailed }: { sample: LedgerSample | undefined; isFailed: boolean }) {
  if (isFailed) return <NoText />;
  if (sample === undefined) return <Skeleton height={12} my={4} />;
  const steps = sample.steps.filter(({ field }) => field === (sample.field ?? sample.steps[0]?.field));
  const [first] = steps;
  if (first?.before.picture !== undefined) {
    return <SamplePicture sample={sample} before={first.before} after={sample.texts} brief />;
  }
  const before = first?.before.text ?? '';
  if (before === '') return <NoText />;
  const after = sample.verdict === 'CHANGED' ? sample.texts[0]?.text : undefined;
  return after === undefined || sample.texts.length > 1 ? (
    <Plain text={before} />
  ) : (
    <TextDiff before={before} after={after} brief />
  );
}

function NoText() {
  const { t } = useTranslation();
  return (
    <Text size="xs" c="dimmed" fs="italic">
      {t('cleaning.ledger.noText')}
    </Text>
  );
}

function Plain({ text }: { text: string }) {
  return (
    <Text size="sm" component="div" className="diff-text">
      {text.slice(0, 400)}
    </Text>
  );
}
