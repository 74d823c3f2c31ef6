import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SynthesisTask } from '../../api/schema.ts';
import { bodyOf, draftOf, newDraft } from './task-draft.ts';

const task = {
  name: 'Questions',
  description: '',
  sourceDatasetId: 'd1',
  sourceVersion: 3,
  input: { prefix: 'notes', fileTypes: ['md'], textField: null },
  maxSamples: 10,
  chunking: { strategy: 'CUSTOM_SEPARATOR', unit: 'TOKENS', size: 300, overlap: 20, separators: ['\n\n'] },
  templateId: 't1',
  templateVersion: 2,
  variables: { tone: 'calm' },
  model: 'm1',
  perSample: 2,
  checks: { language: null },
  judge: { rubric: 'Is it true?', minScore: 6 },
  budget: { maxCalls: 100 },
  targetDatasetId: null,
  targetDatasetName: 'Questions of the farm',
  format: 'MESSAGES',
  provenance: true,
} as Partial<SynthesisTask> as SynthesisTask;

test('a task that is opened and saved without a change stays the same', () => {
  const body = bodyOf({ ...draftOf(task), sourceDatasetId: task.sourceDatasetId }, task);
  const { input, targetDatasetId: _none, ...fields } = task;
  const { input: sent, ...others } = body;
  assert.deepEqual(others, fields);
  assert.deepEqual(sent, { prefix: input.prefix, fileTypes: input.fileTypes });
});

test('what is left empty is left to the service', () => {
  const body = bodyOf({ ...newDraft('d1', 'qa-pairs-en'), sourceDatasetId: 'd1' });
  assert.equal(body.sourceVersion, null);
  assert.equal(body.maxSamples, null);
  assert.equal('templateVersion' in body || 'targetDatasetName' in body || 'targetDatasetId' in body, false);
  assert.equal('textField' in (body.input ?? {}), false);
});
