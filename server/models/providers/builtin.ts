import { makeClozes, type Cloze } from '../builtin/cloze.ts';
import { hashEmbeddings } from '../builtin/embedding-thread.ts';
import { ModelCallError } from '../errors.ts';
import type { ChatMessage, Provider, ReplySchema } from './provider.ts';

/** Models that need neither network nor weights: `builtin:cloze` and `builtin:hash-512`. */
export const builtInProvider: Provider = {
  async chat({ messages, schema, sequence }) {
    const text = passageOf(messages);
    const clozes = makeClozes(text);
    const cloze = clozes[sequence % Math.max(1, clozes.length)];
    if (cloze === undefined)
      throw new ModelCallError(
        'invalid-request',
        'builtin:cloze found no sentence to ask about: it needs whole sentences with at least three telling words',
      );
    const reply = JSON.stringify(fitting(cloze, schema));
    return {
      text: reply,
      thinking: null,
      finishReason: 'stop',
      usage: { input: tokensOf(text), output: tokensOf(reply) },
    };
  },
  async embed({ texts }) {
    const input = texts.reduce((sum, text) => sum + tokensOf(text), 0);
    return { vectors: await hashEmbeddings(texts), usage: { input, output: 0 } };
  },
};

/** The text to ask about: between `<text>` and `</text>` in the user's last message, or the whole message. */
function passageOf(messages: readonly ChatMessage[]): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return /<text>([^]*)<\/text>/.exec(content)?.[1] ?? content;
}

/** Removes members that a closed schema does not declare. */
function fitting(cloze: Cloze, schema: ReplySchema | undefined): object {
  const { properties, additionalProperties } = (schema ?? {}) as {
    properties?: object;
    additionalProperties?: unknown;
  };
  if (additionalProperties !== false || properties === undefined) return cloze;
  return Object.fromEntries(Object.entries(cloze).filter(([name]) => Object.hasOwn(properties, name)));
}

/** An estimate like those of providers: about four bytes per token. */
function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}
