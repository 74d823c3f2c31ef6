import { Button, Code, Group, Modal, Stack, Table, Text, UnstyledButton } from '@mantine/core';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { SearchField } from '../../../ui/search-field.tsx';
import { GoToRow } from '../go-to-row.tsx';
import { ColumnHeader } from './column-header.tsx';
import { statisticsOf, type ColumnStatistics } from './column-statistics.ts';
import { writeExact } from './exact-numbers.ts';
import { FileTextFrame } from './file-text-frame.tsx';
import { readDelimitedHead, readJsonlHead, type HeadRow } from './table-head.ts';
import { TextView } from './text-view.tsx';
import { useFileText, type FileText, type ShownFile } from './use-file-text.ts';

const shownColumns = 30;
const rowsAtOnce = 100;

/**
 * The rows of a table from its beginning, with statistics of each column. Scrolling down, or jumping to a later row,
 * reads more of the file. A file without rows (one JSON value) is shown as text, with the reason and with `textLead`
 * above it.
 */
export function TableView({
  lead,
  textLead = lead,
  reason,
  ...shown
}: ShownFile & { lead?: ReactNode; textLead?: ReactNode; reason?: string }) {
  const content = useFileText(shown, 'rows');
  if (content.form === 'TEXT') {
    return (
      <Stack gap={6}>
        <Group gap="xs">{textLead}</Group>
        {reason !== undefined && (
          <Text size="sm" role="status">
            {reason}
          </Text>
        )}
        <TextView {...shown} />
      </Stack>
    );
  }
  return (
    <FileTextFrame content={content} lead={lead}>
      {(text) => <Rows content={content} text={text} name={shown.file.fileName} lead={lead} />}
    </FileTextFrame>
  );
}

function Rows({
  content,
  text,
  name: label,
  lead,
}: {
  content: FileText;
  text: string;
  name: string;
  lead: ReactNode;
}) {
  const { t } = useTranslation();
  const [words, setWords] = useState('');
  const [from, setFrom] = useState(0);
  const [wanted, setWanted] = useState<number>();
  const [open, setOpen] = useState<HeadRow>();
  const { form, isWhole, dialect } = content;
  const head = useMemo(
    () => (dialect === null ? readJsonlHead(text, isWhole) : readDelimitedHead(text, isWhole, dialect)),
    [text, isWhole, dialect],
  );
  const statistics = useMemo(
    () => head.columns.slice(0, shownColumns).map((name) => statisticsOf(head.rows, name, form !== 'JSONL')),
    [head, form],
  );
  const found = useMemo(() => rowsWith(head.rows, words), [head, words]);
  const { hasMore, isReadingMore, readMore } = content;
  const last = head.rows.at(-1)?.number ?? 0;
  // Keeps reading until the requested row is reached.
  useEffect(() => {
    if (wanted === undefined || isReadingMore) return;
    if (wanted > last && hasMore) {
      readMore();
      return;
    }
    const index = found.findIndex(({ number }) => number >= wanted);
    setFrom(rowsAtOnce * Math.floor((index === -1 ? Math.max(0, found.length - 1) : index) / rowsAtOnce));
    if (wanted <= last || !hasMore) setWanted(undefined);
  }, [wanted, last, found, hasMore, isReadingMore, readMore]);
  const columns = head.columns.slice(0, shownColumns);
  const shown = found.slice(from, from + rowsAtOnce);
  return (
    <Stack gap={6}>
      <Group gap="xs" className="table-tools">
        {lead}
        <SearchField
          label={t('data.search')}
          value={words}
          onChange={(next) => search(next ?? '')}
          width={230}
          size="xs"
        />
        <GoToRow width={110} onGoTo={setWanted} />
      </Group>
      <div className="table-frame table-head" tabIndex={0}>
        <Table stickyHeader highlightOnHover aria-label={label}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={60}>{t('datasets.file.row')}</Table.Th>
              {columns.map((name, index) => (
                <Table.Th key={name} className="column-cell">
                  <ColumnHeader name={name} statistics={statistics[index] ?? nothing} />
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((row) => (
              <Table.Tr key={row.number} className="row-opens" onClick={() => setOpen(row)}>
                <Table.Td>
                  <UnstyledButton className="figure" fz="xs" c="dimmed">
                    {row.number}
                  </UnstyledButton>
                </Table.Td>
                {'raw' in row ? (
                  <Table.Td colSpan={Math.max(1, columns.length)} c="red">
                    <Text size="xs">{t('datasets.file.badRow')}</Text>
                    <Text size="xs" ff="monospace" lineClamp={1}>
                      {row.raw}
                    </Text>
                  </Table.Td>
                ) : (
                  columns.map((name) => (
                    <Table.Td key={name} className="data-cell">
                      <span title={cellText(row.cells[name]).slice(0, 1_000)}>
                        {cellText(row.cells[name]).slice(0, 300)}
                      </span>
                    </Table.Td>
                  ))
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" aria-live="polite">
          {words === '' && head.rows.length === 0 && isWhole
            ? t('data.rowsNone')
            : words === ''
              ? t(isWhole ? 'data.rowsAll' : 'data.rowsRead', {
                  from: shown[0]?.number ?? 0,
                  to: shown.at(-1)?.number ?? 0,
                  count: head.rows.length,
                })
              : t('data.rowsFound', { count: found.length, read: head.rows.length })}
        </Text>
        <Group gap={4}>
          <Button size="xs" variant="default" disabled={from === 0} onClick={() => setFrom(from - rowsAtOnce)}>
            {t('data.before')}
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={isReadingMore}
            disabled={from + rowsAtOnce >= found.length && !hasMore}
            onClick={() => {
              if (from + rowsAtOnce < found.length) setFrom(from + rowsAtOnce);
              else setWanted(last + 1);
            }}
          >
            {t('data.after')}
          </Button>
        </Group>
      </Group>
      <RowDialog row={open} onClose={() => setOpen(undefined)} />
    </Stack>
  );

  function search(next: string): void {
    setWords(next);
    setFrom(0);
  }
}

const nothing: ColumnStatistics = { type: 'empty', emptyShare: 0, histogram: undefined };

/** Rows that contain all the words. */
function rowsWith(rows: readonly HeadRow[], words: string): readonly HeadRow[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (wanted.length === 0) return rows;
  return rows.filter((row) => {
    const text = ('raw' in row ? row.raw : Object.values(row.cells).map(cellText).join('\n')).toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

function RowDialog({ row, onClose }: { row: HeadRow | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={row !== undefined}
      onClose={onClose}
      size="lg"
      title={`${t('datasets.file.row')} ${row?.number ?? ''}`}
      closeButtonProps={{ 'aria-label': t('common.actions.close') }}
    >
      {row !== undefined && (
        <Code block className="whole-row">
          {'raw' in row ? row.raw : writeExact(row.cells, 2)}
        </Code>
      )}
    </Modal>
  );
}

function cellText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : writeExact(value);
}
