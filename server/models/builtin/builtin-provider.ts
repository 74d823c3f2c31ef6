import { replyWithCloze, tokensOf } from './cloze-replies.ts';
import type { HashEmbedder } from './hash-embedder.ts';
import { ModelCallError } from '../errors.ts';
import type { Provider } from '../providers/provider.ts';
import { modelSentences } from '../sentences.ts';

/** Models that need neither network nor weights: `builtin:cloze` and `builtin:hash-512`. */
export function createBuiltInProvider(embedder: Pick<HashEmbedder, 'embed'>): Provider {
  return {
    async chat({ messages, schema, sequence }) {
      const reply = replyWithCloze(messages, { schema, sequence });
      if (reply === undefined)
        throw new ModelCallError('invalid-request', modelSentences.CLOZE_NOTHING_TO_ASK.reason({}));
      return { ...reply, thinking: null, finishReason: 'stop' };
    },
    async embed({ texts }) {
      const input = texts.reduce((sum, text) => sum + tokensOf(text), 0);
      return { vectors: await embedder.embed(texts), usage: { input, output: 0 } };
    },
  };
}
