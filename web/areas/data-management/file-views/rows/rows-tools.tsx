import { ActionIcon, Button, Checkbox, Group, Popover, SegmentedControl, Stack } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { SearchField } from '../../../../ui/search-field.tsx';
import { GoToRow } from '../../go-to-row.tsx';
import { inOrder, usualLayout, withHidden, type ColumnLayout } from './column-layout.ts';
import { FilterButton } from './filter-bar.tsx';
import type { RowCondition, RowsSearch } from './rows-search.ts';

const lineChoices = [1, 3, 8] as const;

type Column = { name: string; type: string };

/** The controls that choose and arrange the rows of a table. */
export function RowsTools(props: {
  lead: ReactNode;
  search: RowsSearch;
  change: (change: Partial<Record<keyof RowsSearch, unknown>>) => void;
  columns: readonly Column[];
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
  lines: number;
  onLines: (lines: number) => void;
  onGoTo: (row: number) => void;
  field: string | undefined;
  onField: (field: string | undefined) => void;
  onAdd: (condition: RowCondition) => void;
}) {
  const { t } = useTranslation();
  const { search, change, columns } = props;
  return (
    <Group gap="xs" className="table-tools">
      {props.lead}
      <SearchField
        label={t('viewer.rows.search')}
        value={search.q}
        onChange={(q) => change({ q })}
        width={165}
        size="xs"
      />
      <GoToRow width={82} onGoTo={props.onGoTo} />
      <FilterButton columns={columns} field={props.field} onField={props.onField} onAdd={props.onAdd} />
      <ViewButton {...props} />
    </Group>
  );
}

/** Chooses the shown columns and the lines of text per row. */
function ViewButton(props: {
  columns: readonly Column[];
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
  lines: number;
  onLines: (lines: number) => void;
}) {
  const { t } = useTranslation();
  const { columns, layout, onLayout } = props;
  return (
    <Popover position="bottom-start" shadow="md" withinPortal trapFocus>
      <Popover.Target>
        <ActionIcon
          size={30}
          variant="default"
          aria-label={t('viewer.rows.columnsButton')}
          title={t('viewer.rows.columnsButton')}
          disabled={columns.length === 0}
        >
          <IconColumns3 size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={6} className="column-choice">
          <SegmentedControl
            size="xs"
            aria-label={t('viewer.rows.lines')}
            value={String(props.lines)}
            onChange={(lines) => props.onLines(Number(lines))}
            data={lineChoices.map((count) => ({ value: String(count), label: t('viewer.rows.lineCount', { count }) }))}
          />
          {inOrder(columns, layout).map(({ name }) => (
            <Checkbox
              key={name}
              size="xs"
              label={name}
              checked={!layout.hidden.includes(name)}
              onChange={(event) => onLayout(withHidden(layout, name, !event.currentTarget.checked))}
            />
          ))}
          <Button size="compact-xs" variant="subtle" onClick={() => onLayout(usualLayout)}>
            {t('viewer.rows.resetColumns')}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
