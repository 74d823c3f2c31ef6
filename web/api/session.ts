/** Whether the session is still valid; pages wait here for a new sign-in and keep their state. */
export type SessionState = 'signed-in' | 'expired';

type Listener = () => void;

function createSession() {
  let state: SessionState = 'signed-in';
  let waiting: PromiseWithResolvers<void> | undefined;
  const listeners = new Set<Listener>();
  const change = (next: SessionState): void => {
    if (state === next) return;
    state = next;
    for (const listener of listeners) listener();
  };
  return {
    state: (): SessionState => state,
    subscribe(listener: Listener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Called when the service refuses the cookie; resolves once the user has signed in again. */
    renew(): Promise<void> {
      waiting ??= Promise.withResolvers<void>();
      change('expired');
      return waiting.promise;
    },
    renewed(): void {
      const ended = waiting;
      waiting = undefined;
      change('signed-in');
      ended?.resolve();
    },
  };
}

export const session = createSession();
