import { JsonInput, NumberInput, PasswordInput, Textarea, TextInput, type TextareaProps } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isUnlimited, type Field } from './schema-fields.ts';

/** What the inputs of all kinds of fields have in common. */
type InputProps = {
  label: string;
  description: ReactNode;
  disabled: boolean;
  required: boolean;
  value: unknown;
  error: string | undefined;
  onChange: (value: unknown) => void;
};

/** The input of a number; empty for a number so high that it means no limit. */
export function NumberFieldInput({
  field,
  value,
  onChange,
  ...props
}: InputProps & { field: Extract<Field, { kind: 'number' }> }) {
  const { t } = useTranslation();
  return (
    <NumberInput
      {...props}
      value={typeof value === 'number' && !isUnlimited(field, value) ? value : ''}
      min={field.min}
      max={field.max}
      step={field.step ?? (field.isInteger ? 1 : stepOf(field.min, field.max))}
      allowDecimal={!field.isInteger}
      clampBehavior="none"
      // A port is an identifier rather than a quantity.
      thousandSeparator={field.isInteger && field.name !== 'port'}
      placeholder={isUnlimited(field, field.max) ? t('common.form.noLimit') : rangeText(field.min, field.max)}
      onChange={(next) =>
        onChange(typeof next === 'number' ? next : isUnlimited(field, field.max) ? field.max : undefined)
      }
    />
  );
}

/** The input of a text: of one line or several, hidden if it is a secret. */
export function TextFieldInput({
  field,
  value,
  onChange,
  ...props
}: InputProps & { field: Extract<Field, { kind: 'text' }> }) {
  const text = { ...props, value: typeof value === 'string' ? value : '', maxLength: field.maxLength };
  if (field.isSecret && field.hasLines)
    return (
      <Textarea
        {...text}
        autosize
        minRows={2}
        maxRows={6}
        autoComplete="off"
        spellCheck={false}
        styles={{ input: { WebkitTextSecurity: 'disc' } }}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  if (field.isSecret)
    return <PasswordInput {...text} autoComplete="off" onChange={(event) => onChange(event.currentTarget.value)} />;
  return field.isLong ? (
    <Textarea {...text} autosize minRows={2} maxRows={10} onChange={(event) => onChange(event.currentTarget.value)} />
  ) : (
    <TextInput {...text} onChange={(event) => onChange(event.currentTarget.value)} />
  );
}

/** The input of any other value, as JSON. */
export function JsonFieldInput({ value, onChange, ...props }: InputProps) {
  const { t } = useTranslation();
  return (
    <JsonInput
      {...props}
      defaultValue={value === undefined ? '' : JSON.stringify(value, undefined, 2)}
      autosize
      minRows={2}
      formatOnBlur
      validationError={t('common.form.problem.json')}
      onChange={(text) => {
        try {
          onChange(text.trim() === '' ? undefined : JSON.parse(text));
        } catch {
          // The field shows that this is not valid JSON yet; the last valid value stays.
        }
      }}
    />
  );
}

/** A list of texts, one per line; empty lines are ignored. */
export function LinesInput({
  lines,
  onLines,
  ...props
}: TextareaProps & { lines: string[]; onLines: (lines: string[]) => void }) {
  const [text, setText] = useState(lines.join('\n'));
  return (
    <Textarea
      {...props}
      value={text}
      autosize
      minRows={2}
      maxRows={12}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onLines(
          event.currentTarget.value
            .split('\n')
            .map((line) => line.trim())
            .filter((line) => line !== ''),
        );
      }}
    />
  );
}

function stepOf(min: number | undefined, max: number | undefined): number {
  return min !== undefined && max !== undefined && max - min <= 1 ? 0.05 : 0.1;
}

function rangeText(min: number | undefined, max: number | undefined): string | undefined {
  return min === undefined || max === undefined ? undefined : `${min} – ${max}`;
}
