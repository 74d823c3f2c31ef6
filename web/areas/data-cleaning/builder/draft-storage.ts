import { stepOf, type Draft } from './draft.ts';

type Start = { dataset?: string | undefined; template?: string | undefined; from?: string | undefined };

/** Where a new task waits that was begun from the same place and not saved. */
export function newTaskKey({ dataset, template, from }: Start): string {
  return `tilth-new-task-${dataset ?? ''}-${template ?? ''}-${from ?? ''}`;
}

/** Lets the form of a new task begin with this. */
export function storeNewTaskDraft(from: string, draft: Draft): void {
  storeDraft(newTaskKey({ from }), draft);
}

export function storeDraft(key: string, draft: Draft): void {
  sessionStorage.setItem(key, JSON.stringify(draft));
}

export function forgetDraft(key: string): void {
  sessionStorage.removeItem(key);
}

/** What was typed on an earlier visit and not saved; undefined when there is nothing of use. */
export function readDraft(key: string): Draft | undefined {
  try {
    const stored = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Draft | null;
    if (stored === null || !Array.isArray(stored.steps)) return undefined;
    // Keys of an earlier visit may meet those of this one.
    return { ...stored, steps: stored.steps.map(({ operatorId, params }) => stepOf(operatorId, params)) };
  } catch {
    return undefined;
  }
}
