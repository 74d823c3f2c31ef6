import {
  ActionIcon,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Folded } from '../../ui/folded.tsx';
import { DatasetSelect } from '../data-management/dataset-select.tsx';
import {
  codeLanguages,
  columnKinds,
  columnOfKind,
  columnOfSampler,
  linesOfValues,
  samplers,
  valuesOfLines,
  type ColumnDraft,
} from './column-draft.ts';
import { ChecksFields, recordFieldsOf } from './checks-fields.tsx';
import { ParametersFields } from './parameters-fields.tsx';
import type { Refusal } from './refusal.ts';
import { SchemaField } from './schema-field.tsx';
import { useChatModels } from './use-chat-models.ts';

/** The fields of a column: its name, its kind, and what the kind asks for. */
export function ColumnForm(
  props: FieldsProps & {
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
      <KindFields
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
          onChange={(event) => {
            const { hidden: _old, ...others } = column;
            onChange(event.currentTarget.checked ? { ...others, hidden: true } : others);
          }}
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

type FieldsProps = {
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

function KindFields({ at, column, columns, isFixed, refusal, problem, onChange }: FieldsProps) {
  const { t } = useTranslation();
  const models = useChatModels();
  const helpOf = (name: TextName | NumberName): string | undefined =>
    name === 'expression' || name === 'pattern' || name === 'seed' || name === 'minScore'
      ? t(`synthesis.columns.helpOf.${name}`, { judge: `{{${column.name}.score}}` })
      : undefined;
  const without = (name: keyof ColumnDraft): ColumnDraft => {
    const { [name]: _old, ...others } = column;
    return others as ColumnDraft;
  };
  const text = (name: TextName, { isLong = false, isOptional = false } = {}) => {
    const common = {
      label: t(`synthesis.columns.fields.${name}`),
      description: helpOf(name),
      value: column[name] ?? '',
      readOnly: isFixed,
      required: !isOptional && !isFixed,
      error: problem(name),
      onChange: (event: { currentTarget: { value: string } }) => {
        const { value } = event.currentTarget;
        onChange(value === '' && isOptional ? without(name) : { ...column, [name]: value });
      },
    };
    return isLong ? (
      <Textarea key={name} {...common} autosize minRows={2} maxRows={16} />
    ) : (
      <TextInput key={name} {...common} />
    );
  };
  const number = (name: NumberName, min: number, max: number) => (
    <NumberInput
      key={name}
      label={t(`synthesis.columns.fields.${name}`)}
      description={helpOf(name)}
      value={column[name] ?? ''}
      min={min}
      max={max}
      readOnly={isFixed}
      error={problem(name)}
      onChange={(next) => onChange(typeof next === 'number' ? { ...column, [name]: next } : without(name))}
    />
  );
  const model = (
    <Select
      label={t('synthesis.form.model')}
      placeholder={t('synthesis.columns.ofTask')}
      data={(models.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      value={column.model ?? null}
      clearable
      disabled={isFixed}
      error={problem('model')}
      onChange={(next) => onChange(next === null ? without('model') : { ...column, model: next })}
    />
  );
  const of = (
    <MultiSelect
      label={t('synthesis.columns.fields.of')}
      data={columns
        .map(({ name }) => name)
        .filter((name, index, all) => name !== column.name && all.indexOf(name) === index)}
      value={column.of ?? []}
      disabled={isFixed}
      error={problem('of')}
      onChange={(names) => onChange(names.length === 0 ? without('of') : { ...column, of: names })}
    />
  );
  switch (column.kind) {
    case 'EXPRESSION':
      return text('expression', { isLong: true });
    case 'MODEL':
      return (
        <>
          {text('prompt', { isLong: true })}
          {text('systemPrompt', { isLong: true, isOptional: true })}
          <SchemaField
            label={t('synthesis.columns.fields.outputSchema')}
            withFields
            value={column.outputSchema}
            isFixed={isFixed}
            error={problem('outputSchema')}
            onChange={(next) =>
              onChange(next === undefined ? without('outputSchema') : { ...column, outputSchema: next })
            }
          />
          {model}
          <Folded label={t('synthesis.columns.more')}>
            <ChecksFields
              preset={{ refusals: true, leaks: true, minCharacters: 1 }}
              value={column.checks ?? {}}
              fields={recordFieldsOf({ outputSchema: column.outputSchema })}
              refusal={refusal}
              at={`columns[${at}].checks`}
              disabled={isFixed}
              onChange={(checks) => onChange({ ...column, checks })}
            />
            <ParametersFields
              value={column.parameters ?? {}}
              isFixed={isFixed}
              refusal={refusal}
              at={`columns[${at}].parameters`}
              onChange={(parameters) => onChange({ ...column, parameters })}
            />
          </Folded>
        </>
      );
    case 'JUDGE':
      return (
        <>
          {of}
          {text('rubric', { isLong: true })}
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {number('minScore', 0, 10)}
            {model}
          </SimpleGrid>
        </>
      );
    case 'VALIDATOR':
      return (
        <>
          {of}
          {text('pattern', { isOptional: true })}
          <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
            {number('minCharacters', 0, 1_000_000)}
            {number('maxCharacters', 0, 1_000_000)}
            <Select
              label={t('synthesis.columns.fields.code')}
              data={[...codeLanguages]}
              value={column.code ?? null}
              clearable
              disabled={isFixed}
              error={problem('code')}
              onChange={(next) => {
                const code = codeLanguages.find((each) => each === next);
                onChange(code === undefined ? without('code') : { ...column, code });
              }}
            />
          </SimpleGrid>
          <SchemaField
            label={t('synthesis.columns.fields.schema')}
            value={column.schema}
            isFixed={isFixed}
            error={problem('schema')}
            onChange={(next) => onChange(next === undefined ? without('schema') : { ...column, schema: next })}
          />
        </>
      );
    case 'SAMPLER':
      return (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <Select
              label={t('synthesis.columns.fields.sampler')}
              data={samplers.map((value) => ({ value, label: t(`synthesis.columns.samplers.${value}`) }))}
              value={column.sampler ?? null}
              allowDeselect={false}
              disabled={isFixed}
              error={problem('sampler')}
              onChange={(next) => {
                const sampler = samplers.find((each) => each === next);
                if (sampler !== undefined && sampler !== column.sampler) onChange(columnOfSampler(sampler, column));
              }}
            />
            {number('seed', 0, Number.MAX_SAFE_INTEGER)}
          </SimpleGrid>
          {column.sampler === 'CATEGORY' && (
            <Values
              key={column.sampler}
              column={column}
              isFixed={isFixed}
              error={problem('values')}
              onChange={onChange}
            />
          )}
          {column.sampler === 'NUMBER' && (
            <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
              {number('minimum', -1e12, 1e12)}
              {number('maximum', -1e12, 1e12)}
              {number('decimals', 0, 6)}
            </SimpleGrid>
          )}
          {column.sampler === 'DATE' && (
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
              {text('from')}
              {text('to')}
            </SimpleGrid>
          )}
          {column.sampler === 'ROW' && (
            <>
              <DatasetSelect
                label={t('synthesis.columns.fields.datasetId')}
                value={column.datasetId}
                disabled={isFixed}
                onChange={(datasetId) =>
                  onChange(datasetId === undefined ? without('datasetId') : { ...column, datasetId })
                }
                {...(problem('datasetId') === undefined ? {} : { error: problem('datasetId') ?? '' })}
              />
              {text('prefix', { isOptional: true })}
            </>
          )}
        </>
      );
  }
}

function Values(props: {
  column: ColumnDraft;
  isFixed: boolean;
  error: string | undefined;
  onChange: (column: ColumnDraft) => void;
}) {
  const { t } = useTranslation();
  const { column, isFixed, error, onChange } = props;
  const [text, setText] = useState(() => linesOfValues(column.values));
  return (
    <Textarea
      label={t('synthesis.columns.fields.values')}
      description={t('synthesis.columns.valuesHelp')}
      value={text}
      autosize
      minRows={2}
      maxRows={12}
      readOnly={isFixed}
      error={error}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onChange({ ...column, values: valuesOfLines(event.currentTarget.value) });
      }}
    />
  );
}
