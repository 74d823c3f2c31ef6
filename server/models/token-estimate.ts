/** Tokens that a chat template and the beginning of the reply may add, for the whole prompt and for each message. */
const tokensAround = 32;
const tokensPerMessage = 16;

/** An upper bound of a text's tokens: each token of a byte-level vocabulary stands for at least one byte. */
export function maxTokensOf(text: string): number {
  return Buffer.byteLength(text);
}

/** An upper bound of the tokens that a provider counts for a prompt, including the schema. */
export function maxPromptTokens(messages: readonly { content: string }[], schema: unknown): number {
  let tokens = tokensAround;
  for (const { content } of messages) tokens += tokensPerMessage + maxTokensOf(content);
  return schema === undefined ? tokens : tokens + maxTokensOf(JSON.stringify(schema)) + schemaInstruction;
}

/** Tokens for the instruction that contains a schema if the provider has no parameter for it. */
const schemaInstruction = 200;
