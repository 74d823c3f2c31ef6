import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SynthesisMessage } from '../../api/schema.ts';

/** The messages exactly as the model gets them; text from the source is marked. */
export function PromptMessages({ messages }: { messages: readonly SynthesisMessage[] }) {
  const { t } = useTranslation();
  return (
    <Stack gap={6}>
      {messages.map(({ role, content }, index) => (
        <div key={index}>
          <Text size="xs" c="dimmed">
            {t(`synthesis.roles.${role}`)}
          </Text>
          <div className="prompt-text" tabIndex={0} role="group" aria-label={t(`synthesis.roles.${role}`)}>
            {role === 'user' ? <Marked text={content} /> : content}
          </div>
        </div>
      ))}
    </Stack>
  );
}

/** Marks the text between the tags, which the source can not close. */
function Marked({ text }: { text: string }) {
  return text.split(/(<(?:text|field)\b[^>]*>[^]*?<\/(?:text|field)\b[^>]*>)/).map((part, index) =>
    // Every second part is from the source; the order never changes.
    index % 2 === 1 ? <mark key={index}>{part}</mark> : part,
  );
}
