import { Alert, Button, Group, Kbd, Popover, Stack, Table, Text } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconKeyboard } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** Asks for confirmation before a reviewer's decision is lost. The button has the focus, so Enter confirms. */
export function RegenerationQuestion(props: { calls: number; onConfirm: () => void; onCancel: () => void }) {
  const { t } = useTranslation();
  const { calls, onConfirm, onCancel } = props;
  return (
    <Alert color="orange" role="alertdialog" title={t('synthesis.records.regenerateTitle')}>
      <Stack gap="xs">
        <Text size="sm">{t('synthesis.records.regenerateLoses', { count: calls })}</Text>
        <Group gap="xs">
          <Button size="compact-sm" autoFocus onClick={onConfirm}>
            {t('synthesis.records.regenerateAnyway')}
          </Button>
          <Button size="compact-sm" variant="default" onClick={onCancel}>
            {t('common.actions.cancel')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** A reviewer's action on a record, by button or key. */
export function ActionButton(props: {
  name: 'accept' | 'reject' | 'edit' | 'regenerate';
  shortcut: string;
  icon: React.ReactNode;
  color?: string;
  disabled?: boolean;
  busy: boolean;
  onClick: () => void;
}) {
  const { t } = useTranslation();
  const { name, shortcut, icon, color, disabled = false, busy, onClick } = props;
  return (
    <Button
      size="compact-sm"
      variant={color === undefined ? 'default' : 'light'}
      {...(color === undefined ? {} : { color })}
      leftSection={icon}
      rightSection={<Kbd size="xs">{shortcut}</Kbd>}
      disabled={disabled}
      loading={busy}
      title={t(`synthesis.records.${name}Help`)}
      aria-keyshortcuts={shortcut}
      onClick={onClick}
    >
      {t(`synthesis.records.${name}`)}
    </Button>
  );
}

const shortcuts = [
  ['A', 'accept'],
  ['X', 'reject'],
  ['E', 'edit'],
  ['R', 'regenerate'],
] as const;

/** Help on the keyboard shortcuts of a record; opened by its button or the question mark. */
export function KeysHelp() {
  const { t } = useTranslation();
  const [isOpen, { toggle, close }] = useDisclosure();
  useHotkeys([['shift+?', toggle]]);
  return (
    <Popover opened={isOpen} onChange={close} onClose={close} withArrow trapFocus={false} position="bottom-end">
      <Popover.Target>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<IconKeyboard size={15} />}
          rightSection={<Kbd size="xs">?</Kbd>}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {t('synthesis.records.keys')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('synthesis.records.keys')}>
        <Table withRowBorders={false} verticalSpacing={3}>
          <Table.Tbody>
            {shortcuts.map(([key, name]) => (
              <Table.Tr key={key}>
                <Table.Td w={64}>
                  <Kbd size="xs">{key}</Kbd>
                </Table.Td>
                <Table.Td>{t(`synthesis.records.${name}Help`)}</Table.Td>
              </Table.Tr>
            ))}
            <Table.Tr>
              <Table.Td>
                <Kbd size="xs">J</Kbd> <Kbd size="xs">K</Kbd>
              </Table.Td>
              <Table.Td>{t('synthesis.records.moveHelp')}</Table.Td>
            </Table.Tr>
            <Table.Tr>
              <Table.Td>
                <Kbd size="xs">Esc</Kbd>
              </Table.Td>
              <Table.Td>{t('synthesis.records.closeHelp')}</Table.Td>
            </Table.Tr>
          </Table.Tbody>
        </Table>
      </Popover.Dropdown>
    </Popover>
  );
}
