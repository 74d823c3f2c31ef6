import { Button, Skeleton, Stack } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../../api/errors.ts';
import type { FileRow, FileRows } from '../../../../api/schema.ts';
import { EmptyState } from '../../../../ui/empty-state.tsx';
import { ErrorPanel, messageOf } from '../../../../ui/error-panel.tsx';
import { isWorkbook } from '../file-kind.ts';
import { writeExact } from '../exact-numbers.ts';
import { TableView } from '../table-view.tsx';
import type { ShownFile } from '../use-file-text.ts';
import { badgesOf, ColumnHead, columnHeadHeight, type ColumnActions } from './column-head.tsx';
import { inOrder, moved, resized, usualWidth, withHidden, type ColumnLayout } from './column-layout.ts';
import { FilterChips } from './filter-bar.tsx';
import { RowDrawer } from './row-drawer.tsx';
import { RowGrid, type GridColumn, type GridRow } from './row-grid.tsx';
import { columnFiguresQuery, pageRows, rowQuery, useRowPages } from './row-queries.ts';
import { readOrder, type RowCondition, type RowsSearch } from './rows-search.ts';
import { RowsState } from './rows-state.tsx';
import { RowsTools } from './rows-tools.tsx';
import { SheetReceipt, SheetSelect } from './sheet-select.tsx';
import { useColumnLayout } from './use-column-layout.ts';
import { useRowsSearch } from './use-rows-search.ts';

/** Width of a badge beside a column's name. */
const badgeWidth = 56;

/** Further rows to scroll to while the total is unknown. */
const unknownRows = 50;

/** All rows of a table: search, filters, order, and statistics of each column. A file without rows is shown as text. */
export function RowsView({ lead, textLead, ...shown }: ShownFile & { lead?: ReactNode; textLead?: ReactNode }) {
  const { t } = useTranslation();
  const [search, change] = useRowsSearch();
  const choice = useStableChoice(search);
  const [range, setRange] = useState({ first: 0, end: pageRows });
  const onRange = useCallback((first: number, end: number) => setRange({ first, end }), []);
  const pages = useRowPages(shown, choice, range);
  const { head, error } = pages;
  const figures = useQuery({ ...columnFiguresQuery(shown, search.sheet), enabled: head?.index === 'READY' });
  const [layout, setLayout] = useColumnLayout(
    `${shown.datasetId}/${shown.file.filePath}${search.sheet === undefined ? '' : `/${search.sheet}`}`,
  );
  const [lines, setLines] = useState(1);
  const [field, setField] = useState<string>();
  const [goTo, setGoTo] = useState<{ index: number }>();
  const columns = useGridColumns(head, layout);
  const openIndex = search.row === undefined ? undefined : search.row - 1;
  const open = useQuery({ ...rowQuery(shown, choice, openIndex ?? 0), enabled: openIndex !== undefined });
  const onOpen = useCallback((index: number) => change({ row: index + 1 }), [change]);
  // A single JSON value or a truncated file: show what can be read.
  if (head === undefined && error instanceof ApiError && error.code === 'NOT_A_TABLE' && !isWorkbook(shown.file))
    return <TableView {...shown} lead={lead} textLead={textLead} reason={messageOf(error, t)} />;
  const addConditions = (conditions: RowCondition[]): void =>
    change({ where: [...(search.where ?? []), ...conditions] });
  const actions: ColumnActions = {
    onSort: (column, direction) => change({ order: direction === undefined ? undefined : `${column},${direction}` }),
    onFilter: setField,
    onConditions: addConditions,
    onHide: (name) => setLayout(withHidden(layout, name, true)),
    onMove: (name, by) => setLayout(moved(layout, head?.columns ?? [], name, by)),
    onResize: (name, width) => setLayout(resized(layout, name, width)),
  };
  const count = head === undefined ? 0 : (head.total ?? Math.max(head.content.length, range.end) + unknownRows);
  const order = readOrder(search.order);
  const isEmpty = head?.total === 0;
  const isFiltered = search.q !== undefined || search.where !== undefined || search.broken === true;
  return (
    <Stack gap={6}>
      <RowsTools
        lead={
          <>
            {lead}
            {head?.workbook !== undefined && (
              <SheetSelect
                sheet={head.workbook.sheet}
                sheets={head.workbook.sheets}
                onChange={(sheet) =>
                  change({ sheet, q: undefined, where: undefined, order: undefined, broken: undefined })
                }
              />
            )}
          </>
        }
        search={search}
        change={change}
        columns={head?.columns ?? []}
        layout={layout}
        onLayout={setLayout}
        lines={lines}
        onLines={setLines}
        onGoTo={(row) => setGoTo({ index: Math.max(0, Math.min(row, head?.total ?? row) - 1) })}
        field={field}
        onField={setField}
        onAdd={(condition) => addConditions([condition])}
      />
      <FilterChips
        where={search.where ?? []}
        onChange={(where) => change({ where: where.length === 0 ? undefined : where })}
      />
      {error !== null && <ErrorPanel error={error} onRetry={pages.retry} />}
      {error !== null && search.where !== undefined && (
        <Button
          size="xs"
          variant="default"
          w="fit-content"
          onClick={() => change({ where: undefined, order: undefined })}
        >
          {t('common.actions.clearFilters')}
        </Button>
      )}
      {head === undefined ? (
        error === null && <Skeleton height={420} />
      ) : isEmpty ? (
        <EmptyState
          icon={IconSearch}
          title={t(isFiltered ? 'common.list.nothingFound' : 'data.rowsNone')}
          {...(isFiltered || head.columns.length === 0
            ? {}
            : { lead: `${t('viewer.rows.headerOnly')} ${head.columns.map(({ name }) => name).join(' · ')}` })}
        />
      ) : (
        <RowGrid
          label={shown.file.fileName}
          columns={columns}
          count={count}
          lines={lines}
          headHeight={columnHeadHeight}
          isStale={pages.isStale}
          rowAt={(index) => gridRowOf(pages.rowAt(index))}
          onRange={onRange}
          onOpen={onOpen}
          goTo={goTo}
          head={(column, index) => (
            <ColumnHead
              key={column.key}
              column={column}
              index={index}
              figures={figures.data?.columns.find(({ name }) => name === column.name)}
              rows={figures.data === undefined ? 0 : figures.data.rows - figures.data.unreadable}
              order={order}
              actions={actions}
            />
          )}
        />
      )}
      {head?.workbook !== undefined && <SheetReceipt receipt={head.workbook} />}
      <RowsState
        head={head}
        search={search}
        change={change}
        isAwaited={pages.isAwaited}
        columns={columns.length}
        duplicates={figures.data?.duplicates ?? 0}
      />
      <RowDrawer
        index={openIndex}
        count={count}
        row={open.data}
        error={open.error}
        columns={head?.columns ?? []}
        onMove={(index) => {
          change({ row: index + 1 });
          setGoTo({ index });
        }}
        onClose={() => change({})}
      />
    </Stack>
  );
}

