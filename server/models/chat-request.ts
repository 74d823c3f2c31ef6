import type { Asker } from './attempts.ts';
import type { ChatMessage, ChatParameters, ReplySchema } from './providers/provider.ts';

export type ChatRequest = {
  messages: readonly ChatMessage[];
  parameters?: ChatParameters | undefined;
  /** A JSON Schema: the reply is validated, and repaired once. */
  schema?: ReplySchema | undefined;
  /** Selects one of several replies to the same request; the next number makes a new call. */
  sequence?: number | undefined;
};

export type ChatOptions = Asker & {
  /** Calls even if the ledger has a reply, and stores none. */
  fresh?: boolean;
  /**
   * Unusable stored replies (empty, or not matching the schema) of these runs are kept; those of other runs are
   * requested again. Default: every stored reply is used.
   */
  keepRefusedOf?: readonly string[];
  maxAttempts?: number;
  timeoutMs?: number;
  /**
   * Receives the text of the reply as it grows, or all at once if the reply is known or the model can't stream. The
   * parts add up to the text; after the first part, a failed call is not retried. Not allowed with a schema.
   */
  onText?: (part: string) => void;
};
