import { ActionIcon, Group, NumberInput, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { sectionOfPage, type Section } from './document-sections.ts';

/** Turns the pages of the source and the text together; a page too long to be shown at once is split into parts. */
export function SectionPager(props: {
  label: string;
  at: number;
  sections: readonly Section[];
  onChange: (to: number) => void;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { label, at, sections, onChange } = props;
  const { page, part, parts } = sections[at] ?? { page: null, part: 1, parts: 1 };
  const last = sections.length - 1;
  const count = page === null ? sections.length : (sections[last]?.page ?? 1);
  const shown = page ?? at + 1;
  const go = (to: number): void => onChange(Math.min(last, Math.max(0, to)));
  return (
    <Group gap={4} wrap="nowrap">
      {parts > 1 && (
        <Text size="xs" c="dimmed" className="figure">
          {t('knowledge.document.partOf', { part: formatCount(part, locale), parts: formatCount(parts, locale) })}
        </Text>
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`${label}: ${t('common.list.previous')}`}
        disabled={at === 0}
        onClick={() => go(at - 1)}
      >
        <IconChevronLeft size={16} />
      </ActionIcon>
      <NumberInput
        key={at}
        size="xs"
        w={64}
        hideControls
        min={1}
        max={count}
        aria-label={`${label}: ${t(page === null ? 'knowledge.document.goToPart' : 'knowledge.document.goToPage')}`}
        defaultValue={shown}
        onBlur={(event) => {
          const wanted = Number(event.currentTarget.value);
          if (!Number.isInteger(wanted) || wanted < 1 || wanted === shown) return;
          go(page === null ? wanted - 1 : sectionOfPage(sections, wanted));
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
        }}
      />
      <Text size="xs" c="dimmed" className="figure">
        / {formatCount(count, locale)}
      </Text>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`${label}: ${t('common.list.next')}`}
        disabled={at === last}
        onClick={() => go(at + 1)}
      >
        <IconChevronRight size={16} />
      </ActionIcon>
    </Group>
  );
}
