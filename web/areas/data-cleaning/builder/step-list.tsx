import { Stack, Text } from '@mantine/core';
import { useDroppable } from '@dnd-kit/core';
import { SortableContext, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../../api/schema.ts';
import { inVersion, isStepComplete, moved, operatorOf, stepOf, type DraftStep } from '../drafts/draft.ts';
import { StepItem } from './step-item.tsx';
import type { StepProblem } from './step-problem.ts';
import type { StepCounts } from './use-preview.ts';

type Props = {
  steps: readonly DraftStep[];
  operators: readonly Operator[];
  /** Steps whose form is open, by key. */
  open: ReadonlySet<string>;
  onOpen: (open: Set<string>) => void;
  onChange: (steps: DraftStep[]) => void;
  /** What each step did to the samples of the preview, by key. */
  counts: ReadonlyMap<string, StepCounts>;
  isStale: boolean;
  /** What the service refuses in one step. */
  problem: StepProblem | undefined;
};

/** The steps in order, each with its parameters; dragged by the grip, or moved by Alt and the arrow keys. */
export function StepList({ steps, operators, open, onOpen, onChange, counts, isStale, problem }: Props) {
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
        <Text size="sm" c="dimmed" py="xs">
          {t('cleaning.steps.empty')}
        </Text>
      )}
      <SortableContext items={steps.map(({ key }) => key)} strategy={verticalListSortingStrategy}>
        <Stack gap={6} component="ol" className="plain-order">
          {steps.map((step, index) => (
            <StepItem
              key={step.key}
              step={step}
              index={index}
              count={steps.length}
              operator={operatorOf(step, operators)}
              isInstalled={operators.some(({ id, installed }) => id === step.operatorId && installed)}
              isComplete={isStepComplete(step, operators)}
              isOpen={open.has(step.key)}
              counts={counts.get(step.key)}
              isStale={isStale}
              problem={problem?.key === step.key ? problem : undefined}
              onToggle={() => toggle(step.key)}
              onMove={(to) => onChange(moved(steps, index, to))}
              onCopy={() => onChange(steps.toSpliced(index + 1, 0, stepOf(step.operatorId, step.params, step.version)))}
              onRemove={() => onChange(steps.filter(({ key }) => key !== step.key))}
              onVersion={(operator) =>
                onChange(steps.map((other) => (other.key === step.key ? inVersion(other, operator) : other)))
              }
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
