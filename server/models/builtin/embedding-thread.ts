import { createGroupCommit } from '../../kernel/group-commit.ts';
import { createAskedThread } from '../../processes/thread-calls.ts';
import { hashDimensions, hashEmbedding } from './hash-embedding.ts';

/** Fewer take less time than the way to the thread and back. */
const fewTexts = 2;
/** Callers whose texts travel in one message. */
const callersAtOnce = 64;

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

/** The embeddings of texts by `hashEmbedding`, made in a thread of their own: requests are answered meanwhile. */
export async function hashEmbeddings(texts: readonly string[]): Promise<Float32Array[]> {
  return texts.length <= fewTexts ? texts.map((text) => hashEmbedding(text)) : gathered.commit(texts);
}
