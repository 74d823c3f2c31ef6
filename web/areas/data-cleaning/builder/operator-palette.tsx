import {
  ActionIcon,
  Badge,
  Code,
  Group,
  HoverCard,
  ScrollArea,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useDraggable } from '@dnd-kit/core';
import { IconInfoCircle, IconPlus, IconSearch } from '@tabler/icons-react';
import { useState, type PointerEventHandler } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../../api/schema.ts';
import { InlineCode } from '../../../ui/inline-code.tsx';
import { OperatorExamples } from '../../operator-market/operator-examples.tsx';

const kinds = ['MAPPER', 'FILTER', 'DEDUPLICATOR', 'SPLITTER', 'SELECTOR'] as const;

/** Searchable list of operators; click, press Enter or drag one into the list of steps to add it. */
export function OperatorPalette({
  operators,
  onAdd,
}: {
  operators: readonly Operator[];
  onAdd: (operator: Operator) => void;
}) {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState('');
  const words = wanted.trim().toLowerCase();
  const found = operators.filter(({ id, name, description, categories }) =>
    [id, name, description, ...categories].join(' ').toLowerCase().includes(words),
  );
  const first = found[0];
  return (
    <Stack gap="xs">
      <TextInput
        type="search"
        aria-label={t('cleaning.palette.search')}
        placeholder={t('cleaning.palette.search')}
        leftSection={<IconSearch size={15} />}
        value={wanted}
        onChange={(event) => setWanted(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && first !== undefined) {
            event.preventDefault();
            onAdd(first);
          }
        }}
      />
      <ScrollArea.Autosize
        mah="62vh"
        type="auto"
        offsetScrollbars="present"
        className="palette-scroll"
        viewportProps={{ tabIndex: 0, 'aria-label': t('cleaning.palette.title') }}
      >
        <Stack gap="sm">
          {kinds.map((kind) => {
            const ofKind = found.filter((operator) => operator.kind === kind);
            return ofKind.length === 0 ? null : (
              <div key={kind}>
                <Text size="xs" c="dimmed" fw={600} mb={4}>
                  {t(`operators.kinds.${kind}`)}
                </Text>
                <Stack gap={4}>
                  {ofKind.map((operator) => (
                    <PaletteItem key={operator.id} operator={operator} onAdd={() => onAdd(operator)} />
                  ))}
                </Stack>
              </div>
            );
          })}
          {found.length === 0 && (
            <Text size="sm" c="dimmed">
              {t('common.search.nothing')}
            </Text>
          )}
        </Stack>
      </ScrollArea.Autosize>
    </Stack>
  );
}

function PaletteItem({ operator, onAdd }: { operator: Operator; onAdd: () => void }) {
  const { t } = useTranslation();
  const { setNodeRef, listeners, isDragging } = useDraggable({ id: `palette ${operator.id}`, data: { operator } });
  // Pointer only: keyboard dragging would take Enter and Space from the buttons.
  const onPointerDown = listeners?.onPointerDown as PointerEventHandler | undefined;
  return (
    <div
      ref={setNodeRef}
      onPointerDown={onPointerDown}
      className="palette-item"
      data-dragging={isDragging || undefined}
    >
      <UnstyledButton
        onClick={onAdd}
        aria-label={t('cleaning.palette.add', { name: operator.name })}
        className="palette-name"
      >
        <Group gap={6} wrap="nowrap">
          <IconPlus size={14} aria-hidden />
          <Text size="sm" className="wraps">
            {operator.name}
          </Text>
        </Group>
      </UnstyledButton>
      <HoverCard width={420} position="right-start" shadow="md" openDelay={250} withinPortal>
        <HoverCard.Target>
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            aria-label={t('cleaning.palette.about', { name: operator.name })}
          >
            <IconInfoCircle size={15} />
          </ActionIcon>
        </HoverCard.Target>
        <HoverCard.Dropdown>
          <Stack gap="xs">
            <Group gap="xs">
              <Code>{operator.id}</Code>
              {operator.categories.map((category) => (
                <Badge key={category} size="xs" variant="light" color="gray" className="status">
                  {category}
                </Badge>
              ))}
            </Group>
            <Text size="sm">
              <InlineCode text={operator.description} />
            </Text>
            <OperatorExamples examples={operator.examples.slice(0, 2)} />
          </Stack>
        </HoverCard.Dropdown>
      </HoverCard>
    </div>
  );
}
