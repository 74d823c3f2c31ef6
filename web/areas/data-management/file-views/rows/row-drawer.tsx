import { ActionIcon, Alert, Button, Code, CopyButton, Drawer, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconCheck, IconChevronDown, IconChevronUp, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { FileRow } from '../../../../api/schema.ts';
import { useSay } from '../../../../messages/sentences.ts';
import { ErrorPanel } from '../../../../ui/error-panel.tsx';
import { writeExact } from '../exact-numbers.ts';
import { JsonTree } from './json-tree.tsx';
import { LongText } from './long-text.tsx';

/** A row with its full values, beside the table. */
export function RowDrawer(props: {
  /** From 0, among the rows that match; undefined while no row is open. */
  index: number | undefined;
  count: number;
  row: FileRow | null | undefined;
  error: Error | null;
  /** Names and types of the columns, in order. */
  columns: readonly { name: string; type: string }[];
  onMove: (index: number) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const { index, row, count } = props;
  return (
    <Drawer
      opened={index !== undefined}
      onClose={props.onClose}
      position="right"
      size="lg"
      title={
        row === undefined || row === null
          ? t('datasets.file.row')
          : `${t('datasets.file.row')} ${row.row}${row.line === null ? '' : ` · ${t('viewer.rows.line', { line: row.line })}`}`
      }
      closeButtonProps={{ 'aria-label': t('common.actions.close') }}
      overlayProps={{ backgroundOpacity: 0.25 }}
    >
      {index !== undefined && (
        <Stack gap="md">
          <Group gap="xs">
            <ActionIcon
              variant="default"
              aria-label={t('viewer.rows.previous')}
              disabled={index === 0}
              onClick={() => props.onMove(index - 1)}
            >
              <IconChevronUp size={16} />
            </ActionIcon>
            <ActionIcon
              variant="default"
              aria-label={t('viewer.rows.next')}
              disabled={index + 1 >= count}
              onClick={() => props.onMove(index + 1)}
            >
              <IconChevronDown size={16} />
            </ActionIcon>
            {row !== undefined && row !== null && row.values !== null && (
              <CopyButton value={writeExact(row.values, 2)}>
                {({ copied, copy }) => (
                  <Button size="xs" variant="default" onClick={copy}>
                    {copied ? t('common.actions.copied') : t('viewer.rows.copyJson')}
                  </Button>
                )}
              </CopyButton>
            )}
          </Group>
          <RowValues {...props} />
        </Stack>
      )}
    </Drawer>
  );
}

function RowValues({
  row,
  error,
  columns,
}: {
  row: FileRow | null | undefined;
  error: Error | null;
  columns: readonly { name: string; type: string }[];
}) {
  const { t } = useTranslation();
  const say = useSay();
  if (error !== null) return <ErrorPanel error={error} />;
  if (row === undefined) return <Skeleton height={240} />;
  if (row === null) return <Text c="dimmed">{t('viewer.rows.noSuchRow')}</Text>;
  if (row.values === null)
    return (
      <Alert color="red" title={t('datasets.file.badRow')}>
        {say(row, 'problem')}
        <Code block className="whole-row" mt="xs" tabIndex={0}>
          <LongText text={row.text ?? ''} />
        </Code>
      </Alert>
    );
  const values = row.values;
  const known = columns.map(({ name }) => name).filter((name) => name in values);
  const names = [...known, ...Object.keys(values).filter((name) => !known.includes(name))];
  return names.map((name) => (
    <Field
      key={name}
      name={name}
      type={columns.find((column) => column.name === name)?.type ?? ''}
      value={values[name]}
      isCut={row.cut.includes(name)}
    />
  ));
}

function Field({ name, type, value, isCut }: { name: string; type: string; value: unknown; isCut: boolean }) {
  const { t } = useTranslation();
  const text = typeof value === 'string' ? value : writeExact(value ?? null);
  return (
    <section aria-label={name}>
      <Group gap={6} wrap="nowrap" mb={2}>
        <Text size="sm" fw={600} className="wraps">
          {name}
        </Text>
        <Text size="xs" c="dimmed" truncate title={type}>
          {type}
        </Text>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <ActionIcon
              size="sm"
              variant="subtle"
              color={copied ? 'green' : 'gray'}
              aria-label={t('viewer.rows.copyValue', { name })}
              onClick={copy}
            >
              {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
            </ActionIcon>
          )}
        </CopyButton>
      </Group>
      <div className="row-value" data-verbatim>
        {typeof value === 'object' && value !== null ? (
          <JsonTree value={value} />
        ) : value === null ? (
          <span className="cell-null">null</span>
        ) : (
          <LongText text={text} />
        )}
      </div>
      {isCut && (
        <Text size="xs" c="orange">
          {t('viewer.rows.cut')}
        </Text>
      )}
    </section>
  );
}
