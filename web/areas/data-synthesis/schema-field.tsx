import { Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SchemaEditor } from './schema-editor.tsx';
import { readSchema } from './template-draft.ts';

/** A JSON Schema as text; while the text is not one, it is kept as text and nothing can be saved. */
export function SchemaField(props: {
  label: string;
  /** Whether it is the schema of an object, so that its fields can be listed. */
  withFields?: boolean;
  value: unknown;
  isFixed: boolean;
  error: string | undefined;
  onChange: (value: unknown) => void;
}) {
  const { t } = useTranslation();
  const { label, withFields = false, value, isFixed, error, onChange } = props;
  const [text, setText] = useState(() =>
    value === undefined || value === null
      ? ''
      : typeof value === 'string'
        ? value
        : JSON.stringify(value, undefined, 2),
  );
  const change = (next: string): void => {
    setText(next);
    const schema = readSchema(next);
    onChange(schema === null ? undefined : (schema ?? next));
  };
  if (withFields)
    return (
      <div>
        <Text size="sm" fw={500} mb={4}>
          {label}
        </Text>
        <SchemaEditor
          label={label}
          description={t('synthesis.editor.schemaHelp')}
          empty={undefined}
          text={text}
          isFixed={isFixed}
          error={error}
          onChange={change}
        />
      </div>
    );
  return (
    <Textarea
      label={label}
      value={text}
      autosize
      minRows={1}
      maxRows={12}
      readOnly={isFixed}
      spellCheck={false}
      classNames={{ input: 'code-input' }}
      error={error ?? (typeof value === 'string' ? t('common.form.problem.json') : undefined)}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