/** The choice of rows, as the same object while its values stay the same: the address creates a new one each time. */
function useStableChoice({ q, where, order, broken, sheet }: RowsSearch): RowsSearch {
  const text = JSON.stringify({ q, where, order, broken, sheet });
  return useMemo(() => JSON.parse(text) as RowsSearch, [text]);
}

function useGridColumns(head: FileRows | undefined, layout: ColumnLayout): GridColumn[] {
  const usual = useMemo(() => {
    const values = (head?.content ?? []).flatMap((row) => (row.values === null ? [] : [row.values]));
    return new Map(
      (head?.columns ?? []).map((column) => [
        column.name,
        usualWidth(
          column,
          values.slice(0, 50).map((row) => lengthOf(row[column.name])),
        ),
      ]),
    );
  }, [head]);
  return useMemo(
    () =>
      inOrder(head?.columns ?? [], layout)
        .filter(({ name }) => !layout.hidden.includes(name))
        .map((column) => ({
          ...column,
          key: column.name,
          width: layout.widths[column.name] ?? (usual.get(column.name) ?? 180) + badgeWidth * badgesOf(column).length,
        })),
    [head, layout, usual],
  );
}

function lengthOf(value: unknown): number {
  return value === undefined ? 0 : typeof value === 'string' ? value.length : writeExact(value).length;
}

const rows = new WeakMap<FileRow, GridRow>();

/** The same object for the same row, so that it is not rendered again. */
function gridRowOf(row: FileRow | undefined): GridRow | undefined {
  if (row === undefined) return undefined;
  let made = rows.get(row);
  if (made === undefined) {
    const { row: index, line: _line, ...shown } = row;
    rows.set(row, (made = { number: index + 1, ...shown }));
  }
  return made;
}
