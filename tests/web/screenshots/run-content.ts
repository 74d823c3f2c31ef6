// Runs of synthesis and published operators, for the pictures of their pages.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readFolder } from '../../../scripts/operators/package-folder.ts';
import { tarGzip } from '../../../scripts/operators/tar-gzip.ts';
import { formOf, packageOf, tgz } from '../../support/operator-packages.ts';
import type { RunningApp } from '../../support/server.ts';
import { callsOf } from './content-calls.ts';

export type Synthesised = Record<'task' | 'run' | 'stopped' | 'stoppedRun' | 'template' | 'record', string>;

/** Publishes this project's examples, one of them in two versions, installed and rated. Returns the id of that one. */
export async function publishOperators(api: RunningApp['api']): Promise<string> {
  const operators = '/operator-market/operators';
  const publish = async (files: ReadonlyMap<string, Uint8Array>): Promise<void> => {
    const { status, body } = await api('POST', operators, formOf(tarGzip(files)));
    assert.equal(status, 201, JSON.stringify(body));
  };
  for (const name of ['digit-masker', 'sentence-group-splitter', 'link-remover']) {
    const files = await readFolder(fileURLToPath(new URL(`../../../examples/operators/${name}`, import.meta.url)));
    await publish(files);
    if (name !== 'link-remover') continue;
    const manifest = JSON.parse(Buffer.from(files.get('operator.json') ?? []).toString()) as object;
    const later = { ...manifest, version: '1.1.0', changes: 'Knows addresses without a scheme.' };
    await publish(new Map([...files, ['operator.json', Buffer.from(JSON.stringify(later))]]));
  }
  await api('POST', `${operators}/link-remover/install`, { version: '1.0.0' });
  await api('PUT', `${operators}/link-remover/rating`, { stars: 4 });
  await api('POST', operators, formOf(tgz(packageOf({ capabilities: ['models'], models: ['small'] }))));
  return 'link-remover';
}

/** A finished run of synthesis, one stopped by its budget, and a user's own template. */
export async function synthesise(api: RunningApp['api'], sourceDatasetId: string): Promise<Synthesised> {
  const { enveloped } = callsOf(api);
  const begin = async (given: object): Promise<{ id: string; lastRunId: string }> => {
    const { id } = await enveloped('POST', '/data-synthesis/tasks', {
      templateId: 'qa-pairs-en',
      sourceDatasetId,
      model: 'builtin-cloze',
      provenance: true,
      ...given,
    });
    for (;;) {
      const { body } = await api<{ data: { id: string; status: string; lastRunId: string } }>(
        'GET',
        `/data-synthesis/tasks/${id}`,
      );
      if (body.data.status !== 'RUNNING') return body.data;
      await sleep(100);
    }
  };
  const made = await begin({
    name: 'Questions of the field notes',
    description: 'To teach a model what was seen',
    maxSamples: 60,
    perSample: 2,
    checks: { similarToRecords: 0.6 },
    budget: { maxCalls: 5000 },
  });
  const stopped = await begin({
    name: 'Stopped by its budget',
    templateId: 'qa-pairs-zh',
    maxSamples: 60,
    budget: { maxCalls: 20 },
  });
  const template = await enveloped('POST', '/data-synthesis/templates', {
    name: 'Headlines 标题',
    description: 'One headline in a tone of choice',
    type: 'CUSTOM',
    prompt: 'Write a headline in a {{tone}} tone.\n\n{{text}}',
    variables: [
      { name: 'tone', description: 'How it sounds', default: 'calm' },
      { name: 'audience', description: 'Who reads it' },
    ],
    outputSchema: {
      type: 'object',
      properties: { headline: { type: 'string', minLength: 1 } },
      required: ['headline'],
    },
    parameters: { temperature: 0.7, maxTokens: 60 },
  });
  const { body } = await api<{ data: { content: { id: string }[] } }>(
    'GET',
    `/data-synthesis/tasks/${made.id}/records?verdict=KEPT&size=1`,
  );
  return {
    task: made.id,
    run: made.lastRunId,
    stopped: stopped.id,
    stoppedRun: stopped.lastRunId,
    template: template.id,
    record: body.data.content[0]?.id ?? '',
  };
}
