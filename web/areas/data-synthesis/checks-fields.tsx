import { Group, NumberInput, Select, SimpleGrid, Stack, Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SynthesisChecks } from '../../api/schema.ts';
import type { ColumnDraft } from './column-draft.ts';
import { problemAt, type Refusal } from './refusal.ts';

/** Languages offered by the choice; through the API any code can be set. */
const languages = ['SOURCE', 'en', 'zh', 'de', 'es', 'fr', 'ja', 'ko', 'pt', 'ru'] as const;
const noLanguage = 'ANY';

type Props = {
  /** The checks that apply unless `value` overrides them. */
  preset: SynthesisChecks;
  value: SynthesisChecks;
  onChange: (value: SynthesisChecks) => void;
  /** Fields of the record, for grounding. */
  fields: readonly string[];
  refusal: Refusal | undefined;
  /** The path of the checks in a refusal. */
  at?: string;
  disabled?: boolean;
};

/** The checks of each record, after its schema. */
export function ChecksFields({ preset, value, onChange, fields, refusal, at = 'checks', disabled = false }: Props) {
  const { t } = useTranslation();
  const now = { ...preset, ...value };
  const set = (next: SynthesisChecks): void => onChange({ ...value, ...next });
  const limit = (name: 'minCharacters' | 'maxCharacters' | 'similarToSource' | 'similarToRecords') => {
    const isShare = name.startsWith('similar');
    return (
      <NumberInput
        key={name}
        label={t(`synthesis.checks.${name}`)}
        description={isShare ? t(`synthesis.checks.${name as 'similarToSource'}Help`) : undefined}
        placeholder={t('synthesis.checks.none')}
        value={now[name] ?? ''}
        min={0}
        max={isShare ? 1 : 1_000_000}
        step={isShare ? 0.05 : 1}
        decimalScale={isShare ? 2 : 0}
        disabled={disabled}
        error={problemAt(refusal, `${at}.${name}`)}
        onChange={(next) => set({ [name]: typeof next === 'number' ? next : null })}
      />
    );
  };
  const known = languages.find((each) => each === now.language);
  const choices = known === undefined && typeof now.language === 'string' ? [now.language] : [];
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Switch
          label={t('synthesis.checks.refusals')}
          checked={now.refusals !== false}
          disabled={disabled}
          onChange={(event) => set({ refusals: event.currentTarget.checked })}
        />
        <Switch
          label={t('synthesis.checks.leaks')}
          checked={now.leaks !== false}
          disabled={disabled}
          onChange={(event) => set({ leaks: event.currentTarget.checked })}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {limit('minCharacters')}
        {limit('maxCharacters')}
        {limit('similarToSource')}
        {limit('similarToRecords')}
      </SimpleGrid>
      <Select
        label={t('synthesis.checks.language')}
        data={[
          { value: noLanguage, label: t('synthesis.checks.anyLanguage') },
          ...languages.map((code) => ({ value: code, label: t(`synthesis.checks.languages.${code}`) })),
          ...choices.map((code) => ({ value: code, label: code })),
        ]}
        value={now.language ?? noLanguage}
        allowDeselect={false}
        disabled={disabled}
        error={problemAt(refusal, `${at}.language`)}
        onChange={(next) => set({ language: next === noLanguage ? null : next })}
      />
      <Group grow align="flex-start" gap="sm">
        <Select
          label={t('synthesis.checks.grounding')}
          description={t('synthesis.checks.groundingHelp')}
          placeholder={t('synthesis.checks.none')}
          data={[...new Set([...fields, ...(now.grounding ? [now.grounding.field] : [])])]}
          value={now.grounding?.field ?? null}
          clearable
          disabled={disabled}
          error={problemAt(refusal, `${at}.grounding`)}
          onChange={(field) => set({ grounding: field === null ? null : { field, min: now.grounding?.min ?? 0.5 } })}
        />
      </Group>
      {now.grounding && (
        <NumberInput
          label={t('synthesis.checks.groundingMin')}
          value={now.grounding.min}
          min={0}
          max={1}
          step={0.05}
          decimalScale={2}
          disabled={disabled}
          onChange={(min) =>
            typeof min === 'number' && now.grounding && set({ grounding: { field: now.grounding.field, min } })
          }
        />
      )}
    </Stack>
  );
}

/** The checks that apply unless a template or task overrides them. */
export function presetChecks(type: string): SynthesisChecks {
  return {
    refusals: true,
    leaks: true,
    minCharacters: 1,
    ...(type === 'CLASSIFICATION' ? {} : { similarToRecords: 0.9 }),
  };
}

type RecordForm = { outputSchema?: unknown; columns?: readonly Pick<ColumnDraft, 'name' | 'kind' | 'hidden'>[] | null };

/** The names of the fields of a record. */
export function recordFieldsOf({ outputSchema, columns }: RecordForm): string[] {
  if (columns !== undefined && columns !== null)
    return columns.filter(({ kind, hidden }) => kind !== 'VALIDATOR' && hidden !== true).map(({ name }) => name);
  const properties = (outputSchema as { properties?: unknown } | null | undefined)?.properties;
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : ['text'];
}
