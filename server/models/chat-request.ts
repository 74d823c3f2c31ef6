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
   * The runs whose stored replies that can't be used (they are empty, or don't fit the schema) stay as they are; the model is asked again for
   * those of other runs. Default: every stored reply is used.
   */
  keepRefusedOf?: readonly string[];
  maxAttempts?: number;
  timeoutMs?: number;
  /**
   * Receives the text of the reply as it grows, the whole at once where the reply is known already or the model can't
   * stream. The parts add up to the text; after the first one a call that fails is not tried again. Not with a schema.
   */
  onText?: (part: string) => void;
};
