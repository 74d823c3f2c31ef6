import { Badge, Button, Group, Popover, ScrollArea, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../../api/schema.ts';
import { InlineCode } from '../../../ui/inline-code.tsx';
import { findOperators } from '../../operator-market/operator-search.ts';

/** Button that opens the list of operators, searched by what they do; a click or Enter adds one. */
export function AddStep({ operators, onAdd }: { operators: readonly Operator[]; onAdd: (operator: Operator) => void }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-start"
      shadow="md"
      trapFocus
      returnFocus
      withinPortal
      hideDetached={false}
      // Its height is known only once it is drawn.
      preventPositionChangeWhenVisible={false}
    >
      <Popover.Target>
        <Button
          variant="light"
          size="xs"
          leftSection={<IconPlus size={15} />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {t('cleaning.steps.add')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className="palette" aria-label={t('cleaning.palette.title')}>
        <OperatorPalette
          operators={operators}
          onAdd={(operator) => {
            setOpen(false);
            onAdd(operator);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

function OperatorPalette({
  operators,
  onAdd,
}: {
  operators: readonly Operator[];
  onAdd: (operator: Operator) => void;
}) {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const found = findOperators(operators, wanted);
  const [first] = found;
  /** Arrow keys go through the search field and the operators below it. */
  const move = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const stops = [...(list.current?.querySelectorAll<HTMLElement>('input, .palette-item') ?? [])];
    const at = stops.findIndex((stop) => stop === document.activeElement);
    stops[Math.min(stops.length - 1, Math.max(0, at + (event.key === 'ArrowDown' ? 1 : -1)))]?.focus();
  };
  return (
    <Stack gap="xs" ref={list} onKeyDown={move}>
      <TextInput
        type="search"
        data-autofocus
        aria-label={t('cleaning.palette.search')}
        placeholder={t('cleaning.palette.search')}
        leftSection={<IconSearch size={15} />}
        value={wanted}
        onChange={(event) => setWanted(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || first === undefined) return;
          event.preventDefault();
          onAdd(first);
        }}
      />
      <ScrollArea h={340} type="auto" offsetScrollbars="present" className="palette-scroll">
        <Stack gap={2}>
          {found.map((operator) => (
            <UnstyledButton key={operator.id} className="palette-item" onClick={() => onAdd(operator)}>
              <span className="sr-only">{t('cleaning.palette.add', { name: operator.name })}</span>
              <Group gap="xs" justify="space-between" wrap="nowrap">
                <Text size="sm" fw={600} className="wraps" aria-hidden>
                  {operator.name}
                </Text>
                <Badge size="xs" variant="light" color="gray" className="status">
                  {t(`operators.kinds.${operator.kind}`)}
                </Badge>
              </Group>
              <Text size="xs" c="dimmed" lineClamp={2}>
                <InlineCode text={operator.description} />
              </Text>
            </UnstyledButton>
          ))}
          {found.length === 0 && (
            <Text size="sm" c="dimmed" role="status">
              {t('cleaning.palette.nothing')}
            </Text>
          )}
        </Stack>
      </ScrollArea>
    </Stack>
  );
}
