import { Group, NumberInput, Select, Stack, TagsInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Chunking } from '../../api/schema.ts';

/** The service's default. */
export const defaultChunking: Chunking = { strategy: 'RECURSIVE', size: 800, overlap: 80, unit: 'CHARACTERS' };

export const strategies = ['RECURSIVE', 'MARKDOWN', 'PARAGRAPH', 'SENTENCE', 'FIXED', 'CUSTOM_SEPARATOR'] as const;
const units = ['CHARACTERS', 'TOKENS'] as const;

/** Why a chunking can't be used; undefined if it can. */
export function chunkingProblem({
  strategy,
  size,
  overlap,
  separators,
}: Chunking): 'overlap' | 'separators' | undefined {
  if (overlap >= size) return 'overlap';
  return strategy === 'CUSTOM_SEPARATOR' && (separators ?? []).length === 0 ? 'separators' : undefined;
}

/** How texts are split: strategy, unit, separators, and both sizes as numbers. */
export function ChunkingFields(props: {
  value: Chunking;
  onChange: (value: Chunking) => void;
  /** True where sizes are set by sliders. */
  withoutSizes?: boolean;
  disabled?: boolean;
}) {
  const { t } = useTranslation();
  const { value, onChange, disabled = false } = props;
  const problem = chunkingProblem(value);
  return (
    <Stack gap="sm">
      <Select
        label={t('knowledge.chunking.strategy')}
        description={t(`knowledge.chunking.strategyHelp.${value.strategy}`)}
        data={strategies.map((strategy) => ({
          value: strategy,
          label: t(`knowledge.chunking.strategies.${strategy}`),
        }))}
        value={value.strategy}
        allowDeselect={false}
        disabled={disabled}
        onChange={(strategy) => strategy !== null && onChange({ ...value, strategy })}
      />
      {value.strategy === 'CUSTOM_SEPARATOR' && (
        <TagsInput
          label={t('knowledge.chunking.separators')}
          description={t('knowledge.chunking.separatorsHelp')}
          value={(value.separators ?? []).map(showSeparator)}
          error={problem === 'separators' ? t('knowledge.chunking.separatorsRequired') : undefined}
          splitChars={[]}
          maxTags={20}
          disabled={disabled}
          onChange={(separators) => onChange({ ...value, separators: separators.map(readSeparator) })}
        />
      )}
      <Group grow align="flex-start">
        {props.withoutSizes !== true && (
          <>
            <NumberInput
              label={t('knowledge.chunking.size')}
              value={value.size}
              min={1}
              max={100_000}
              allowDecimal={false}
              disabled={disabled}
              onChange={(size) => typeof size === 'number' && size >= 1 && onChange({ ...value, size })}
            />
            <NumberInput
              label={t('knowledge.chunking.overlap')}
              value={value.overlap}
              min={0}
              max={99_999}
              allowDecimal={false}
              disabled={disabled}
              error={problem === 'overlap' ? t('knowledge.chunking.overlapTooLarge') : undefined}
              onChange={(overlap) => typeof overlap === 'number' && onChange({ ...value, overlap })}
            />
          </>
        )}
        <Select
          label={t('knowledge.chunking.unit')}
          data={units.map((unit) => ({ value: unit, label: t(`knowledge.chunking.units.${unit}`) }))}
          value={value.unit}
          allowDeselect={false}
          disabled={disabled}
          onChange={(unit) => unit !== null && onChange({ ...value, unit })}
        />
      </Group>
    </Stack>
  );
}

function showSeparator(separator: string): string {
  return separator.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/**
 * `
 * ` and `\t` represent characters that can't be typed into a field.
 */
function readSeparator(shown: string): string {
  return shown.replaceAll(/\\([nt\\])/g, (_, letter: string) => (letter === 'n' ? '\n' : letter === 't' ? '\t' : '\\'));
}
