import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { DocumentReceipt as Receipt } from '../api/schema.ts';
import { sayAll } from '../messages/sentences.ts';
import { useLocale } from '../ui/figures.tsx';
import { formatCount } from '../ui/format.ts';

/** The result of reading a document, and what was left out of its text. */
export function DocumentReceipt({ receipt }: { receipt: Receipt }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { format, pagesIn, pagesOut, characters, tables, images, warnings, warningSentences } = receipt;
  const parts = [
    t('runs.receipt.format', { format: format.toUpperCase() }),
    ...(pagesIn === null || pagesOut === null
      ? []
      : [t('runs.receipt.pages', { count: pagesIn, pagesOut: formatCount(pagesOut, locale) })]),
    t('runs.receipt.characters', { count: characters, characters: formatCount(characters, locale) }),
    ...(tables === 0 ? [] : [t('runs.receipt.tables', { count: tables })]),
    ...(images === 0 ? [] : [t('runs.receipt.images', { count: images })]),
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
