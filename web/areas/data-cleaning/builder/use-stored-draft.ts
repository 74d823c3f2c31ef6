import { useMutation } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDraft } from '../../../ui/draft.ts';
import { forgetDraft, readDraft, storeDraft } from '../drafts/draft-storage.ts';
import type { Draft } from '../drafts/draft.ts';

/** What can be done with a finished draft. */
export type BuilderAction = { label: string; primary: boolean; save: (draft: Draft) => Promise<void> };

/** A draft that survives leaving the page until it is saved; leaving asks for confirmation. */
export function useStoredDraft(initial: Draft, storageKey: string) {
  const { t } = useTranslation();
  const [first] = useState(initial);
  const isSaved = useRef(false);
  const save = useMutation({
    mutationFn: async ({ action, draft }: { action: BuilderAction; draft: Draft }) => {
      isSaved.current = true;
      await action.save(draft);
    },
    onSuccess: () => forgetDraft(storageKey),
    onError: () => {
      isSaved.current = false;
    },
  });
  const { values: draft, set: change } = useDraft<Draft>(() => readDraft(storageKey) ?? first, {
    // The refused draft has changed, so its error no longer applies.
    onEdit: () => save.isError && save.reset(),
  });
  const isDirty = draft !== first;
  useEffect(() => {
    if (isDirty && !isSaved.current) storeDraft(storageKey, draft);
  }, [draft, isDirty, storageKey]);
  useBlocker({
    shouldBlockFn: () => isDirty && !isSaved.current && !window.confirm(t('cleaning.builder.leave')),
    enableBeforeUnload: () => isDirty && !isSaved.current,
  });
  return { first, draft, change, save };
}
