import { answerRequests } from '../../processes/answer-requests.ts';
import { hashDimensions, hashEmbedding } from './hash-embedding.ts';

answerRequests(
  (texts: readonly string[]) => {
    const vectors = new Float32Array(texts.length * hashDimensions);
    for (const [at, text] of texts.entries()) vectors.set(hashEmbedding(text), at * hashDimensions);
    return vectors;
  },
  ({ buffer }) => [buffer],
);
