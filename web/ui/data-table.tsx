import { Box, Checkbox, Group, Skeleton, Table, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconArrowsSort } from '@tabler/icons-react';
import type { KeyboardEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

export type Column<Row> = {
  key: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Name of the field that the service sorts by; without it the column can't be sorted. */
  sortField?: string;
  align?: 'left' | 'right';
  width?: number | string;
  /** Hidden if the window is narrower than this many pixels. */
  from?: 'xs' | 'sm' | 'md' | 'lg';
};

export type Sort = { field: string; direction: 'asc' | 'desc' };

type Selection = { ids: ReadonlySet<string>; onChange: (ids: Set<string>) => void };

/**
 * A table of one page of rows: sortable headers, skeletons while loading, rows that open by click or Enter, arrow keys
 * to move, and checkboxes when `selection` is given.
 */
export function DataTable<Row>(props: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  idOf: (row: Row) => string;
  nameOf?: (row: Row) => string;
  sort?: Sort | undefined;
  onSort?: (sort: Sort) => void;
  onOpen?: (row: Row) => void;
  selection?: Selection;
  /** Number of skeleton rows while rows load. */
  expectedRows?: number;
  stale?: boolean;
}) {
  const { t } = useTranslation();
  const { columns, rows, idOf, selection } = props;
  const ids = rows?.map(idOf) ?? [];
  const chosen = ids.filter((id) => selection?.ids.has(id) === true).length;
  const toggle = (id: string): void => {
    const next = new Set(selection?.ids);
    if (!next.delete(id)) next.add(id);
    selection?.onChange(next);
  };
  return (
    <Box className="table-frame" data-stale={props.stale === true || undefined}>
      <Table
        highlightOnHover={props.onOpen !== undefined}
        stickyHeader
        aria-label={props.label}
        aria-busy={rows === undefined}
      >
        <Table.Thead>
          <Table.Tr>
            {selection !== undefined && (
              <Table.Th w={36}>
                <Checkbox
                  size="xs"
                  aria-label={t('common.list.selectAll')}
                  checked={ids.length > 0 && chosen === ids.length}
                  indeterminate={chosen > 0 && chosen < ids.length}
                  onChange={() => {
                    const next = new Set(selection.ids);
                    for (const id of ids) {
                      if (chosen === ids.length) next.delete(id);
                      else next.add(id);
                    }
                    selection.onChange(next);
                  }}
                />
              </Table.Th>
            )}
            {columns.map((column) => (
              <HeaderCell key={column.key} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows === undefined &&
            Array.from({ length: props.expectedRows ?? 5 }, (_, index) => (
              <Table.Tr key={index}>
                {selection !== undefined && <Table.Td />}
                {columns.map((column) => (
                  <Table.Td key={column.key} visibleFrom={column.from}>
                    <Skeleton height={12} my={4} width={column.align === 'right' ? 48 : '70%'} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          {rows?.map((row) => {
            const id = idOf(row);
            const open = props.onOpen;
            return (
              <Table.Tr
                key={id}
                className={open === undefined ? undefined : 'row-opens'}
                tabIndex={open === undefined ? undefined : 0}
                bg={selection?.ids.has(id) === true ? 'var(--mantine-primary-color-light)' : undefined}
                onClick={(event) => {
                  if (open !== undefined && !isControl(event.target)) open(row);
                }}
                onKeyDown={(event) => moveByKeys(event, open === undefined ? undefined : () => open(row))}
              >
                {selection !== undefined && (
                  <Table.Td>
                    <Checkbox
                      size="xs"
                      aria-label={t('common.list.select', { name: props.nameOf?.(row) ?? id })}
                      checked={selection.ids.has(id)}
                      onChange={() => toggle(id)}
                    />
                  </Table.Td>
                )}
                {columns.map((column) => (
                  <Table.Td key={column.key} ta={column.align} visibleFrom={column.from}>
                    {column.cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Box>
  );
}

function HeaderCell<Row>(props: {
  column: Column<Row>;
  sort: Sort | undefined;
  onSort: ((sort: Sort) => void) | undefined;
}) {
  const { t } = useTranslation();
  const { column, sort, onSort } = props;
  const field = column.sortField;
  const active = field !== undefined && sort?.field === field ? sort.direction : undefined;
  const Icon = active === undefined ? IconArrowsSort : active === 'asc' ? IconArrowUp : IconArrowDown;
  return (
    <Table.Th
      w={column.width}
      ta={column.align}
      visibleFrom={column.from}
      aria-sort={active === undefined ? undefined : active === 'asc' ? 'ascending' : 'descending'}
    >
      {field === undefined || onSort === undefined ? (
        column.header
      ) : (
        <UnstyledButton
          className="sort-button"
          onClick={() => onSort({ field, direction: active === 'asc' ? 'desc' : 'asc' })}
        >
          <Group gap={4} wrap="nowrap" justify={column.align === 'right' ? 'flex-end' : 'flex-start'}>
            <span>{column.header}</span>
            <Icon size={13} className={active === undefined ? 'sort-idle' : undefined} aria-hidden />
            <VisuallyHidden>{t('common.list.sortBy', { column: column.header })}</VisuallyHidden>
          </Group>
        </UnstyledButton>
      )}
    </Table.Th>
  );
}

function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('a, button, input, label, [role="menu"]') !== null;
}

function moveByKeys(event: KeyboardEvent<HTMLTableRowElement>, open: (() => void) | undefined): void {
  if (event.target !== event.currentTarget) return;
  const row = event.currentTarget;
  if (event.key === 'Enter' && open !== undefined) open();
  else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    const next = event.key === 'ArrowDown' ? row.nextElementSibling : row.previousElementSibling;
    if (next instanceof HTMLElement) next.focus();
  }
}
