/**
 * Hints between the processes of a database that something has changed. The rows are authoritative: a hint may be lost when a
 * connection breaks or passes a connection pooler, so receivers must also poll occasionally.
 */
export type Signals = {
  /** Notifies other processes soon; equal hints are sent once. */
  send(topic: SignalTopic, key: string): void;
  /** Calls the listener for hints of other processes; returns the function to unsubscribe. */
  on(topic: SignalTopic, listener: (key: string) => void): () => void;
  close(): Promise<void>;
};

export const signalTopics = [
  'run-changed',
  'run-queued',
  'run-stopped',
  'upload-changed',
  'upload-ended',
  'archive-added',
  'user-changed',
  'key-removed',
  'token-revoked',
  'nodes-changed',
  'documents-found',
  'documents-erased',
  'index-unused',
] as const;

/** Subject of a hint; the hint's key is the subject's id. */
export type SignalTopic = (typeof signalTopics)[number];

/** For a process that has its database to itself. */
export const noSignals: Signals = { send() {}, on: () => () => {}, close: async () => {} };
