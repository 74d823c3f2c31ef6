import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInTemplates } from '../../../server/areas/data-synthesis/built-in-templates.ts';
import { clozeLacks } from './cloze-fit.ts';

test('of the built-in templates, the built-in model fills those for questions and answers', () => {
  const lacking = builtInTemplates.map(({ id, outputSchema }) => [id, clozeLacks({ outputSchema })] as const);
  assert.deepEqual(
    lacking.filter(([, fields]) => fields.length === 0).map(([id]) => id),
    ['qa-pairs-en', 'qa-pairs-zh'],
  );
  assert.deepEqual(Object.fromEntries(lacking)['dialogue-en'], ['turns']);
  assert.deepEqual(Object.fromEntries(lacking)['chain-of-thought-zh'], ['reasoning']);
});

test('a field of another type can not be filled; a text without a schema, and what is not required, can', () => {
  const schema = (type: unknown) => ({ type: 'object', properties: { question: { type } }, required: ['question'] });
  assert.deepEqual(clozeLacks({ outputSchema: schema('array') }), ['question']);
  assert.deepEqual(clozeLacks({ outputSchema: schema(['string', 'null']) }), []);
  assert.deepEqual(clozeLacks({ outputSchema: null }), []);
  assert.deepEqual(clozeLacks({ outputSchema: { type: 'object', properties: { turns: {} } } }), []);
});

test('columns count that ask it, and it grades none', () => {
  const columns = [
    { name: 'reader', kind: 'SAMPLER' },
    { name: 'pair', kind: 'MODEL', outputSchema: { properties: { title: { type: 'string' } }, required: ['title'] } },
    { name: 'words', kind: 'MODEL' },
    { name: 'grade', kind: 'JUDGE' },
    { name: 'checked', kind: 'JUDGE', model: 'of-our-own' },
  ] as const;
  assert.deepEqual(clozeLacks({ columns }), ['pair.title', 'grade']);
  assert.deepEqual(clozeLacks({ columns }, 'of-our-own'), []);
  assert.deepEqual(clozeLacks({ columns: [{ name: 'grade', kind: 'JUDGE', model: 'builtin-cloze' }] }, 'x'), ['grade']);
});
