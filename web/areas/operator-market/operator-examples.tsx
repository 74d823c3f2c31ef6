import { Badge, Group, Stack, Text } from '@mantine/core';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../api/schema.ts';
import { useSay } from '../../messages/sentences.ts';
import { valueText } from '../../ui/field-value.ts';
import type { Field } from '../../ui/schema-fields.ts';
import { TextDiff } from '../../ui/text-diff.tsx';

type Example = Operator['examples'][number];
type Shown = Pick<Example, 'title' | 'params'> & { samples: readonly Example[] };

/**
 * Examples of an operator: the input, and the output with its changes marked or the reason for the drop; samples
 * processed as one set are shown together. The model in an example is a placeholder and not shown.
 */
export function OperatorExamples({
  operator,
  fields,
}: {
  operator: Pick<Operator, 'examples' | 'setExamples'>;
  fields: readonly Field[];
}) {
  const { t, i18n } = useTranslation();
  const say = useSay();
  const paramText = (name: string, value: unknown): string => {
    const field = fields.find((known) => known.name === name);
    return field === undefined
      ? `${name}: ${JSON.stringify(value)}`
      : `${field.label}: ${valueText(field, value, t, i18n.language)}`;
  };
  const isModel = (name: string): boolean => fields.find((field) => field.name === name)?.kind === 'model';
  return (
    <Stack gap="xs">
      {together(operator).map(({ title, params, samples }) => (
        <div key={title} className="example">
          <Group gap="xs" mb={2}>
            <Text size="xs" fw={600}>
              {title}
            </Text>
            {Object.entries(params)
              .filter(([name]) => !isModel(name))
              .map(([name, value]) => (
                <Badge key={name} size="xs" variant="outline" color="gray" className="status">
                  {paramText(name, value)}
                </Badge>
              ))}
          </Group>
          {samples.map(({ input, output, references, ...sample }, number) => (
            <Fragment key={number}>
              {references.map((text) => (
                <Text key={text} size="xs" c="dimmed" data-verbatim>
                  {t('operators.comparedWith', { text })}
                </Text>
              ))}
              {sample.dropped === null ? (
                output.map((text, index) => <TextDiff key={index} before={index === 0 ? input : ''} after={text} />)
              ) : (
                <>
                  <TextDiff before={input} after="" />
                  <Text size="xs" c="orange">
                    {t('operators.dropped', {
                      reason: say(sample, 'dropped').replaceAll(/\{sample (\d+)\}/g, (_, sampleNumber: string) =>
                        t('operators.sampleNumber', { number: sampleNumber }),
                      ),
                    })}
                  </Text>
                </>
              )}
            </Fragment>
          ))}
        </div>
      ))}
    </Stack>
  );
}

/** The API lists examples over whole sets sample after sample, one set after the other. */
function together({ examples, setExamples }: Pick<Operator, 'examples' | 'setExamples'>): Shown[] {
  if (setExamples.length === 0) return examples.map((example) => ({ ...example, samples: [example] }));
  let end = 0;
  return setExamples.map(({ title, params, inputs }) => {
    end += inputs.length;
    return { title, params, samples: examples.slice(end - inputs.length, end) };
  });
}
