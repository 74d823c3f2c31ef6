import { Badge, Code, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SynthesisColumnValue } from '../../api/schema.ts';
import { PromptMessages } from './prompt-messages.tsx';

/** The columns of a record in the order they were made: the value of each, and what a model was asked for it. */
export function ColumnValues({ columns }: { columns: readonly SynthesisColumnValue[] }) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm" component="ol" className="plain-list" aria-label={t('synthesis.columns.title')}>
      {columns.map(({ name, kind, value, messages }) => (
        <li key={name}>
          <Group gap="xs">
            <Text size="sm" fw={600}>
              {name}
            </Text>
            <Badge size="sm" variant="outline" color="gray" className="status">
              {t(`synthesis.columns.kinds.${kind}`)}
            </Badge>
          </Group>
          {value !== null && value !== undefined && (
            <Code block className="whole-row">
              {typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)}
            </Code>
          )}
          {messages.length > 0 && <PromptMessages messages={messages} />}
        </li>
      ))}
    </Stack>
  );
}
