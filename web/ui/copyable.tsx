import { ActionIcon, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** A path, id or command in monospace with a copy button; clipped text is shown in full on hover. */
export function Copyable({ value, label, clip = true }: { value: string; label?: string; clip?: boolean }) {
  const { t } = useTranslation();
  return (
    <Group gap={4} wrap="nowrap" className="copyable">
      <Text span ff="monospace" size="xs" truncate={clip} title={value}>
        {label ?? value}
      </Text>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? t('common.actions.copied') : t('common.actions.copy')}>
            <ActionIcon
              size="sm"
              variant="subtle"
              color={copied ? 'green' : 'gray'}
              aria-label={t('common.actions.copy')}
              onClick={copy}
            >
              {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}
