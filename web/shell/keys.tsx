import { Group, Kbd, Modal, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useAreas } from './area.ts';

/** Maximum time between `g` and the letter. */
const pauseMs = 1_200;

/** Keys that work on every page: `g` and a letter open a page, `?` lists all of them. */
export function Keys() {
  const { t } = useTranslation();
  const router = useRouter();
  const places = useAreas().flatMap(({ navigation = [] }) => navigation);
  const [isOpen, { open, close }] = useDisclosure();
  const press = useEffectEvent((key: string, isAfterG: boolean): boolean => {
    const place = isAfterG ? places.find((each) => each.key === key) : undefined;
    if (place !== undefined) void router.navigate({ to: place.to });
    else if (key === '?') open();
    return key === 'g' && !isAfterG;
  });
  useEffect(() => {
    let pressedAt = -pauseMs;
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
      const isG = press(event.key, performance.now() - pressedAt < pauseMs);
      pressedAt = isG ? performance.now() : -pauseMs;
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={t('shell.keys.title')}
      closeButtonProps={{ 'aria-label': t('common.actions.close') }}
    >
      <Table withRowBorders={false} verticalSpacing={4}>
        <Table.Tbody>
          <Line keys={[<Kbd key="search">Ctrl K</Kbd>]} what={t('shell.keys.search')} />
          {places.map(({ to, key, label }) => (
            <Line
              key={to}
              keys={[
                <Kbd key="g">g</Kbd>,
                <Text key="then" span size="xs" c="dimmed">
                  {t('shell.keys.followedBy')}
                </Text>,
                <Kbd key="letter">{key}</Kbd>,
              ]}
              what={t('shell.keys.goTo', { place: label(t) })}
            />
          ))}
          <Line keys={[<Kbd key="arrows">↓ ↑</Kbd>]} what={t('shell.keys.rows')} />
          <Line keys={[<Kbd key="enter">Enter</Kbd>]} what={t('shell.keys.open')} />
          <Line keys={[<Kbd key="sideways">→ ←</Kbd>]} what={t('shell.keys.tabs')} />
          <Line keys={[<Kbd key="escape">Esc</Kbd>]} what={t('shell.keys.close')} />
          <Line keys={[<Kbd key="help">?</Kbd>]} what={t('shell.keys.help')} />
        </Table.Tbody>
      </Table>
    </Modal>
  );
}

function Line({ keys, what }: { keys: ReactNode; what: string }) {
  return (
    <Table.Tr>
      <Table.Td w={120}>
        <Group gap={4}>{keys}</Group>
      </Table.Td>
      <Table.Td>{what}</Table.Td>
    </Table.Tr>
  );
}

/** Whether the user is typing, or in a list, menu or dialog, which gets the keys instead. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest('input, textarea, select, [role="dialog"], [role="menu"], [role="listbox"]') !== null)
  );
}
