import { Anchor, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RagReceipt } from '../../api/schema.ts';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { groupWarnings, type WarningGroup } from './warning-groups.ts';

/** What was left out of a document: one line per kind with a count, and each warning on request. */
export function WarningList({ receipt }: { receipt: Pick<RagReceipt, 'warnings' | 'warningSentences'> }) {
  const locale = useLocale();
  const groups = groupWarnings(receipt.warnings, receipt.warningSentences, locale);
  return groups.map((group) => <Warnings key={group.words} group={group} />);
}

function Warnings({ group: { words, each } }: { group: WarningGroup }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const [isOpen, setOpen] = useState(false);
  if (each.length === 1)
    return (
      <Text size="xs" c="orange" className="wraps">
        {words}
      </Text>
    );
  return (
    <>
      <Text size="xs" c="orange" className="wraps">
        {t('knowledge.warnings.several', { warning: words, times: formatCount(each.length, locale) })}{' '}
        <Anchor component="button" type="button" inherit aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? 'knowledge.warnings.hide' : 'knowledge.warnings.show')}
        </Anchor>
      </Text>
      {isOpen && (
        <ul className="plain-list">
          {each.map((one, at) => (
            <Text key={`${at} ${one}`} component="li" size="xs" c="orange" className="wraps">
              {one}
            </Text>
          ))}
        </ul>
      )}
    </>
  );
}
