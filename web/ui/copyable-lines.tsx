import { Button, Code, CopyButton, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** Lines to copy, such as a command. */
export function CopyableLines({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Code block className="command" tabIndex={0}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="compact-sm" variant="subtle" flex="none" onClick={copy}>
            {copied ? t('common.actions.copied') : t('common.actions.copy')}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
