import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SynthesisTask } from '../../../api/schema.ts';
import { bodyOf, draftOf, isComplete, missingVariable, modelOf, newDraft } from './task-draft.ts';

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

test('a draft is complete with a source, a template whose variables are given, a target and the words of its judge', () => {
  const template = { variables: [{ name: 'labels' }, { name: 'rounds', default: '3' }] };
  const draft = { ...newDraft('d1', 't1'), variables: { labels: 'wheat, rye' } };
  assert.ok(isComplete(draft, template));
  assert.equal(missingVariable({ ...draft, variables: {} }, template), 'labels');
  const incomplete = [
    { ...draft, sourceDatasetId: undefined },
    { ...draft, variables: {} },
    { ...draft, target: 'existing' as const },
    { ...draft, judge: { rubric: ' ', minScore: 6 } },
  ];
  for (const one of incomplete) assert.ok(!isComplete(one, template));
  assert.ok(!isComplete(draft, undefined));
});

test('a model is named by its id or its name', () => {
  const models = [{ id: 'm1', name: 'builtin-cloze' }];
  assert.equal(modelOf(newDraft('d1', 't1'), models)?.id, 'm1');
  assert.equal(modelOf({ ...newDraft('d1', 't1'), model: 'm1' }, models)?.id, 'm1');
  assert.equal(modelOf({ ...newDraft('d1', 't1'), model: 'm2' }, models), undefined);
});
