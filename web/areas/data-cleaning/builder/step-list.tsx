import { ActionIcon, Badge, Collapse, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { useDroppable } from '@dnd-kit/core';
import { SortableContext, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import {
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronRight,
  IconCopy,
  IconGripVertical,
  IconTrash,
} from '@tabler/icons-react';
import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../../api/schema.ts';
import { InlineCode } from '../../../ui/inline-code.tsx';
import { fieldsOf, isUnlimited } from '../../../ui/schema-fields.ts';
import { SchemaForm } from '../../../ui/schema-form.tsx';
import { isStepComplete, moved, stepOf, type DraftStep } from './draft.ts';

type Props = {
  steps: readonly DraftStep[];
  operators: readonly Operator[];
  /** Steps whose form is open, by key. */
  open: ReadonlySet<string>;
  onOpen: (open: Set<string>) => void;
  onChange: (steps: DraftStep[]) => void;
};

/** The steps in their order: dragged by the grip or moved by Alt and the arrow keys, each with its parameters. */
export function StepList({ steps, operators, open, onOpen, onChange }: Props) {
  const { t } = useTranslation();
  const { setNodeRef, isOver } = useDroppable({ id: 'steps' });
  const toggle = (key: string): void => {
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    onOpen(next);
  };
  return (
    <div ref={setNodeRef} className="step-list" data-over={isOver || undefined}>
      {steps.length === 0 && (
        <Text size="sm" c="dimmed" ta="center" py="xl">
          {t('cleaning.steps.empty')}
        </Text>
      )}
      <SortableContext items={steps.map(({ key }) => key)} strategy={verticalListSortingStrategy}>
        <Stack gap="xs" component="ol" className="plain-order">
          {steps.map((step, index) => (
            <StepItem
              key={step.key}
              step={step}
              index={index}
              count={steps.length}
              operator={operators.find(({ id }) => id === step.operatorId)}
              isComplete={isStepComplete(step, operators)}
              isOpen={open.has(step.key)}
              onToggle={() => toggle(step.key)}
              onMove={(to) => onChange(moved(steps, index, to))}
              onCopy={() => onChange(steps.toSpliced(index + 1, 0, stepOf(step.operatorId, step.params)))}
              onRemove={() => onChange(steps.filter(({ key }) => key !== step.key))}
              onParams={(params) =>
                onChange(steps.map((other) => (other.key === step.key ? { ...other, params: { ...params } } : other)))
              }
            />
          ))}
        </Stack>
      </SortableContext>
    </div>
  );
}

type ItemProps = {
  step: DraftStep;
  index: number;
  count: number;
  operator: Operator | undefined;
  isComplete: boolean;
  isOpen: boolean;
  onToggle: () => void;
  onMove: (to: number) => void;
  onCopy: () => void;
  onRemove: () => void;
  onParams: (params: Readonly<Record<string, unknown>>) => void;
};

function StepItem(props: ItemProps) {
  const { t } = useTranslation();
  const { step, index, count, operator, isOpen } = props;
  const { setNodeRef, attributes, listeners, transform, transition, isDragging } = useSortable({ id: step.key });
  const name = operator?.name ?? step.operatorId;
  const fields = fieldsOf(operator?.paramsSchema);
  const byKeys = (event: KeyboardEvent): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    props.onMove(event.key === 'ArrowUp' ? index - 1 : index + 1);
  };
  return (
    <li
      ref={setNodeRef}
      className="step-item"
      data-dragging={isDragging || undefined}
      style={{ transform: CSS.Translate.toString(transform), transition }}
      onKeyDown={byKeys}
    >
      <Group gap={4} wrap="nowrap">
        <ActionIcon
          variant="subtle"
          color="gray"
          {...attributes}
          {...listeners}
          aria-label={t('cleaning.steps.drag', { name })}
          className="grip"
        >
          <IconGripVertical size={15} />
        </ActionIcon>
        <Text size="xs" c="dimmed" className="figure" w={18}>
          {index + 1}
        </Text>
        <UnstyledButton onClick={props.onToggle} aria-expanded={isOpen} className="step-name">
          <Group gap={4} wrap="nowrap">
            {isOpen ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
            <Text size="sm" fw={600} className="wraps">
              {name}
            </Text>
            {!props.isComplete && (
              <Badge size="xs" color="red" variant="light" className="status">
                {operator === undefined ? t('cleaning.steps.unknown') : t('cleaning.steps.incomplete')}
              </Badge>
            )}
          </Group>
          {!isOpen && (
            <Text size="xs" c="dimmed" truncate>
              {fields
                .map((field) => {
                  const value = step.params[field.name];
                  return `${field.label}: ${isUnlimited(field, value) ? t('cleaning.form.noLimit') : JSON.stringify(value)}`;
                })
                .join(' · ')}
            </Text>
          )}
        </UnstyledButton>
        <ActionIcon
          variant="subtle"
          color="gray"
          disabled={index === 0}
          aria-label={t('cleaning.steps.up', { name })}
          onClick={() => props.onMove(index - 1)}
        >
          <IconArrowUp size={15} />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          disabled={index === count - 1}
          aria-label={t('cleaning.steps.down', { name })}
          onClick={() => props.onMove(index + 1)}
        >
          <IconArrowDown size={15} />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('cleaning.steps.copy', { name })}
          onClick={props.onCopy}
        >
          <IconCopy size={15} />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={t('cleaning.steps.remove', { name })}
          onClick={props.onRemove}
        >
          <IconTrash size={15} />
        </ActionIcon>
      </Group>
      <Collapse expanded={isOpen}>
        <div className="step-form">
          <Text size="xs" c="dimmed" mb="xs">
            <InlineCode text={operator?.description ?? ''} />
          </Text>
          {fields.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t('cleaning.steps.noParams')}
            </Text>
          ) : (
            <SchemaForm fields={fields} values={step.params} onChange={props.onParams} />
          )}
        </div>
      </Collapse>
    </li>
  );
}
