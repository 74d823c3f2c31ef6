import {
  ActionIcon,
  Button,
  Collapse,
  Group,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  addField,
  changeField,
  changeWithin,
  fieldsOf,
  fieldTypes,
  removeField,
  type FieldChange,
  type RecordField,
  type Schema,
} from './record-fields.ts';
import { readSchema } from './template-draft.ts';

type Props = {
  label: string;
  description: string;
  /** Explains what a record is without fields. */
  empty: string | undefined;
  /** The schema as JSON text, possibly not valid yet; empty for none. */
  text: string;
  isFixed: boolean;
  error: string | undefined;
  onChange: (text: string) => void;
};

/** Keywords that mean nothing in a schema without fields. */
const ofPlainObject = new Set(['type', 'properties', 'required', 'additionalProperties']);

/** The schema of a record as a list of fields, and as JSON, which also holds what the list does not show. */
export function SchemaEditor({ label, description, empty, text, isFixed, error, onChange }: Props) {
  const { t } = useTranslation();
  const schema = readSchema(text);
  const fields = schema === null ? [] : fieldsOf(schema);
  const problem = schema === undefined ? t('common.form.problem.json') : error;
  const [isOpen, { toggle }] = useDisclosure(false);
  const change = (next: Schema): void => onChange(JSON.stringify(next, undefined, 2));
  const isShown = isOpen || fields === undefined || problem !== undefined;
  return (
    <Stack gap="xs" role="group" aria-label={label}>
      {fields === undefined ? (
        <Text size="sm" c="dimmed">
          {t('synthesis.fields.onlyJson')}
        </Text>
      ) : (
        <Fields
          fields={fields}
          isFixed={isFixed}
          isInner={false}
          onAdd={() => change(addField(schema ?? null))}
          onChange={(name, next) => change(changeField(schema ?? {}, name, next))}
          onRemove={(name) => {
            const rest = removeField(schema ?? {}, name);
            // Without fields or other keywords, there is no schema and the reply is taken as it is.
            const isEmpty = fields.length === 1 && Object.keys(rest).every((keyword) => ofPlainObject.has(keyword));
            if (isEmpty) onChange('');
            else change(rest);
          }}
          onWithin={(name, within) => change(changeWithin(schema ?? {}, name, within))}
        />
      )}
      {fields?.length === 0 && empty !== undefined && (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      )}
      <div>
        <Button size="compact-sm" variant="subtle" px={4} aria-expanded={isShown} onClick={toggle}>
          {t('synthesis.editor.schema')}
        </Button>
        <Collapse expanded={isShown}>
          <Textarea
            aria-label={t('synthesis.editor.schema')}
            description={description}
            value={text}
            autosize
            minRows={3}
            maxRows={20}
            readOnly={isFixed}
            spellCheck={false}
            classNames={{ input: 'code-input' }}
            error={problem}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        </Collapse>
      </div>
    </Stack>
  );
}

type ListProps = {
  fields: readonly RecordField[];
  isFixed: boolean;
  /** Whether these are nested fields; anything nested deeper is shown only in the JSON. */
  isInner: boolean;
  onAdd: () => void;
  onChange: (name: string, change: FieldChange) => void;
  onRemove: (name: string) => void;
  onWithin: (name: string, change: (inner: Schema) => Schema) => void;
};

