import { Button, Group, Progress, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { FileRows } from '../../../../api/schema.ts';
import { useLocale } from '../../../../ui/figures.tsx';
import { formatCount, formatShare } from '../../../../ui/format.ts';
import type { RowsSearch } from './rows-search.ts';

/** How many rows are shown out of how many, and whether the index is still being built. */
export function RowsState(props: {
  head: FileRows | undefined;
  search: RowsSearch;
  change: (change: Partial<Record<keyof RowsSearch, unknown>>) => void;
  /** Whether the response is waiting for the index. */
  isAwaited: boolean;
  /** Number of shown columns. */
  columns: number;
  /** Rows whose values also occur in an earlier row. */
  duplicates: number;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { head, search, isAwaited, columns, duplicates } = props;
  const reading = useReading(head);
  const isBuilding = isAwaited || head?.index === 'BUILDING';
  const progress = head?.indexProgress ?? 0;
  const total = head?.total ?? null;
  const isCounting = !isBuilding && head !== undefined && total === null;
  const isSlow = !isBuilding && search.q !== undefined && head?.searchIndex === 'BUILDING';
  const hidden = (head?.columns.length ?? 0) - columns;
  const parts = [
    total === null
      ? undefined
      : isFiltered(search)
        ? t('viewer.rows.found', { count: total, shown: formatCount(total, locale) })
        : t('viewer.rows.all', { count: total, shown: formatCount(total, locale) }),
    columns === 0 ? undefined : t('viewer.rows.columns', { count: columns }),
    duplicates > 0
      ? t('viewer.rows.duplicates', { count: duplicates, shown: formatCount(duplicates, locale) })
      : undefined,
    hidden > 0 ? t('viewer.rows.hiddenColumns', { count: hidden }) : undefined,
    ...reading,
    (head?.omittedColumns ?? 0) > 0 ? t('viewer.rows.omitted', { count: head?.omittedColumns ?? 0 }) : undefined,
  ];
  const unreadable = head?.unreadable ?? 0;
  const isBroken = search.broken === true;
  return (
    <Group gap="xs" className="rows-state">
      <Text size="xs" c="dimmed" role="status">
        {isBuilding && `${t(isAwaited ? 'viewer.rows.awaited' : 'viewer.rows.building')} `}
        {isSlow && `${t('viewer.rows.searchBuilding')} `}
        {isCounting && `${t('viewer.rows.counting')} `}
        {parts.filter((part) => part !== undefined).join(' · ')}
      </Text>
      {(isBuilding || isCounting) && (
        <Progress
          value={progress > 0 ? progress : 100}
          animated
          w={120}
          size="sm"
          aria-label={
            progress > 0
              ? t('viewer.rows.buildingShare', { share: formatShare(progress / 100, locale) })
              : t(isBuilding ? 'viewer.rows.buildingShort' : 'viewer.rows.countingShort')
          }
        />
      )}
      {isBuilding && progress > 0 && (
        <Text size="xs" c="dimmed" className="figure" aria-hidden>
          {formatShare(progress / 100, locale)}
        </Text>
      )}
      {(isBroken || unreadable > 0) && (
        <Button
          size="compact-xs"
          variant={isBroken ? 'filled' : 'light'}
          color="red"
          leftSection={<IconAlertTriangle size={13} />}
          aria-pressed={isBroken}
          onClick={() => props.change({ broken: isBroken ? undefined : true })}
        >
          {t('viewer.rows.unreadable', { count: unreadable, shown: formatCount(unreadable, locale) })}
        </Button>
      )}
    </Group>
  );
}

/** How CSV and TSV are read: encoding, delimiter, quotes, and what stands above the header. */
function useReading(head: FileRows | undefined): string[] {
  const { t } = useTranslation();
  const { text, columns = [] } = head ?? {};
  if (text === undefined || text.delimiter === null) return [];
  const name = text.encoding.replace(/^(?:utf|gb|big|iso|ibm|koi|euc)/, (word) => word.toUpperCase());
  const encoding = text.isCertain ? name : t('viewer.rows.guessed', { encoding: name });
  const delimiter = text.delimiter === '\t' ? t('viewer.rows.tab') : text.delimiter;
  return [
    columns.length === 1
      ? t('viewer.rows.noDelimiter', { encoding })
      : t('viewer.rows.readAs', { encoding, delimiter }),
    ...(text.quotes === 'DOUBLED' ? [] : [t(`viewer.rows.quotes.${text.quotes ?? 'NONE'}`)]),
    ...(text.endsAtReturns ? [t('viewer.rows.endsAtReturns')] : []),
    ...(text.above.length > 0
      ? [t('viewer.rows.above', { count: text.above.length, text: text.above.join(' ⏎ ') })]
      : []),
  ];
}

function isFiltered({ q, where, broken }: RowsSearch): boolean {
  return q !== undefined || where !== undefined || broken === true;
}
