import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createOnnxProvider } from './onnx.ts';

const call = { texts: ['a', 'b'], timeoutMs: 1000, signal: undefined };

test('a local model: what is missing is said, and nothing is fetched from elsewhere', async (t) => {
  const modelsDirectory = await mkdtemp(join(tmpdir(), 'tilth-onnx-'));
  t.after(() => rm(modelsDirectory, { recursive: true }));
  const missing = createOnnxProvider({ modelsDirectory, folder: 'mini' });
  await assert.rejects(missing.embed(call), {
    problem: 'not-found',
    message: /no model in .*mini: its config\.json is missing/,
  });
  await mkdir(join(modelsDirectory, 'mini'));
  await writeFile(join(modelsDirectory, 'mini', 'config.json'), '{}');
  // The package is not a dependency of this one.
  await assert.rejects(missing.embed(call), { message: /npm install --no-save @huggingface\/transformers/ });

  const env = { allowRemoteModels: true, allowLocalModels: false, localModelPath: '' };
  const asked: unknown[] = [];
  const load = async () => ({
    env,
    pipeline: async (task: string, model: string, options: object) => {
      asked.push(task, model, options);
      return async (texts: readonly string[]) => ({
        data: texts.flatMap((_, index) => [index, 1]),
        dims: [texts.length, 2],
      });
    },
  });
  const provider = createOnnxProvider({ modelsDirectory, folder: 'mini', load });
  const { vectors } = await provider.embed(call);
  assert.deepEqual(vectors, [Float32Array.of(0, 1), Float32Array.of(1, 1)]);
  assert.deepEqual(env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: modelsDirectory });
  assert.deepEqual(asked, ['feature-extraction', 'mini', { local_files_only: true }]);
  await assert.rejects(provider.chat({} as never, 'prompt'), { message: /embeddings only/ });
});
