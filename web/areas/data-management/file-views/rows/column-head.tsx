import {
  ActionIcon,
  Badge,
  Menu,
  Popover,
  Skeleton,
  Text,
  Tooltip,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core';
import {
  IconArrowDown,
  IconArrowLeft,
  IconArrowRight,
  IconArrowUp,
  IconDotsVertical,
  IconEyeOff,
  IconFilter,
  IconX,
} from '@tabler/icons-react';
import { useRef, useState, type PointerEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { ColumnFigures } from '../../../../api/schema.ts';
import { useLocale } from '../../../../ui/figures.tsx';
import { formatCount, formatExact, formatShare } from '../../../../ui/format.ts';
import { ColumnFacts } from './column-figures.tsx';
import type { GridColumn } from './row-grid.tsx';
import type { RowCondition, RowOrder } from './rows-search.ts';
import { kindOfType } from './value-kind.ts';

export const columnHeadHeight = 96;
const chartHeight = 24;
const keyStep = 16;

export type ColumnActions = {
  onSort: (column: string, direction: 'asc' | 'desc' | undefined) => void;
  onFilter: (column: string) => void;
  onConditions: (conditions: RowCondition[]) => void;
  onHide: (column: string) => void;
  onMove: (column: string, by: 1 | -1) => void;
  onResize: (column: string, width: number | undefined) => void;
};

/** The head of a column: its name sorts, its statistics open, a menu arranges it, and its edge resizes it. */
export function ColumnHead(props: {
  column: GridColumn;
  index: number;
  /** Undefined until they are loaded. */
  figures: ColumnFigures | undefined;
  rows: number;
  order: RowOrder | undefined;
  actions: ColumnActions;
}) {
  const { t } = useTranslation();
  const { column, index, order, actions } = props;
  const { name } = column;
  const direction = order?.column === name ? order.direction : undefined;
  return (
    <div
      className="row-grid-cell grid-head-cell"
      role="columnheader"
      aria-colindex={index + 2}
      aria-sort={direction === undefined ? 'none' : direction === 'asc' ? 'ascending' : 'descending'}
      style={{ width: column.width }}
    >
      <div className="grid-head-top">
        <UnstyledButton
          className="column-name"
          title={name}
          onClick={() =>
            actions.onSort(name, direction === undefined ? 'asc' : direction === 'asc' ? 'desc' : undefined)
          }
        >
          {name}
        </UnstyledButton>
        {badgesOf(column).map(({ label, help }) => (
          <HeadBadge
            key={label}
            label={t(`viewer.rows.${label}`)}
            help={t(`viewer.rows.${help}`, { name: column.given ?? '' })}
          />
        ))}
        {direction === 'asc' && <IconArrowUp size={13} aria-hidden />}
        {direction === 'desc' && <IconArrowDown size={13} aria-hidden />}
        <ColumnMenu column={column} actions={actions} isSorted={direction !== undefined} />
      </div>
      <ColumnChart {...props} />
      <ResizeHandle column={column} onResize={actions.onResize} />
    </div>
  );
}

type Badge = {
  label: 'mixed' | 'digits' | 'halves' | 'renamed';
  help: 'mixedHelp' | 'digitsHelp' | 'halvesHelp' | 'renamedHelp' | 'unnamedHelp';
};

/** Notable facts about a column. */
export function badgesOf({
  isMixed,
  hasDigits,
  hasHalves,
  given,
}: Pick<GridColumn, 'isMixed' | 'hasDigits' | 'hasHalves' | 'given'>): Badge[] {
  const badges: Badge[] = [];
  if (isMixed === true) badges.push({ label: 'mixed', help: 'mixedHelp' });
  if (hasDigits === true) badges.push({ label: 'digits', help: 'digitsHelp' });
  if (hasHalves === true) badges.push({ label: 'halves', help: 'halvesHelp' });
  if (given !== undefined) badges.push({ label: 'renamed', help: given === '' ? 'unnamedHelp' : 'renamedHelp' });
  return badges;
}

/** A notable fact about a column: a word, explained by a sentence. */
function HeadBadge({ label, help }: { label: string; help: string }) {
  return (
    <Tooltip label={help} multiline w={260} withinPortal events={{ hover: true, focus: true, touch: true }}>
      <Badge size="xs" variant="default" tabIndex={0} className="mixed-badge">
        {label}
      </Badge>
    </Tooltip>
  );
}

function ColumnMenu({
  column: { name },
  actions,
  isSorted,
}: {
  column: GridColumn;
  actions: ColumnActions;
  isSorted: boolean;
}) {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon size="xs" variant="subtle" color="gray" aria-label={t('viewer.rows.columnActions', { name })}>
          <IconDotsVertical size={14} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconArrowUp size={15} />} onClick={() => actions.onSort(name, 'asc')}>
          {t('viewer.rows.ascending')}
        </Menu.Item>
        <Menu.Item leftSection={<IconArrowDown size={15} />} onClick={() => actions.onSort(name, 'desc')}>
          {t('viewer.rows.descending')}
        </Menu.Item>
        {isSorted && (
          <Menu.Item leftSection={<IconX size={15} />} onClick={() => actions.onSort(name, undefined)}>
            {t('viewer.rows.unsorted')}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconFilter size={15} />} onClick={() => actions.onFilter(name)}>
          {t('viewer.rows.filterBy')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconArrowLeft size={15} />} onClick={() => actions.onMove(name, -1)}>
          {t('viewer.rows.moveLeft')}
        </Menu.Item>
        <Menu.Item leftSection={<IconArrowRight size={15} />} onClick={() => actions.onMove(name, 1)}>
          {t('viewer.rows.moveRight')}
        </Menu.Item>
        <Menu.Item leftSection={<IconEyeOff size={15} />} onClick={() => actions.onHide(name)}>
          {t('viewer.rows.hide')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function ColumnChart(props: {
  column: GridColumn;
  figures: ColumnFigures | undefined;
  rows: number;
  actions: ColumnActions;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const [isOpen, setOpen] = useState(false);
  const { column, figures, rows, actions } = props;
  const kind = kindOfType(column.type);
  if (figures === undefined)
    return (
      <>
        <Text size="xs" c="dimmed" className="figure">
          {t(`viewer.kinds.${kind}`)}
        </Text>
        <Skeleton height={chartHeight} mt={4} radius="xs" />
      </>
    );
  const { distinct, nulls, nan, min, max, histogram } = figures;
  const [from, to] = [histogram[0]?.from, histogram.at(-1)?.to];
  const count = (value: number): string => formatCount(value, locale);
  const range =
    from === undefined || to === undefined
      ? t('viewer.figures.distinctValues', { count: distinct, shown: count(distinct) })
      : t(`data.${kind === 'number' ? 'values' : 'lengths'}${from === to ? 'Same' : ''}`, {
          count: to,
          from: kind === 'number' ? formatExact(min ?? String(from), locale) : count(from),
          to: kind === 'number' ? formatExact(max ?? String(to), locale) : count(to),
        });
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" shadow="md" withinPortal trapFocus>
      <Popover.Target>
        <UnstyledButton className="column-chart" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Text size="xs" c="dimmed" className="figure" component="span" truncate>
            {t(`viewer.kinds.${kind}`)}
            {nulls > 0 && rows > 0 && ` · ${t('data.empty', { share: formatShare(nulls / rows, locale) })}`}
            {nan > 0 && ` · ${formatShare(nan / rows, locale)} NaN`}
          </Text>
          <Histogram figures={figures} />
          <Text size="xs" c="dimmed" className="figure" component="span" truncate>
            {range}
          </Text>
          <VisuallyHidden>{t('viewer.figures.open', { name: column.name })}</VisuallyHidden>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown className="figures-popover">
        <ColumnFacts
          figures={figures}
          rows={rows}
          onFilter={(conditions) => {
            setOpen(false);
            actions.onConditions(conditions);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

/** The distribution of numbers or text lengths, else the shares of the most frequent values. */
function Histogram({ figures: { histogram, top } }: { figures: ColumnFigures }) {
  const counts = histogram.length > 0 ? histogram.map(({ count }) => count) : top.map(({ count }) => count);
  if (counts.length === 0) return <span style={{ height: chartHeight, display: 'block' }} />;
  const most = Math.max(1, ...counts);
  return (
    <svg
      className="column-histogram"
      viewBox={`0 0 ${counts.length} ${chartHeight}`}
      height={chartHeight}
      preserveAspectRatio="none"
      aria-hidden
    >
      {counts.map((count, index) => {
        const tall = count === 0 ? 0 : Math.max(2, (chartHeight * count) / most);
        return <rect key={index} x={index + 0.08} y={chartHeight - tall} width={0.84} height={tall} />;
      })}
    </svg>
  );
}

/** The edge of a column: dragged, moved by arrow keys, reset by a double click or Delete. */
function ResizeHandle({ column, onResize }: { column: GridColumn; onResize: ColumnActions['onResize'] }) {
  const { t } = useTranslation();
  const start = useRef<{ x: number; width: number }>(undefined);
  const { name, width } = column;
  const drag = (event: PointerEvent): void => {
    if (start.current !== undefined) onResize(name, start.current.width + event.clientX - start.current.x);
  };
  return (
    <div
      className="column-edge"
      role="separator"
      aria-orientation="vertical"
      aria-label={t('viewer.rows.widthOf', { name })}
      aria-valuenow={width}
      aria-valuemin={64}
      aria-valuemax={1_200}
      tabIndex={0}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, width };
      }}
      onPointerMove={drag}
      onPointerUp={() => {
        start.current = undefined;
      }}
      onDoubleClick={() => onResize(name, undefined)}
      onKeyDown={(event) => {
        const by = event.key === 'ArrowRight' ? keyStep : event.key === 'ArrowLeft' ? -keyStep : undefined;
        if (by !== undefined) onResize(name, width + by);
        else if (event.key === 'Delete') onResize(name, undefined);
        else return;
        event.preventDefault();
      }}
    />
  );
}
