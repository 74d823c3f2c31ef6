import { Badge, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../api/schema.ts';
import { useSay } from '../../messages/sentences.ts';
import { valueText } from '../../ui/field-value.ts';
import type { Field } from '../../ui/schema-fields.ts';
import { TextDiff } from '../../ui/text-diff.tsx';

/** Examples of an operator: the input, and the output with its changes marked or the reason for the drop. */
export function OperatorExamples({ examples, fields }: { examples: Operator['examples']; fields: readonly Field[] }) {
  const { t, i18n } = useTranslation();
  const say = useSay();
  const paramText = (name: string, value: unknown): string => {
    const field = fields.find((known) => known.name === name);
    return field === undefined
      ? `${name}: ${JSON.stringify(value)}`
      : `${field.label}: ${valueText(field, value, t, i18n.language)}`;
  };
  return (
    <Stack gap="xs">
      {examples.map(({ title, input, output, params, ...example }) => (
        <div key={title} className="example">
          <Group gap="xs" mb={2}>
            <Text size="xs" fw={600}>
              {title}
            </Text>
            {Object.entries(params).map(([name, value]) => (
              <Badge key={name} size="xs" variant="outline" color="gray" className="status">
                {paramText(name, value)}
              </Badge>
            ))}
          </Group>
          {example.dropped === null ? (
            output.map((text, index) => <TextDiff key={index} before={index === 0 ? input : ''} after={text} />)
          ) : (
            <>
              <TextDiff before={input} after="" />
              <Text size="xs" c="orange">
                {t('operators.dropped', { reason: say(example, 'dropped') })}
              </Text>
            </>
          )}
        </div>
      ))}
    </Stack>
  );
}
