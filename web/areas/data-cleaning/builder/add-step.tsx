import {
  Badge,
  Button,
  Group,
  Popover,
  ScrollArea,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../../api/schema.ts';
import { InlineCode } from '../../../ui/inline-code.tsx';
import { findOperators } from '../../operator-market/operator-search.ts';
import { fits, processedBy, type Content } from './fitting-operators.ts';

type Props = {
  operators: readonly Operator[];
  /** What the source holds. Operators with nothing to do there are listed only on request. */
  held: ReadonlySet<Content>;
  onAdd: (operator: Operator) => void;
};

/** Button that opens the searchable list of operators; a click or Enter adds one. */
export function AddStep({ operators, held, onAdd }: Props) {
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
      // The list's height is known only once it is drawn.
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
          held={held}
          onAdd={(operator) => {
            setOpen(false);
            onAdd(operator);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

function OperatorPalette({ operators, held, onAdd }: Props) {
  const { t, i18n } = useTranslation();
  const [wanted, setWanted] = useState('');
  const [shown, setShown] = useState<'fitting' | 'all'>('fitting');
  const list = useRef<HTMLDivElement>(null);
  // A disabled operator stays installed, but nothing can use it.
  const usable = useMemo(() => operators.filter(({ status }) => status !== 'DISABLED'), [operators]);
  const all = useMemo(() => findOperators(usable, wanted), [usable, wanted]);
  const fitting = all.filter((operator) => fits(operator, held));
  const isNarrow = usable.some((operator) => !fits(operator, held));
  const found = isNarrow && shown === 'fitting' ? fitting : all;
  const [first] = found;
  const namesOf = (some: Iterable<Content>, type: 'conjunction' | 'disjunction'): string =>
    new Intl.ListFormat(i18n.language, { type }).format(
      [...some].map((content) => t(`cleaning.palette.contents.${content}`)),
    );
  /** Arrow keys move through the search field and the operators below it. */
  const move = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const stops = [...(list.current?.querySelectorAll<HTMLElement>('input[type=search], .palette-item') ?? [])];
    const at = stops.findIndex((stop) => stop === document.activeElement);
    // The switch between them handles arrow keys itself.
    if (at === -1) return;
    event.preventDefault();
    stops[Math.min(stops.length - 1, Math.max(0, at + (event.key === 'ArrowDown' ? 1 : -1)))]?.focus();
  };
  /** The button disappears when pressed, so the focus moves to the search field. */
  const showAll = (): void => {
    setShown('all');
    list.current?.querySelector('input')?.focus();
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
      {isNarrow && (
        <SegmentedControl
          size="xs"
          aria-label={t('cleaning.palette.which')}
          value={shown}
          onChange={(value) => setShown(value === 'all' ? 'all' : 'fitting')}
          data={[
            {
              value: 'fitting',
              label: t('cleaning.palette.fitting', { contents: namesOf(held, 'conjunction'), count: fitting.length }),
            },
            { value: 'all', label: t('cleaning.palette.all', { count: all.length }) },
          ]}
        />
      )}
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
              {operator.source === 'PUBLISHED' && (
                <Text size="xs">
                  {t('cleaning.palette.published', {
                    version: operator.version,
                    name: operator.createdBy ?? operator.author,
                  })}
                </Text>
              )}
              {!fits(operator, held) && (
                <Text size="xs" c="orange">
                  {t('cleaning.palette.needs', { contents: namesOf(processedBy(operator), 'disjunction') })}
                </Text>
              )}
              <Text size="xs" c="dimmed" lineClamp={2}>
                <InlineCode text={operator.description} />
              </Text>
            </UnstyledButton>
          ))}
          {found.length === 0 && (
            <Stack gap="xs" align="flex-start">
              <Text size="sm" c="dimmed" role="status">
                {t(all.length === 0 ? 'cleaning.palette.nothing' : 'cleaning.palette.noneFits')}
              </Text>
              {all.length > 0 && (
                <Button size="xs" variant="light" onClick={showAll}>
                  {t('cleaning.palette.showAll', { count: all.length })}
                </Button>
              )}
            </Stack>
          )}
        </Stack>
      </ScrollArea>
    </Stack>
  );
}
