import { emptyDraft, stepOf, type Draft } from './draft.ts';

type Start = { dataset?: string | undefined; template?: string | undefined; from?: string | undefined };

/** Storage key of an unsaved new task, by the page it was started from. */
export function newTaskKey({ dataset, template, from }: Start): string {
  return `tilth-new-task-${dataset ?? ''}-${template ?? ''}-${from ?? ''}`;
}

/** Sets the initial state of the form of a new task. */
export function storeNewTaskDraft(from: string, draft: Draft): void {
  storeDraft(newTaskKey({ from }), draft);
}

export function storeDraft(key: string, draft: Draft): void {
  sessionStorage.setItem(key, JSON.stringify(draft));
}

export function forgetDraft(key: string): void {
  sessionStorage.removeItem(key);
}

/** The unsaved draft from an earlier visit; undefined if there is none. */
export function readDraft(key: string): Draft | undefined {
  try {
    const stored = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Draft | null;
    if (stored === null || !Array.isArray(stored.steps)) return undefined;
    // Step keys from an earlier visit could collide with new ones.
    // An earlier release may have stored fewer fields.
    return {
      ...emptyDraft(),
      ...stored,
      steps: stored.steps.map(({ operatorId, params }) => stepOf(operatorId, params)),
    };
  } catch {
    return undefined;
  }
}
