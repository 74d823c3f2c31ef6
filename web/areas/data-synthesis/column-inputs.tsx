import { MultiSelect, NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ColumnDraft } from './column-draft.ts';
import type { Refusal } from './refusal.ts';
import { useChatModels } from './use-chat-models.ts';

/** Props of a column's form; `problem` returns what is wrong with one of its fields. */
export type ColumnProps = {
  /** Its index among the columns. */
  at: number;
  refusal: Refusal | undefined;
  column: ColumnDraft;
  columns: readonly ColumnDraft[];
  isFixed: boolean;
  problem: (field: string) => string | undefined;
  onChange: (column: ColumnDraft) => void;
};

type TextName = 'prompt' | 'systemPrompt' | 'expression' | 'rubric' | 'pattern' | 'from' | 'to' | 'prefix';
type NumberName = 'minimum' | 'maximum' | 'decimals' | 'seed' | 'minScore' | 'minCharacters' | 'maxCharacters';

/** A column without one of its fields. */
export function without(column: ColumnDraft, name: keyof ColumnDraft): ColumnDraft {
  const { [name]: _old, ...others } = column;
  return others as ColumnDraft;
}

function useHelp(column: ColumnDraft, name: TextName | NumberName): string | undefined {
  const { t } = useTranslation();
  return name === 'expression' || name === 'pattern' || name === 'seed' || name === 'minScore'
    ? t(`synthesis.columns.helpOf.${name}`, { judge: `{{${column.name}.score}}` })
    : undefined;
}

export function ColumnText(props: ColumnProps & { name: TextName; isLong?: boolean; isOptional?: boolean }) {
  const { t } = useTranslation();
  const { column, isFixed, problem, onChange, name, isLong = false, isOptional = false } = props;
  const common = {
    label: t(`synthesis.columns.fields.${name}`),
    description: useHelp(column, name),
    value: column[name] ?? '',
    readOnly: isFixed,
    required: !isOptional && !isFixed,
    error: problem(name),
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      onChange(value === '' && isOptional ? without(column, name) : { ...column, [name]: value });
    },
  };
  return isLong ? <Textarea {...common} autosize minRows={2} maxRows={16} /> : <TextInput {...common} />;
}

export function ColumnNumber(props: ColumnProps & { name: NumberName; min: number; max: number }) {
  const { t } = useTranslation();
  const { column, isFixed, problem, onChange, name, min, max } = props;
  return (
    <NumberInput
      label={t(`synthesis.columns.fields.${name}`)}
      description={useHelp(column, name)}
      value={column[name] ?? ''}
      min={min}
      max={max}
      readOnly={isFixed}
      error={problem(name)}
      onChange={(next) => onChange(typeof next === 'number' ? { ...column, [name]: next } : without(column, name))}
    />
  );
}

/** The model that writes or judges; by default, the task's. */
export function ColumnModel({ column, isFixed, problem, onChange }: ColumnProps) {
  const { t } = useTranslation();
  const models = useChatModels();
  return (
    <Select
      label={t('synthesis.form.model')}
      placeholder={t('synthesis.columns.ofTask')}
      data={(models.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      value={column.model ?? null}
      clearable
      disabled={isFixed}
      error={problem('model')}
      onChange={(next) => onChange(next === null ? without(column, 'model') : { ...column, model: next })}
    />
  );
}

/** The other columns that are judged or checked. */
export function ColumnSubjects({ column, columns, isFixed, problem, onChange }: ColumnProps) {
  const { t } = useTranslation();
  return (
    <MultiSelect
      label={t('synthesis.columns.fields.of')}
      data={columns
        .map(({ name }) => name)
        .filter((name, index, all) => name !== column.name && all.indexOf(name) === index)}
      value={column.of ?? []}
      disabled={isFixed}
      error={problem('of')}
      onChange={(names) => onChange(names.length === 0 ? without(column, 'of') : { ...column, of: names })}
    />
  );
}
