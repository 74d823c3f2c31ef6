import { Badge, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../api/schema.ts';
import { TextDiff } from '../../ui/text-diff.tsx';

/** Examples of an operator: the input, and the output with its changes marked or the reason for the drop. */
export function OperatorExamples({ examples }: { examples: Operator['examples'] }) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs">
      {examples.map(({ title, input, output, dropped, params }) => (
        <div key={title} className="example">
          <Group gap="xs" mb={2}>
            <Text size="xs" fw={600}>
              {title}
            </Text>
            {Object.entries(params).map(([name, value]) => (
              <Badge key={name} size="xs" variant="outline" color="gray" className="status">
                {name}: {JSON.stringify(value)}
              </Badge>
            ))}
          </Group>
          {dropped === null ? (
            output.map((text, index) => <TextDiff key={index} before={index === 0 ? input : ''} after={text} />)
          ) : (
            <>
              <TextDiff before={input} after="" />
              <Text size="xs" c="orange">
                {t('operators.dropped', { reason: dropped })}
              </Text>
            </>
          )}
        </div>
      ))}
    </Stack>
  );
}
