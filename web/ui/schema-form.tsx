import { Anchor, Select, Stack, Switch, TagsInput, TextInput } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { valueText } from './field-value.ts';
import { InlineCode } from './inline-code.tsx';
import { JsonFieldInput, LinesInput, NumberFieldInput, TextFieldInput } from './schema-inputs.tsx';
import { textsOf, defaultsOf, problemOf, type Field, type Values } from './schema-fields.ts';

type Props = {
  fields: readonly Field[];
  values: Values;
  onChange: (values: Values) => void;
  /** Errors of the service, by field name. */
  errors?: Readonly<Record<string, string>>;
  disabled?: boolean;
  /** Renders a field in which datasets are chosen; without it they are edited as JSON. */
  datasetsField?: ComponentType<DatasetsFieldProps>;
  /** Renders a field in which a model is chosen; without it, its id is typed. */
  modelField?: ComponentType<ModelFieldProps>;
};

/** Props of a field for datasets. */
export type DatasetsFieldProps = {
  label: string;
  description: ReactNode;
  value: unknown;
  maxItems: number;
  error: string | undefined;
  disabled: boolean;
  onChange: (value: unknown) => void;
};

/** Props of a field for a model. */
export type ModelFieldProps = Omit<DatasetsFieldProps, 'maxItems'>;

/** A form generated from the fields of a schema: ranges and help from the schema, errors at their fields. */
export function SchemaForm({
  fields,
  values,
  onChange,
  errors = {},
  disabled = false,
  datasetsField,
  modelField,
}: Props) {
  return (
    <Stack gap="xs">
      {fields.map((field) => (
        <SchemaField
          key={field.name}
          field={field}
          value={values[field.name] ?? field.default}
          error={errors[field.name]}
          disabled={disabled}
          datasetsField={datasetsField}
          modelField={modelField}
          onChange={(value) => onChange({ ...values, [field.name]: value })}
        />
      ))}
    </Stack>
  );
}

function SchemaField(props: {
  field: Field;
  value: unknown;
  error: string | undefined;
  disabled: boolean;
  datasetsField: Props['datasetsField'];
  modelField: Props['modelField'];
  onChange: (value: unknown) => void;
}) {
  const { t, i18n } = useTranslation();
  const { field, value, disabled, onChange } = props;
  const differs = field.default !== undefined && JSON.stringify(value) !== JSON.stringify(field.default);
  const found = problemOf(field, value);
  // A required field that nobody has filled in yet only has its asterisk.
  const problem = found?.key === 'required' && value === undefined && field.kind !== 'number' ? undefined : found;
  const limit = problem !== undefined && 'limit' in problem ? problem.limit : '';
  const error = props.error ?? (problem === undefined ? undefined : t(`common.form.problem.${problem.key}`, { limit }));
  const common = {
    label: field.label,
    description: (
      <>
        {field.help !== undefined && <InlineCode text={field.help} />}
        {differs && (
          <>
            {' '}
            <span data-verbatim>
              {t('common.form.default', { value: valueText(field, field.default, t, i18n.language) })}
            </span>{' '}
            <Anchor
              component="button"
              type="button"
              inherit
              onClick={() => onChange(field.default)}
              disabled={disabled}
            >
              {t('common.form.reset')}
            </Anchor>
          </>
        )}
      </>
    ),
    disabled,
    required: field.required,
  } as const;
  const DatasetsField = props.datasetsField;
  if (field.kind === 'datasets' && DatasetsField !== undefined) {
    const { label, description } = common;
    return <DatasetsField {...{ label, description, value, disabled, error, onChange }} maxItems={field.maxItems} />;
  }
  const ModelField = props.modelField;
  if (field.kind === 'model' && ModelField !== undefined) {
    const { label, description } = common;
    return <ModelField {...{ label, description, value, disabled, error, onChange }} />;
  }
  switch (field.kind) {
    case 'boolean':
      return (
        <Switch
          {...common}
          checked={value === true}
          error={props.error}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'number':
      return <NumberFieldInput {...common} field={field} value={value} error={error} onChange={onChange} />;
    case 'choice':
      return (
        <Select
          {...common}
          data={field.options.map(String)}
          value={typeof value === 'string' || typeof value === 'number' ? String(value) : null}
          allowDeselect={!field.required && field.default === undefined}
          error={error}
          onChange={(next) => onChange(field.options.find((option) => String(option) === next))}
        />
      );
    case 'text':
      return <TextFieldInput {...common} field={field} value={value} error={error} onChange={onChange} />;
    case 'texts':
      if (field.byLine)
        return (
          <LinesInput
            {...common}
            lines={textsOf(value)}
            error={error}
            placeholder={t('common.form.byLine')}
            onLines={onChange}
          />
        );
      return <TagsInput {...common} value={textsOf(value)} error={error} onChange={onChange} />;
    case 'model':
      return (
        <TextInput
          {...common}
          value={typeof value === 'string' ? value : ''}
          error={error}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'pairs':
      return (
        <LinesInput
          {...common}
          lines={Object.entries(valuesOf(value)).map(([name, text]) => `${name}: ${String(text)}`)}
          error={error}
          placeholder={t('common.form.pairs')}
          onLines={(lines) => onChange(lines.length === 0 ? undefined : Object.fromEntries(lines.map(pairOf)))}
        />
      );
    case 'variants': {
      const values = valuesOf(value);
      const chosen = field.variants.find((variant) => variant.value === values[field.tag]);
      return (
        <Stack gap="xs">
          <Select
            {...common}
            data={field.variants.map((variant) => variant.value)}
            value={chosen?.value ?? null}
            clearable={!field.required}
            error={props.error}
            onChange={(next) => {
              const variant = field.variants.find((one) => one.value === next);
              onChange(
                variant === undefined ? undefined : { ...defaultsOf(variant.fields), [field.tag]: variant.value },
              );
            }}
          />
          {chosen !== undefined && (
            <SchemaForm
              fields={chosen.fields}
              values={values}
              disabled={disabled}
              onChange={(next) => onChange({ ...next, [field.tag]: chosen.value })}
            />
          )}
        </Stack>
      );
    }
    case 'datasets':
    case 'json':
      return <JsonFieldInput {...common} value={value} error={error} onChange={onChange} />;
  }
}

function valuesOf(value: unknown): Values {
  return typeof value === 'object' && value !== null ? (value as Values) : {};
}

/** `Accept: text/plain` → name and value. */
function pairOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return colon === -1 ? [line, ''] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
}
