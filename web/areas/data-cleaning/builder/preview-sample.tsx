import { Button, Group, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operator, SampleTrace } from '../../../api/schema.ts';
import { sayAll, useSay } from '../../../messages/sentences.ts';
import { VerdictBadge } from '../../../runs/verdict-badge.tsx';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Change, SampleJourney } from '../sample-journey.tsx';

const briefLength = 400;

/** A sample of the preview: its verdict and what changed in it; opened, what each step did. */
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
      {sample.receipt !== null && <Receipt receipt={sample.receipt} />}
      {open ? (
        <SampleJourney steps={sample.steps} operators={operators} />
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

/** What reading a document gave, and what was left out of its text. */
function Receipt({ receipt }: { receipt: NonNullable<SampleTrace['receipt']> }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { format, pagesIn, pagesOut, characters, tables, images, warnings, warningSentences } = receipt;
  const parts = [
    t('cleaning.ledger.document', { format: format.toUpperCase() }),
    ...(pagesIn === null || pagesOut === null
      ? []
      : [t('cleaning.receipt.pages', { count: pagesIn, pagesOut: formatCount(pagesOut, locale) })]),
    t('cleaning.receipt.characters', { count: characters, characters: formatCount(characters, locale) }),
    ...(tables === 0 ? [] : [t('cleaning.receipt.tables', { count: tables })]),
    ...(images === 0 ? [] : [t('cleaning.receipt.images', { count: images })]),
  ];
  return (
    <div className="receipt">
      <Text size="xs" c="dimmed">
        {parts.join(' · ')}
      </Text>
      {sayAll(warnings, warningSentences, locale).map((warning) => (
        <Text key={warning} size="xs" c="orange">
          {warning}
        </Text>
      ))}
    </div>
  );
}
