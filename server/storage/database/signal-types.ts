/**
 * Hints between the processes of a database that something has changed. The rows are the truth: a hint may be lost, when a connection breaks or a
 * pooler stands between, so whoever waits for one also looks now and then.
 */
export type Signals = {
  /** Tells other processes, soon and once for many equal hints. */
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

/** What a hint is about; its key is the id of that. */
export type SignalTopic = (typeof signalTopics)[number];

/** Of a process that has its database to itself. */
export const noSignals: Signals = { send() {}, on: () => () => {}, close: async () => {} };
