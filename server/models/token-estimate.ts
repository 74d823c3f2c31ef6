/** What a chat template and the reply's beginning may add, for the whole prompt and for each message. */
const tokensAround = 32;
const tokensPerMessage = 16;

/** No fewer tokens than a text has: each token of a byte-level vocabulary stands for at least one byte. */
export function maxTokensOf(text: string): number {
  return Buffer.byteLength(text);
}

/** No fewer tokens than a provider counts for a prompt, what a schema adds to it included. */
export function maxPromptTokens(messages: readonly { content: string }[], schema: unknown): number {
  let tokens = tokensAround;
  for (const { content } of messages) tokens += tokensPerMessage + maxTokensOf(content);
  return schema === undefined ? tokens : tokens + maxTokensOf(JSON.stringify(schema)) + schemaInstruction;
}

/** Room for the words that hand a schema over where a provider knows none. */
const schemaInstruction = 200;
