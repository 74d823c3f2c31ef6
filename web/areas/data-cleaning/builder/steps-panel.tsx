import {
  closestCenter,
  DndContext,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
  type DragEndEvent,
} from '@dnd-kit/core';
import { sortableKeyboardCoordinates } from '@dnd-kit/sortable';
import { Group, Text, Title } from '@mantine/core';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../../api/schema.ts';
import type { Draft } from '../drafts/draft.ts';
import { AddStep } from './add-step.tsx';
import { StepList } from './step-list.tsx';
import { TemplateMenu } from './template-menu.tsx';
import { useDragWords } from './use-drag-words.ts';

type Props = ComponentProps<typeof StepList> & {
  /** The draft with its proposed names, for saving its steps as a template. */
  draft: Draft;
  /** Operators that can be added as steps, and what the source holds. */
  installed: readonly Operator[];
  held: ComponentProps<typeof AddStep>['held'];
  onAdd: (operator: Operator) => void;
  onDrop: (event: DragEndEvent) => void;
  error: string | undefined;
};

/** The steps in order, moved by pointer or keyboard. */
export function StepsPanel({ draft, installed, held, onAdd, onDrop, error, ...list }: Props) {
  const { t } = useTranslation();
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 6 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const dragWords = useDragWords(draft.steps, list.operators);
  return (
    <section className="panel builder-panel" aria-label={t('cleaning.steps.title')}>
      <Group justify="space-between" mb={6}>
        <Title order={2} size="h5">
          {t('cleaning.steps.title')}
        </Title>
        <TemplateMenu draft={draft} onSteps={list.onChange} />
      </Group>
      <DndContext sensors={sensors} collisionDetection={closestCenter} accessibility={dragWords} onDragEnd={onDrop}>
        <StepList {...list} />
      </DndContext>
      <Group mt="xs">
        <AddStep operators={installed} held={held} onAdd={onAdd} />
      </Group>
      {error !== undefined && (
        <Text size="sm" c="red" mt="xs">
          {error}
        </Text>
      )}
    </section>
  );
}
