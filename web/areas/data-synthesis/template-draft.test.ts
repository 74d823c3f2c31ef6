import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SynthesisTemplate } from '../../api/schema.ts';
import { bodyOfTemplate, readSchema, templateDraftOf, undeclaredOf } from './template-draft.ts';

const template = {
  name: 'Headlines',
  description: 'One headline',
  type: 'CUSTOM',
  language: 'en',
  systemPrompt: null,
  prompt: 'In a {{tone}} tone: {{text}} of {{file.path}} by {{row.author}} for {{ reader }} and {{tone}}',
  variables: [{ name: 'tone', default: '' }],
  outputSchema: { type: 'object', properties: { headline: { type: 'string' } } },
  parameters: { temperature: 0.5 },
  checks: { refusals: false },
} as const satisfies Partial<SynthesisTemplate>;

test('a template that is opened and saved without a change stays the same', () => {
  const shown = { ...template, columns: null } as Partial<SynthesisTemplate> as SynthesisTemplate;
  assert.deepEqual(bodyOfTemplate(templateDraftOf(shown)), template);
  const columns = [{ name: 'question', kind: 'MODEL' as const, prompt: '{{text}}' }];
  const graph = { ...shown, prompt: '', outputSchema: null, columns };
  const { prompt: _p, systemPrompt: _s, outputSchema: _o, ...others } = template;
  assert.deepEqual(bodyOfTemplate(templateDraftOf(graph)), { ...others, columns });
});

test('variables that are named but not declared are offered', () => {
  const shown = { ...template, columns: null } as Partial<SynthesisTemplate> as SynthesisTemplate;
  assert.deepEqual(undeclaredOf(templateDraftOf(shown)), ['reader']);
});

test('a schema is an object or left out', () => {
  assert.equal(readSchema(' '), null);
  assert.equal(readSchema('[1]'), undefined);
  assert.equal(readSchema('{"type": '), undefined);
  assert.deepEqual(readSchema('{"type": "object"}'), { type: 'object' });
});
