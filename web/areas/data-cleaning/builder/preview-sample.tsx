import { Button, Group, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operator, SampleTrace } from '../../../api/schema.ts';
import { useSay } from '../../../messages/sentences.ts';
import { DocumentReceipt } from '../../../runs/document-receipt.tsx';
import { VerdictBadge } from '../../../runs/verdict-badge.tsx';
import { Change, SampleJourney, SamplePicture } from '../sample-journey.tsx';

const briefLength = 400;

/** A sample of the preview: its verdict and its changes; unfolded, also what each step did. */
export function PreviewSample({ sample, operators }: { sample: SampleTrace; operators: readonly Operator[] }) {
  const { t } = useTranslation();
  const say = useSay();
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
          {say(sample, 'reason')}
        </Text>
      )}
      {sample.receipt !== null && <DocumentReceipt receipt={sample.receipt} />}
      {open ? (
        <SampleJourney sample={sample} operators={operators} />
      ) : before?.picture !== undefined ? (
        <SamplePicture sample={sample} before={before} after={sample.texts} />
      ) : (
        <div className="clipped">
          {before !== undefined && sample.verdict === 'CHANGED' && (
            <Change before={before} after={sample.texts} brief />
          )}
          {before !== undefined && sample.verdict !== 'CHANGED' && (
            <div className="diff-text">{before.text.slice(0, briefLength)}</div>
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
