import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { ModelCallError } from '../errors.ts';
import { hasDirection } from '../vector-norm.ts';
import type { Provider } from './provider.ts';
import { modelSentences } from '../sentences.ts';

/** A user's own model is named `onnx:FOLDER`; the folder is in `models/` of the data directory. */
export const onnxPrefix = 'onnx:';

/** The part of the package that is used; it is not a dependency and is loaded only if the user installed it. */
type Transformers = {
  env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string };
  pipeline(task: 'feature-extraction', model: string, options: object): Promise<Extractor>;
};
type Extractor = (
  texts: readonly string[],
  options: { pooling: 'mean'; normalize: boolean },
) => Promise<{ data: ArrayLike<number>; dims: readonly number[] }>;

const packageName = '@huggingface/transformers';

/** Embeddings by a local ONNX model, through Hugging Face's Transformers.js. Nothing is downloaded. */
export function createOnnxProvider(options: {
  modelsDirectory: string;
  folder: string;
  load?: () => Promise<Transformers>;
}): Provider {
  const { modelsDirectory, folder, load = () => import(packageName) as Promise<Transformers> } = options;
  let extractor: Promise<Extractor> | undefined;

  async function open(): Promise<Extractor> {
    const directory = join(modelsDirectory, folder);
    await access(join(directory, 'config.json')).catch(() => {
      throw new ModelCallError('not-found', modelSentences.ONNX_NO_MODEL.reason({ folder: directory }));
    });
    let transformers: Transformers;
    try {
      transformers = await load();
      // LanceDB lists the package as optional; an empty package takes its place.
      if (typeof transformers.pipeline !== 'function') throw new Error(`${packageName} has no pipeline`);
    } catch {
      throw new ModelCallError(
        'unreachable',
        modelSentences.ONNX_NO_PACKAGE.reason({ package: packageName, installed: packageName }),
      );
    }
    Object.assign(transformers.env, {
      allowRemoteModels: false,
      allowLocalModels: true,
      localModelPath: modelsDirectory,
    });
    return transformers.pipeline('feature-extraction', folder, { local_files_only: true });
  }

  return {
    chat: () => Promise.reject(new ModelCallError('invalid-request', modelSentences.ONNX_NO_CHAT.reason({}))),
    async embed({ texts }) {
      extractor ??= open();
      extractor.catch(() => (extractor = undefined));
      const { data, dims } = await (await extractor)(texts, { pooling: 'mean', normalize: true });
      const dimensions = dims.at(-1) ?? 0;
      const vectors = texts.map((_text, index) =>
        Float32Array.from({ length: dimensions }, (_, at) => data[index * dimensions + at] ?? Number.NaN),
      );
      if (dimensions === 0 || vectors.some((vector) => vector.some((value) => !Number.isFinite(value))))
        throw new ModelCallError('bad-answer', modelSentences.ONNX_NO_NUMBER.reason({ folder }));
      if (!vectors.every(hasDirection))
        throw new ModelCallError('bad-answer', modelSentences.ONNX_NO_NORM.reason({ folder }));
      return { vectors, usage: undefined };
    },
  };
}
