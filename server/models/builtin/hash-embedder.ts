import { createGroupCommit } from '../../kernel/group-commit.ts';
import { createAskedThread } from '../../processes/thread-calls.ts';
import { hashDimensions, hashEmbedding } from './hash-embedding.ts';

/** Embeds texts by `hashEmbedding` in a thread of its own: requests are answered meanwhile. */
export type HashEmbedder = {
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  /** Ends the thread; open calls reject with ThreadEnded. */
  close(): Promise<void>;
};

/** Fewer take less time than the way to the thread and back. */
const fewTexts = 2;
/** Callers whose texts travel in one message. */
const callersAtOnce = 64;

/** Starts its thread with the first texts for it. */
export function createHashEmbedder(): HashEmbedder {
  /** The vectors of all texts, one behind the other. */
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
