import { Select, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SheetReceipt as Receipt, WorkbookSheet } from '../../../../api/schema.ts';
import { useLocale } from '../../../../ui/figures.tsx';
import { formatCount } from '../../../../ui/format.ts';

/** Chooses the sheet of a workbook; hidden sheets are marked. */
export function SheetSelect({
  sheet,
  sheets,
  onChange,
  label: hasLabel = false,
}: {
  sheet: string;
  sheets: readonly WorkbookSheet[];
  onChange: (sheet: string) => void;
  /** Whether to show its label above it. */
  label?: boolean;
}) {
  const { t } = useTranslation();
  return (
    <Select
      {...(hasLabel ? { label: t('viewer.sheets.choose') } : { 'aria-label': t('viewer.sheets.choose') })}
      size="xs"
      w={200}
      value={sheet}
      allowDeselect={false}
      searchable={sheets.length > 10}
      data={sheets.map(({ name, isHidden }) => ({
        value: name,
        label: isHidden ? t('viewer.sheets.hidden', { name }) : name,
      }))}
      onChange={(next) => next !== null && next !== sheet && onChange(next)}
      data-verbatim
    />
  );
}

/** Which parts of the sheet are in the table, and which are not. */
export function SheetReceipt({ receipt }: { receipt: Receipt }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { headerRow, rowsAbove, emptyRows, mergedRanges, errorCells, formulasWithoutValue: formulas } = receipt;
  const counted = (count: number): { count: number; shown: string } => ({ count, shown: formatCount(count, locale) });
  const told = [
    headerRow === null ? t('viewer.sheets.noHeader') : t('viewer.sheets.header', { row: headerRow }),
    ...(emptyRows > 0 ? [t('viewer.sheets.emptyRows', counted(emptyRows))] : []),
    ...(mergedRanges > 0 ? [t('viewer.sheets.merged', counted(mergedRanges))] : []),
  ];
  return (
    <div>
      <Text size="xs" c="dimmed">
        {told.join(' · ')}
      </Text>
      {rowsAbove.map(({ row, text }) => (
        <Text size="xs" c="dimmed" key={row} className="wraps">
          {t('viewer.sheets.above', { row })} <span data-verbatim>{text}</span>
        </Text>
      ))}
      {errorCells.map(({ error, count, first }) => (
        <Text size="xs" c="orange" key={error}>
          {t('viewer.sheets.errors', { error, first: first ?? '', ...counted(count) })}
        </Text>
      ))}
      {formulas.count > 0 && (
        <Text size="xs" c="orange">
          {t('viewer.sheets.formulas', { first: formulas.first ?? '', ...counted(formulas.count) })}
        </Text>
      )}
    </div>
  );
}
