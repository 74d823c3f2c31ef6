import { NumberInput, SimpleGrid, TagsInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SynthesisParameters } from '../../api/schema.ts';
import { problemAt, type Refusal } from './refusal.ts';

const numbers = [
  ['temperature', 0, 2, 0.1],
  ['topP', 0, 1, 0.05],
  ['maxTokens', 1, 1_000_000, 1],
  ['seed', 0, Number.MAX_SAFE_INTEGER, 1],
  ['frequencyPenalty', -2, 2, 0.1],
  ['presencePenalty', -2, 2, 0.1],
] as const;

/** Parameters of a model call; those not set are the model's own. */
export function ParametersFields(props: {
  value: SynthesisParameters;
  isFixed: boolean;
  refusal: Refusal | undefined;
  /** The path of the parameters in a refusal. */
  at: string;
  onChange: (value: SynthesisParameters) => void;
}) {
  const { t } = useTranslation();
  const { value, isFixed, refusal, at, onChange } = props;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }} spacing="sm">
        {numbers.map(([name, min, max, step]) => (
          <NumberInput
            key={name}
            label={t(`synthesis.parameters.${name}`)}
            placeholder={t('synthesis.parameters.ofModel')}
            value={value[name] ?? ''}
            min={min}
            max={max}
            step={step}
            allowDecimal={step < 1}
            readOnly={isFixed}
            error={problemAt(refusal, `${at}.${name}`)}
            onChange={(next) => {
              const { [name]: _old, ...others } = value;
              onChange(typeof next === 'number' ? { ...others, [name]: next } : others);
            }}
          />
        ))}
      </SimpleGrid>
      <TagsInput
        label={t('synthesis.parameters.stop')}
        value={value.stop ?? []}
        maxTags={4}
        splitChars={[]}
        disabled={isFixed}
        error={problemAt(refusal, `${at}.stop`)}
        onChange={(stop) => {
          const { stop: _old, ...others } = value;
          onChange(stop.length === 0 ? others : { ...others, stop });
        }}
      />
    </>
  );
}
