import { setTimeout as pause } from 'node:timers/promises';
import type { Caller, CallBody, Outcome } from './caller.ts';
import type { Change, ClientJournal, Operation, Stored } from './client-journal.ts';

/** Outcome of a step: answered as expected, refused (no effect), or no answer. */
export type StepEnd = 'done' | 'refused' | 'unknown';

/** The context of a step; the caller changes when the service is restarted. */
export type StepContext = {
  caller: Caller;
  datasetId: string;
  journal: ClientJournal;
  /** Whether a call answered with this status may have taken effect, as when only its answer failed. */
  mayBeDone?(status: number): boolean;
};

/** An action of a client, which may be repeated until it succeeds. */
export type Step = {
  what: string;
  attempt(context: StepContext): Promise<StepEnd>;
};

/** One call that changes files, all or nothing. `gone`: a repetition finds that it was done before. */
export function callStep(
  what: string,
  call: (context: StepContext) => { method: string; path: string; body?: CallBody } | undefined,
  { change, gone = [] }: { change: Change; gone?: readonly number[] },
): Step {
  let tried = false;
  /** An attempt that may have taken effect although it was refused: a repetition is still the same operation. */
  let open: Operation | undefined;
  return {
    what,
    async attempt(context) {
      const wanted = call(context);
      if (wanted === undefined) return 'done';
      const isOpen = open !== undefined;
      open ??= context.journal.begin(what, change);
      const outcome = await context.caller.call(
        wanted.method,
        `/datasets/${context.datasetId}${wanted.path}`,
        wanted.body,
      );
      const repeated = tried;
      if (outcome.kind !== 'unsent') tried = true;
      if (outcome.kind === 'cut') {
        open = undefined;
        return 'unknown';
      }
      if (outcome.kind === 'answer' && context.mayBeDone?.(outcome.status) === true) return 'unknown';
      const wasDone = repeated && outcome.kind === 'answer' && gone.includes(outcome.status);
      const isDone = wasDone || isSuccess(outcome);
      if (isDone) open.acknowledged();
      else if (!isOpen) open.refused();
      if (isDone || !isOpen) open = undefined;
      return isDone ? 'done' : 'refused';
    },
  };
}

/** Whole files in one call. */
export function wholeFilesStep(files: ReadonlyMap<string, { bytes: Buffer; stored: Stored }>): Step {
  const form = [...files].map(([path, { bytes }]) => ({ name: 'files', value: bytes, fileName: path }));
  const change = new Map([...files].map(([path, { stored }]) => [path, stored]));
  return callStep(
    `POST ${[...files.keys()].join(', ')}`,
    () => ({ method: 'POST', path: '/files/upload', body: { form } }),
    {
      change,
    },
  );
}

/** A tar or zip in one call. */
export function streamStep(format: 'tar' | 'zip', archive: Buffer, entries: ReadonlyMap<string, Stored>): Step {
  return callStep(
    `POST a ${format} stream`,
    () => ({
      method: 'POST',
      path: `/files/upload/stream?format=${format}`,
      body: { bytes: archive, contentType: 'application/octet-stream' },
    }),
    { change: entries },
  );
}

/** Deletes one file; with `purge` from every version. */
export function deleteStep(file: { id: string; path: string }, { purge }: { purge: boolean }): Step {
  return callStep(
    `DELETE ${file.path}${purge ? ' (purge)' : ''}`,
    () => ({ method: 'DELETE', path: `/files/${file.id}${purge ? '?purge=true' : ''}` }),
    { change: new Map([[file.path, null]]), gone: [404] },
  );
}

export function isSuccess(outcome: Outcome): outcome is Extract<Outcome, { kind: 'answer' }> {
  return outcome.kind === 'answer' && outcome.status < 300;
}

/** Tries each step once; returns those that failed. */
export async function attemptAll(steps: readonly Step[], context: StepContext): Promise<Step[]> {
  const left: Step[] = [];
  for (const step of steps) if ((await step.attempt(context)) !== 'done') left.push(step);
  return left;
}

const recoveryTimeoutMs = 20_000;

/** Repeats until everything is done: a service that checks its disk may answer that it needs time. */
export async function finish(
  steps: readonly Step[],
  context: StepContext,
  timeoutMs = recoveryTimeoutMs,
): Promise<Step[]> {
  let left = [...steps];
  for (const deadline = performance.now() + timeoutMs; left.length > 0; await pause(100)) {
    left = await attemptAll(left, context);
    if (performance.now() > deadline) break;
  }
  return left;
}