function Fields({ fields, isFixed, isInner, onAdd, onChange, onRemove, onWithin }: ListProps) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs">
      {fields.map((field, index) => (
        <section
          // Fields keep their identity while their name is typed; adding or removing fields renumbers them.
          key={`${index} of ${fields.length}`}
          className="schema-field"
          aria-label={t('synthesis.fields.field', { name: field.name })}
        >
          <FieldRow
            field={field}
            names={fields.map(({ name }) => name)}
            isFixed={isFixed}
            onChange={(change) => onChange(field.name, change)}
            onRemove={() => onRemove(field.name)}
          />
          {field.fields !== undefined &&
            (isInner ? (
              <Text size="xs" c="dimmed">
                {t('synthesis.fields.deeper')}
              </Text>
            ) : (
              <div className="schema-inner">
                <Fields
                  fields={field.fields}
                  isFixed={isFixed}
                  isInner
                  onAdd={() => onWithin(field.name, addField)}
                  onChange={(name, change) => onWithin(field.name, (inner) => changeField(inner, name, change))}
                  onRemove={(name) => onWithin(field.name, (inner) => removeField(inner, name))}
                  onWithin={() => undefined}
                />
              </div>
            ))}
        </section>
      ))}
      {!isFixed && (
        <Group>
          <Button size="compact-sm" variant="default" leftSection={<IconPlus size={14} />} onClick={onAdd}>
            {t(isInner ? 'synthesis.fields.addInner' : 'synthesis.fields.add')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function FieldRow(props: {
  field: RecordField;
  names: readonly string[];
  isFixed: boolean;
  onChange: (change: FieldChange) => void;
  onRemove: () => void;
}) {
  const { t } = useTranslation();
  const { field, names, isFixed, onChange, onRemove } = props;
  const { name, type, isRequired, description, values } = field;
  return (
    <>
      <div className="schema-field-head">
        <FieldName
          name={name}
          taken={names.filter((one) => one !== name)}
          isFixed={isFixed}
          onChange={(next) => onChange({ name: next })}
        />
        <Select
          label={t('synthesis.fields.type')}
          data={[...fieldTypes, ...(type === 'other' ? (['other'] as const) : [])].map((value) => ({
            value,
            label: t(`synthesis.fields.types.${value}`),
          }))}
          value={type}
          allowDeselect={false}
          disabled={isFixed}
          onChange={(next) => {
            const chosen = fieldTypes.find((one) => one === next);
            if (chosen !== undefined) onChange({ type: chosen });
          }}
        />
        <Switch
          className="schema-required"
          label={t('synthesis.fields.required')}
          checked={isRequired}
          disabled={isFixed}
          onChange={(event) => onChange({ isRequired: event.currentTarget.checked })}
        />
        {!isFixed && (
          <ActionIcon
            variant="subtle"
            color="red"
            size="lg"
            aria-label={t('synthesis.editor.removeVariable', { name })}
            onClick={onRemove}
          >
            <IconTrash size={16} />
          </ActionIcon>
        )}
      </div>
      {!(isFixed && description === '' && (values ?? []).length === 0) && (
        <div className="schema-field-more">
          <TextInput
            label={t('synthesis.form.description')}
            placeholder={t('synthesis.fields.descriptionHelp')}
            value={description}
            readOnly={isFixed}
            onChange={(event) => onChange({ description: event.currentTarget.value })}
          />
          {values !== undefined && (
            <TagsInput
              label={t('synthesis.fields.values')}
              placeholder={values.length === 0 ? t('synthesis.fields.anyValue') : ''}
              value={[...values]}
              splitChars={[]}
              disabled={isFixed}
              onChange={(next) => onChange({ values: next })}
            />
          )}
        </div>
      )}
    </>
  );
}

/** An empty or taken name stays in the box without effect: two fields of the same name would become one. */
function FieldName(props: {
  name: string;
  taken: readonly string[];
  isFixed: boolean;
  onChange: (name: string) => void;
}) {
  const { t } = useTranslation();
  const { name, taken, isFixed, onChange } = props;
  const [typed, setTyped] = useState({ text: name, of: name });
  // The name was changed elsewhere, for example in the JSON.
  const text = typed.of === name ? typed.text : name;
  const isTaken = taken.includes(text.trim());
  return (
    <TextInput
      label={t('runs.columns.name')}
      value={text}
      maxLength={100}
      readOnly={isFixed}
      error={isTaken ? t('synthesis.fields.taken') : undefined}
      onChange={(event) => {
        const next = event.currentTarget.value;
        const wanted = next.trim();
        const isUsable = wanted !== '' && !taken.includes(wanted);
        setTyped({ text: next, of: isUsable ? wanted : name });
        if (isUsable && wanted !== name) onChange(wanted);
      }}
    />
  );
}
