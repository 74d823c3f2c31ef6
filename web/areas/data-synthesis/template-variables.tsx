import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SynthesisVariable } from '../../api/schema.ts';
import { problemAt, type Refusal } from './refusal.ts';

/** The variables of the prompts, including those that are used but not declared. */
export function TemplateVariables(props: {
  variables: readonly SynthesisVariable[];
  undeclared: readonly string[];
  isFixed: boolean;
  refusal: Refusal | undefined;
  onChange: (variables: readonly SynthesisVariable[]) => void;
}) {
  const { t } = useTranslation();
  const { variables, undeclared, isFixed, refusal, onChange } = props;
  const change = (at: number, next: Partial<SynthesisVariable>): void =>
    onChange(variables.map((variable, index) => (index === at ? { ...variable, ...next } : variable)));
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        {t('synthesis.editor.variables')}
      </Text>
      <Text size="xs" c="dimmed">
        {t('synthesis.editor.variablesHelp')}
      </Text>
      {variables.map(({ name, description, default: preset }, index) => (
        <div key={index} className="variable-row">
          <TextInput
            label={t('runs.columns.name')}
            value={name}
            maxLength={64}
            readOnly={isFixed}
            error={problemAt(refusal, `variables[${index}]`)}
            onChange={(event) => change(index, { name: event.currentTarget.value })}
          />
          <TextInput
            label={t('synthesis.form.description')}
            value={description ?? ''}
            readOnly={isFixed}
            onChange={(event) => change(index, { description: event.currentTarget.value })}
          />
          <TextInput
            label={t('synthesis.editor.preset')}
            placeholder={t('synthesis.editor.noPreset')}
            value={preset ?? ''}
            readOnly={isFixed}
            onChange={(event) => {
              const { default: _old, ...others } = variables[index] ?? { name };
              const value = event.currentTarget.value;
              const next = value === '' ? others : { ...others, default: value };
              onChange(variables.map((variable, at) => (at === index ? next : variable)));
            }}
          />
          {!isFixed && (
            <ActionIcon
              variant="subtle"
              color="red"
              size="lg"
              aria-label={t('synthesis.editor.removeVariable', { name })}
              onClick={() => onChange(variables.filter((_, at) => at !== index))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          )}
        </div>
      ))}
      {!isFixed && (
        <Group gap="xs">
          {undeclared.map((name) => (
            <Button
              key={name}
              size="compact-sm"
              variant="light"
              color="orange"
              leftSection={<IconPlus size={14} />}
              onClick={() => onChange([...variables, { name }])}
            >
              {t('synthesis.editor.declare', { name })}
            </Button>
          ))}
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...variables, { name: freeName(variables) }])}
          >
            {t('synthesis.editor.addVariable')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function freeName(variables: readonly SynthesisVariable[]): string {
  const names = new Set(variables.map(({ name }) => name));
  let at = 1;
  while (names.has(`variable_${at}`)) at += 1;
  return `variable_${at}`;
}
