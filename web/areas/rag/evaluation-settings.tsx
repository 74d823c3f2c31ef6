import { ActionIcon, Button, Group, NumberInput, Select, Stack } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SearchWeights } from '../../api/schema.ts';
import { mostSettings, type EvaluatedSettings } from './evaluation.ts';
import { searchModes } from './rag-search.ts';
import { vectorShare } from './search-request.ts';

/** The compared settings, one per row. */
export function EvaluationSettings(props: {
  value: readonly EvaluatedSettings[];
  hasNext: boolean;
  /** The weights of settings that set none. */
  hybridWeights: SearchWeights;
  onChange: (settings: EvaluatedSettings[]) => void;
}) {
  const { t } = useTranslation();
  const { value, hasNext, hybridWeights, onChange } = props;
  const change = (at: number, values: Partial<EvaluatedSettings>): void =>
    onChange(value.map((one, index) => (index === at ? { ...one, ...values } : one)));
  return (
    <Stack gap="xs">
      {value.map((one, at) => (
        <Group
          key={at}
          gap="xs"
          align="flex-end"
          role="group"
          aria-label={t('knowledge.evaluate.setting', { number: at + 1 })}
        >
          <Select
            size="xs"
            label={t('knowledge.search.mode')}
            data={searchModes.map((mode) => ({ value: mode, label: t(`knowledge.search.modes.${mode}`) }))}
            value={one.mode ?? 'HYBRID'}
            allowDeselect={false}
            w={140}
            onChange={(mode) => mode !== null && change(at, { mode })}
          />
          <NumberInput
            size="xs"
            label={t('knowledge.evaluate.topK')}
            min={1}
            max={200}
            allowDecimal={false}
            w={90}
            value={one.topK ?? 10}
            onChange={(topK) => typeof topK === 'number' && topK >= 1 && change(at, { topK })}
          />
          <NumberInput
            size="xs"
            label={t('knowledge.evaluate.vectorWeight')}
            min={0}
            max={100}
            allowDecimal={false}
            w={130}
            disabled={(one.mode ?? 'HYBRID') !== 'HYBRID'}
            value={vectorShare(one.weights ?? hybridWeights)}
            onChange={(vector) =>
              typeof vector === 'number' && change(at, { weights: { vector, keyword: 100 - vector } })
            }
          />
          <NumberInput
            size="xs"
            label={t('knowledge.search.minScore')}
            min={0}
            max={1}
            step={0.05}
            decimalScale={2}
            w={110}
            value={one.minScore ?? 0}
            onChange={(minScore) => typeof minScore === 'number' && change(at, { minScore })}
          />
          {hasNext && (
            <Select
              size="xs"
              label={t('knowledge.evaluate.index')}
              data={(['CURRENT', 'NEXT'] as const).map((index) => ({
                value: index,
                label: t(`knowledge.evaluate.indexes.${index}`),
              }))}
              value={one.index ?? 'CURRENT'}
              allowDeselect={false}
              w={150}
              onChange={(index) => index !== null && change(at, { index })}
            />
          )}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('knowledge.evaluate.removeSetting', { number: at + 1 })}
            disabled={value.length === 1}
            onClick={() => onChange(value.filter((_, index) => index !== at))}
          >
            <IconX size={15} />
          </ActionIcon>
        </Group>
      ))}
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} />}
          disabled={value.length >= mostSettings}
          onClick={() => onChange([...value, { ...(value.at(-1) ?? { mode: 'HYBRID', topK: 10 }) }])}
        >
          {t('knowledge.evaluate.addSetting')}
        </Button>
      </Group>
    </Stack>
  );
}
