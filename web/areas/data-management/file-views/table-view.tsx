import { Button, Code, Group, Modal, Skeleton, Stack, Table, Text, UnstyledButton } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DatasetFile } from '../../../api/schema.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { createTextParts, detectEncoding } from './file-bytes.ts';
import { readDelimitedHead, readJsonlHead, type HeadRow, type TableHead } from './table-head.ts';
import { useFileParts } from './use-file-parts.ts';

const shownColumns = 30;
const rowsAtOnce = 100;

/** The first rows of a JSONL, CSV or TSV file. */
export function TableView({ file, url }: { file: DatasetFile; url: string }) {
  const { t } = useTranslation();
  const parts = useFileParts(file, url);
  const [shown, setShown] = useState(rowsAtOnce);
  const [open, setOpen] = useState<HeadRow>();
  const head = useMemo(() => headOf(file, parts.data?.pages ?? []), [file, parts.data]);
  if (parts.isError) return <ErrorPanel error={parts.error} onRetry={() => void parts.refetch()} />;
  if (parts.data === undefined) return <Skeleton height={320} />;
  if (head === undefined) return <Text c="dimmed">{t('datasets.file.binary')}</Text>;
  const columns = head.columns.slice(0, shownColumns);
  const more = shown < head.rows.length || parts.hasNextPage;
  return (
    <Stack gap="xs">
      <div className="table-frame table-head" tabIndex={0}>
        <Table stickyHeader highlightOnHover aria-label={file.fileName}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={60}>{t('datasets.file.row')}</Table.Th>
              {columns.map((name) => (
                <Table.Th key={name}>{name}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {head.rows.slice(0, shown).map((row) => (
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
        <Text size="sm" c="dimmed">
          {t('datasets.file.rowsShown', { count: Math.min(shown, head.rows.length) })}
        </Text>
        {more && (
          <Button
            variant="light"
            size="xs"
            loading={parts.isFetchingNextPage}
            onClick={() => {
              setShown(shown + rowsAtOnce);
              if (shown + rowsAtOnce > head.rows.length && parts.hasNextPage) void parts.fetchNextPage();
            }}
          >
            {t('datasets.file.loadMore')}
          </Button>
        )}
      </Group>
      <RowDialog row={open} onClose={() => setOpen(undefined)} />
    </Stack>
  );
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
          {'raw' in row ? row.raw : JSON.stringify(row.cells, undefined, 2)}
        </Code>
      )}
    </Modal>
  );
}

function headOf(file: DatasetFile, pages: readonly Uint8Array[]): TableHead | undefined {
  const first = pages[0];
  if (first === undefined) return undefined;
  const read = pages.reduce((sum, { length }) => sum + length, 0);
  const isWhole = read === file.fileSize;
  const encoding = detectEncoding(first, isWhole && pages.length === 1);
  if (encoding === undefined) return undefined;
  const parts = createTextParts(encoding);
  const text = pages.map((page, index) => parts.add(page, isWhole && index === pages.length - 1)).join('');
  if (file.fileType === 'csv' || file.fileType === 'tsv')
    return readDelimitedHead(text, isWhole, file.fileType === 'tsv' ? '\t' : '');
  return readJsonlHead(text, isWhole);
}

function cellText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
