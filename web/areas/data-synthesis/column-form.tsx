import { ActionIcon, Select, Switch, Text, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { columnKinds, columnOfKind } from './column-draft.ts';
import { without, type ColumnProps } from './column-inputs.tsx';
import { ColumnKindFields } from './column-kinds.tsx';

/** The fields of a column: its name, its kind, and the settings of that kind. */
export function ColumnForm(
  props: ColumnProps & {
    before: readonly string[];
    whole: string | undefined;
    onRemove: () => void;
  },
) {
  const { t } = useTranslation();
  const { at, column, columns, isFixed, refusal, before, whole, problem, onChange, onRemove } = props;
  return (
    <>
      <div className="column-head">
        <TextInput
          label={t('runs.columns.name')}
          value={column.name}
          maxLength={64}
          readOnly={isFixed}
          error={problem('name')}
          onChange={(event) => onChange({ ...column, name: event.currentTarget.value })}
        />
        <Select
          label={t('synthesis.columns.kind')}
          data={columnKinds.map((kind) => ({ value: kind, label: t(`synthesis.columns.kinds.${kind}`) }))}
          value={column.kind}
          allowDeselect={false}
          disabled={isFixed}
          onChange={(next) => {
            const kind = columnKinds.find((each) => each === next);
            if (kind !== undefined && kind !== column.kind) onChange(columnOfKind(kind, column));
          }}
        />
        {!isFixed && (
          <ActionIcon
            variant="subtle"
            color="red"
            size="lg"
            aria-label={t('synthesis.editor.removeVariable', { name: column.name })}
            onClick={onRemove}
          >
            <IconTrash size={16} />
          </ActionIcon>
        )}
      </div>
      <Text size="xs" c="dimmed">
        {t(`synthesis.columns.kindHelp.${column.kind}`)}{' '}
        {before.length > 0 && t('synthesis.columns.after', { names: before.join(', ') })}
      </Text>
      <ColumnKindFields
        at={at}
        column={column}
        columns={columns}
        isFixed={isFixed}
        refusal={refusal}
        problem={problem}
        onChange={onChange}
      />
      {column.kind !== 'VALIDATOR' && (
        <Switch
          label={t('synthesis.columns.hidden')}
          checked={column.hidden === true}
          disabled={isFixed}
          onChange={(event) =>
            onChange(event.currentTarget.checked ? { ...column, hidden: true } : without(column, 'hidden'))
          }
        />
      )}
      {whole !== undefined && (
        <Text size="sm" c="red" role="alert">
          {whole}
        </Text>
      )}
    </>
  );
}
