import type { DragEndEvent } from '@dnd-kit/core';
import { useState } from 'react';
import type { Operator } from '../../../api/schema.ts';
import { equalWeights, moved, newStep, type Draft, type DraftStep } from '../drafts/draft.ts';
import type { Proposal } from '../profile/propose-step.ts';

type Options = {
  /** The draft that the page started with. */
  first: Draft;
  steps: readonly DraftStep[];
  operators: readonly Operator[];
  onChange: (steps: DraftStep[]) => void;
};

/** The edits of a draft's steps, and which steps are unfolded. */
export function useStepEdits({ first, steps, operators, onChange }: Options) {
  const [open, setOpen] = useState<Set<string>>(() => new Set(first.steps.slice(0, 1).map(({ key }) => key)));
  const append = (step: DraftStep): void => {
    onChange([...steps, step]);
    // The others fold, so that the list stays in sight.
    setOpen(new Set([step.key]));
  };
  const mixer = operators.find(({ id }) => id === 'mix-selector');
  const isMixed = steps.some(({ operatorId }) => operatorId === mixer?.id);
  const unfold = (key: string): void => setOpen(new Set([...open, key]));
  return {
    open,
    setOpen,
    unfold,
    add: (operator: Operator): void => append(newStep(operator)),
    /** Adds the step that mixes folders in equal parts; undefined if there already is one, or nothing to mix. */
    mix(folders: readonly string[] | undefined): (() => void) | undefined {
      if (mixer === undefined || isMixed || folders?.length === 0) return undefined;
      return () => {
        const step = newStep(mixer);
        append({ ...step, params: { ...step.params, weights: equalWeights(folders ?? []) } });
      };
    },
    /** Adds a step that a profile proposes, or sets its parameters if the step already exists. */
    propose({ operatorId, params }: Proposal): void {
      const operator = operators.find(({ id }) => id === operatorId);
      if (operator === undefined) return;
      const known = steps.find((step) => step.operatorId === operatorId);
      const step = known ?? newStep(operator);
      const changed = { ...step, params: { ...step.params, ...params } };
      onChange(known === undefined ? [...steps, changed] : steps.map((one) => (one === known ? changed : one)));
      unfold(step.key);
    },
    drop({ active, over }: DragEndEvent): void {
      if (over === null) return;
      const placeOf = (id: string | number): number => steps.findIndex(({ key }) => key === id);
      if (placeOf(over.id) !== -1) onChange(moved(steps, placeOf(active.id), placeOf(over.id)));
    },
  };
}
