import { ActionIcon, Group, NumberInput, Select, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconChevronsLeft, IconChevronsRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { formatCount } from './format.ts';
import { useLocale } from './figures.tsx';

const sizes = ['20', '50', '100', '500'];

/** Moves through the pages of a list, or jumps to any page. Pages are counted from 0, shown from 1. */
export function Pager(props: {
  page: number;
  size: number;
  totalElements: number;
  totalPages: number;
  onChange: (next: { page: number; size: number }) => void;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { page, size, totalElements, totalPages, onChange } = props;
  const last = Math.max(0, totalPages - 1);
  const go = (next: number): void => onChange({ page: Math.min(Math.max(next, 0), last), size });
  return (
    <Group justify="space-between" gap="sm" className="pager">
      <Text size="sm" c="dimmed">
        {t('common.list.total', { count: totalElements }).replace(
          String(totalElements),
          formatCount(totalElements, locale),
        )}
      </Text>
      <Group gap={6}>
        <Select
          aria-label={t('common.list.perPage')}
          size="xs"
          w={72}
          data={sizes}
          value={String(size)}
          allowDeselect={false}
          onChange={(value) => onChange({ page: 0, size: Number(value ?? size) })}
        />
        {totalPages > 1 && (
          <>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('common.list.first')}
              disabled={page === 0}
              onClick={() => go(0)}
            >
              <IconChevronsLeft size={16} />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('common.list.previous')}
              disabled={page === 0}
              onClick={() => go(page - 1)}
            >
              <IconChevronLeft size={16} />
            </ActionIcon>
            <NumberInput
              key={page}
              aria-label={t('common.list.goTo')}
              size="xs"
              w={76}
              hideControls
              min={1}
              max={last + 1}
              defaultValue={page + 1}
              onBlur={(event) => {
                const wanted = Number(event.currentTarget.value);
                if (Number.isInteger(wanted) && wanted >= 1 && wanted !== page + 1) go(wanted - 1);
              }}
              onKeyDown={(event) => {
                if (event.key === 'Enter') event.currentTarget.blur();
              }}
            />
            <Text size="sm" c="dimmed" className="figure">
              / {formatCount(totalPages, locale)}
            </Text>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('common.list.next')}
              disabled={page >= last}
              onClick={() => go(page + 1)}
            >
              <IconChevronRight size={16} />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('common.list.last')}
              disabled={page >= last}
              onClick={() => go(last)}
            >
              <IconChevronsRight size={16} />
            </ActionIcon>
          </>
        )}
      </Group>
    </Group>
  );
}
