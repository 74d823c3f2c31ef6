import type { DndContextProps, UniqueIdentifier } from '@dnd-kit/core';
import { useTranslation } from 'react-i18next';
import type { Operator } from '../../../api/schema.ts';
import type { DraftStep } from '../drafts/draft.ts';

/** What a screen reader announces while a step is moved, in the language of the page. */
export function useDragWords(steps: readonly DraftStep[], operators: readonly Operator[]) {
  const { t } = useTranslation();
  const nameOf = (key: UniqueIdentifier): string => {
    const step = steps.find((one) => one.key === key);
    return operators.find(({ id }) => id === step?.operatorId)?.name ?? step?.operatorId ?? '';
  };
  const placeOf = (key: UniqueIdentifier): number => steps.findIndex((one) => one.key === key) + 1;
  return {
    screenReaderInstructions: { draggable: t('cleaning.steps.dragging.how') },
    announcements: {
      onDragStart: ({ active }) => t('cleaning.steps.dragging.begun', { name: nameOf(active.id) }),
      onDragOver: ({ active, over }) =>
        over === null
          ? undefined
          : t('cleaning.steps.dragging.over', { name: nameOf(active.id), place: placeOf(over.id) }),
      onDragEnd: ({ active, over }) =>
        over === null
          ? t('cleaning.steps.dragging.cancelled', { name: nameOf(active.id) })
          : t('cleaning.steps.dragging.ended', { name: nameOf(active.id), place: placeOf(over.id) }),
      onDragCancel: ({ active }) => t('cleaning.steps.dragging.cancelled', { name: nameOf(active.id) }),
    },
  } satisfies NonNullable<DndContextProps['accessibility']>;
}
