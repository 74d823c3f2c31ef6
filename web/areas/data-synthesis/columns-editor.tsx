import { Badge, Button, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { columnKinds, columnOfKind, columnsBefore, stagesOf, summaryOf, type ColumnDraft } from './column-draft.ts';
import { ColumnForm } from './column-form.tsx';
import { problemAt, type Refusal } from './refusal.ts';

type Props = {
  columns: readonly ColumnDraft[];
  isFixed: boolean;
  refusal: Refusal | undefined;
  onChange: (columns: readonly ColumnDraft[]) => void;
};

/** Up to this many columns, all forms are unfolded at first. */
const mostUnfolded = 4;

/**
 * The columns of a template, each with the form of its kind; their references decide the order in which they are made.
 */
export function ColumnsEditor({ columns, isFixed, refusal, onChange }: Props) {
  const { t } = useTranslation();
  // Many columns start as one line each; a column that was added, or that the service refuses, is open.
  const [unfolded, setUnfolded] = useState<readonly boolean[]>(() => columns.map(() => columns.length <= mostUnfolded));
  const stages = stagesOf(columns);
  const add = (kind: ColumnDraft['kind']): void => {
    setUnfolded([...columns.map((_, at) => unfolded[at] === true), true]);
    onChange([...columns, columnOfKind(kind, { name: freeName(columns) })]);
  };
  return (
    <Stack gap="md">
      <Text size="xs" c="dimmed">
        {t('synthesis.columns.help', { column: '{{COLUMN}}', field: '{{COLUMN.FIELD}}' })}
      </Text>
      {stages.length > 1 && (
        <ol className="column-stages" aria-label={t('synthesis.columns.order')}>
          {stages.map((names) => (
            <li key={names.join()}>{names.join(', ')}</li>
          ))}
        </ol>
      )}
      {problemAt(refusal, 'columns') !== undefined && !/^columns\[\d+\]/.test(refusal?.field ?? '') && (
        <Text size="sm" c="red" role="alert">
          {refusal?.text}
        </Text>
      )}
      {columns.map((column, index) => (
        <Column
          // Adding or removing columns renumbers the others.
          key={`${index} of ${columns.length}`}
          at={index}
          column={column}
          columns={columns}
          isFixed={isFixed}
          isUnfolded={unfolded[index] === true || problemAt(refusal, `columns[${index}]`) !== undefined}
          refusal={refusal}
          onFold={(isOpen) => setUnfolded(columns.map((_, at) => (at === index ? isOpen : unfolded[at] === true)))}
          onChange={(next) => onChange(columns.map((each, at) => (at === index ? next : each)))}
          onRemove={() => {
            setUnfolded(unfolded.filter((_, at) => at !== index));
            onChange(columns.filter((_, at) => at !== index));
          }}
        />
      ))}
      {!isFixed && (
        <Group gap="xs">
          {columnKinds.map((kind) => (
            <Button
              key={kind}
              size="compact-sm"
              variant="default"
              title={t(`synthesis.columns.kindHelp.${kind}`)}
              leftSection={<IconPlus size={14} />}
              onClick={() => add(kind)}
            >
              {t(`synthesis.columns.kinds.${kind}`)}
            </Button>
          ))}
        </Group>
      )}
    </Stack>
  );
}

function Column(props: {
  at: number;
  column: ColumnDraft;
  columns: readonly ColumnDraft[];
  isFixed: boolean;
  isUnfolded: boolean;
  onFold: (isUnfolded: boolean) => void;
  refusal: Refusal | undefined;
  onChange: (column: ColumnDraft) => void;
  onRemove: () => void;
}) {
  const { t } = useTranslation();
  const { at, column, columns, isUnfolded, refusal, onFold } = props;
  const before = columnsBefore(column, columns);
  const problem = (field: string): string | undefined => problemAt(refusal, `columns[${at}].${field}`);
  const whole = refusal?.field === `columns[${at}]` ? refusal.text : undefined;
  return (
    <section className="column-card" aria-label={t('synthesis.columns.column', { name: column.name })}>
      <UnstyledButton className="column-fold" aria-expanded={isUnfolded} onClick={() => onFold(!isUnfolded)}>
        {isUnfolded ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
        <Text span size="sm" fw={600} className="column-name">
          {column.name}
        </Text>
        <Badge size="sm" variant="light" color="gray" className="status">
          {t(`synthesis.columns.kinds.${column.kind}`)}
        </Badge>
        {column.hidden === true && (
          <Badge size="sm" variant="outline" color="gray" className="status">
            {t('synthesis.columns.isHidden')}
          </Badge>
        )}
        {!isUnfolded && (
          <Text span size="xs" c="dimmed" className="column-summary">
            {summaryOf(column) || (column.sampler !== undefined && t(`synthesis.columns.samplers.${column.sampler}`))}
          </Text>
        )}
      </UnstyledButton>
      {isUnfolded && <ColumnForm {...props} before={before} whole={whole} problem={problem} />}
    </section>
  );
}

function freeName(columns: readonly ColumnDraft[]): string {
  const names = new Set(columns.map(({ name }) => name));
  let at = columns.length + 1;
  while (names.has(`column_${at}`)) at += 1;
  return `column_${at}`;
}
