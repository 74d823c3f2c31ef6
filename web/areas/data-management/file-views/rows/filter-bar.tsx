import { ActionIcon, Button, Group, Popover, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { IconFilter, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useDraft } from '../../../../ui/draft.ts';
import { valueOf } from './column-figures.tsx';
import { rowTests, testOf, type RowCondition, type RowTest } from './rows-search.ts';

type Column = { name: string; type: string };

/** The button that adds a condition. While its form is open, `field` is the preselected column. */
export function FilterButton(props: {
  columns: readonly Column[];
  field: string | undefined;
  onField: (field: string | undefined) => void;
  onAdd: (condition: RowCondition) => void;
}) {
  const { t } = useTranslation();
  const { columns, field, onField } = props;
  return (
    <Popover
      opened={field !== undefined}
      onChange={(isOpen) => !isOpen && onField(undefined)}
      position="bottom-start"
      shadow="md"
      trapFocus
      withinPortal
    >
      <Popover.Target>
        <ActionIcon
          size={30}
          variant="default"
          aria-label={t('viewer.rows.filter')}
          title={t('viewer.rows.filter')}
          disabled={columns.length === 0}
          aria-expanded={field !== undefined}
          onClick={() => onField(field === undefined ? columns[0]?.name : undefined)}
        >
          <IconFilter size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        {field !== undefined && <ConditionForm key={field} {...props} field={field} />}
      </Popover.Dropdown>
    </Popover>
  );
}

function ConditionForm(props: {
  columns: readonly Column[];
  field: string;
  onField: (field: string | undefined) => void;
  onAdd: (condition: RowCondition) => void;
}) {
  const { t } = useTranslation();
  const { columns, field, onField, onAdd } = props;
  const type = columns.find(({ name }) => name === field)?.type ?? '';
  const draft = useDraft<{ test: RowTest; value: string }>({ test: type === 'VARCHAR' ? 'CONTAINS' : 'EQ', value: '' });
  const { test } = draft.values;
  return (
    <form
      onSubmit={draft.submit((values) => {
        onAdd(conditionOf({ field, type, ...values }));
        onField(undefined);
      })}
    >
      <Stack gap="xs" w={280} maw="80vw">
        <Select
          label={t('viewer.rows.column')}
          size="xs"
          data={columns.map(({ name }) => name)}
          value={field}
          searchable
          allowDeselect={false}
          comboboxProps={{ withinPortal: false }}
          onChange={(next) => next !== null && onField(next)}
        />
        <Select
          label={t('viewer.rows.condition')}
          size="xs"
          data={rowTests.map((one) => ({ value: one, label: t(`viewer.operators.${one}`) }))}
          allowDeselect={false}
          comboboxProps={{ withinPortal: false }}
          {...draft.choice('test')}
        />
        {test === 'IN' && (
          <Textarea
            label={t('viewer.rows.values')}
            size="xs"
            autosize
            maxRows={8}
            data-autofocus
            {...draft.text('value')}
          />
        )}
        {test !== 'EXISTS' && test !== 'MISSING' && test !== 'IN' && (
          <TextInput label={t('viewer.rows.value')} size="xs" data-autofocus {...draft.text('value')} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button size="xs" variant="default" onClick={() => onField(undefined)}>
            {t('common.actions.cancel')}
          </Button>
          <Button size="xs" type="submit">
            {t('viewer.rows.apply')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function conditionOf({
  field,
  test,
  value,
  type,
}: {
  field: string;
  test: RowTest;
  value: string;
  type: string;
}): RowCondition {
  switch (test) {
    case 'EXISTS':
      return { field, op: test };
    case 'MISSING':
      return { field, op: 'EXISTS', value: false };
    case 'IN':
      return { field, op: test, value: value.split('\n').map((line) => valueOf(line, type)) };
    case 'CONTAINS':
      return { field, op: test, value };
    default:
      return { field, op: test, value: valueOf(value, type) };
  }
}

/** The active conditions, each with a button that removes it. */
export function FilterChips({
  where,
  onChange,
}: {
  where: readonly RowCondition[];
  onChange: (where: RowCondition[]) => void;
}) {
  const { t } = useTranslation();
  if (where.length === 0) return null;
  return (
    <Group gap={6} component="ul" className="filter-chips" aria-label={t('viewer.rows.filters')}>
      {where.map((condition, index) => {
        const { field, op, value } = condition;
        const words = `${field} ${t(`viewer.signs.${testOf(condition)}`)}${op === 'EXISTS' ? '' : ` ${JSON.stringify(value)}`}`;
        return (
          <li key={`${index} ${words}`} className="filter-chip">
            <span title={words}>{words}</span>
            <ActionIcon
              size="xs"
              variant="transparent"
              color="gray"
              aria-label={t('viewer.rows.removeFilter', { filter: words })}
              onClick={() => onChange(where.filter((_, at) => at !== index))}
            >
              <IconX size={12} />
            </ActionIcon>
          </li>
        );
      })}
    </Group>
  );
}
