import { createGroupCommit } from '../../kernel/group-commit.ts';
import { createAskedThread } from '../../processes/thread-calls.ts';
import { hashDimensions, hashEmbedding } from './hash-embedding.ts';

/** Embeds texts by `hashEmbedding` in a worker thread, so that requests are answered meanwhile. */
export type HashEmbedder = {
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  /** Ends the thread; open calls reject with ThreadEnded. */
  close(): Promise<void>;
};

/** Up to this many texts are embedded directly, in less time than a round trip to the thread. */
const fewTexts = 2;
/** Maximum number of callers whose texts share one message. */
const callersAtOnce = 64;

/** Starts its thread on first use. */
export function createHashEmbedder(): HashEmbedder {
  /** The vectors of all texts, concatenated. */
  const thread = createAskedThread<readonly string[], Float32Array<ArrayBuffer>>({
    module: new URL('embedding-worker.ts', import.meta.url),
    name: 'embedding',
    env: {},
  });
  /** While the thread computes, the texts of the next callers gather. */
  const gathered = createGroupCommit<readonly string[], Float32Array[]>(
    async (group) => {
      const vectors = await thread.ask(group.flatMap(({ item }) => item));
      let at = 0;
      for (const { item, resolve } of group)
        resolve(item.map(() => vectors.subarray(at * hashDimensions, ++at * hashDimensions)));
    },
    { maxItems: callersAtOnce },
  );
  return {
    embed: async (texts) =>
      texts.length <= fewTexts ? texts.map((text) => hashEmbedding(text)) : gathered.commit(texts),
    close: () => thread.close(),
  };
}
