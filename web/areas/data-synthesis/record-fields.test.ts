import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addField, changeField, changeWithin, fieldsOf, removeField, type Schema } from './record-fields.ts';

const rich: Schema = {
  title: 'A pair',
  type: 'object',
  properties: {
    question: { type: 'string', minLength: 3, pattern: '\\?$', description: 'Ends with a question mark' },
    level: { description: 'How hard', type: 'string', enum: ['easy', 'hard'], title: 'Level' },
    turns: {
      type: 'array',
      minItems: 2,
      items: {
        type: 'object',
        properties: { role: { type: 'string', enum: ['user', 'assistant'] }, content: { type: 'string' } },
        required: ['role'],
        additionalProperties: false,
      },
    },
    tags: { type: 'array', items: { type: 'string', maxLength: 20 }, maxItems: 5 },
    source: { $ref: '#/$defs/place' },
    either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    figure: { type: ['number', 'null'] },
    grade: { type: 'integer', enum: [1, 2, 3] },
  },
  required: ['turns', 'question', 'elsewhere'],
  additionalProperties: false,
  $defs: { place: { type: 'object', properties: { page: { type: 'integer', minimum: 1 } } } },
};
const textOf = (schema: Schema): string => JSON.stringify(schema);

test('fields are shown with what can be edited of them; the rest is left to the JSON', () => {
  const fields = fieldsOf(rich) ?? [];
  assert.deepEqual(
    fields.map(({ name, type, isRequired, values }) => [name, type, isRequired, values]),
    [
      ['question', 'string', true, []],
      ['level', 'string', false, ['easy', 'hard']],
      ['turns', 'objects', true, undefined],
      ['tags', 'strings', false, undefined],
      ['source', 'other', false, undefined],
      ['either', 'other', false, undefined],
      ['figure', 'other', false, undefined],
      ['grade', 'integer', false, undefined],
    ],
  );
  assert.deepEqual(
    fields[2]?.fields?.map(({ name, isRequired, values }) => [name, isRequired, values]),
    [
      ['role', true, ['user', 'assistant']],
      ['content', false, []],
    ],
  );
  for (const unreadable of [null, 'text', { type: 'array' }, { $ref: '#/$defs/place', type: 'object' }, []])
    assert.equal(fieldsOf(unreadable), undefined);
});

test('what is changed and changed back is the same schema, to the letter', () => {
  for (const { name, isRequired, description, values } of fieldsOf(rich) ?? []) {
    const renamed = changeField(rich, name, { name: 'another' });
    assert.equal(textOf(changeField(renamed, 'another', { name })), textOf(rich), name);
    const described = changeField(rich, name, { description: 'Said otherwise' });
    assert.deepEqual(changeField(described, name, { description }), rich, name);
    const other = changeField(rich, name, { isRequired: !isRequired });
    assert.notDeepEqual(other, rich);
    const back = changeField(other, name, { isRequired });
    assert.deepEqual({ ...back, required: undefined }, { ...rich, required: undefined }, name);
    assert.deepEqual((back['required'] as string[]).toSorted(), (rich['required'] as string[]).toSorted());
    if (values !== undefined)
      assert.deepEqual(changeField(changeField(rich, name, { values: ['x'] }), name, { values }), rich, name);
  }
  assert.equal(textOf(removeField(addField(rich), 'field_9')), textOf(rich));
  const within = (change: (inner: Schema) => Schema): Schema => changeWithin(rich, 'turns', change);
  assert.equal(textOf(within((inner) => inner)), textOf(rich));
  const asked = within((inner) => changeField(inner, 'content', { isRequired: true, values: ['yes'] }));
  assert.deepEqual(fieldsOf(asked)?.[2]?.fields?.[1]?.values, ['yes']);
  const undone = changeWithin(asked, 'turns', (inner) =>
    changeField(inner, 'content', { isRequired: false, values: [] }),
  );
  assert.equal(textOf(undone), textOf(rich));
});

test('another type keeps the description and limits, and takes what belonged to the type along', () => {
  const changed = changeField(rich, 'level', { type: 'objects' });
  assert.deepEqual((changed['properties'] as Record<string, unknown>)['level'], {
    type: 'array',
    items: { type: 'object', properties: {} },
    description: 'How hard',
    title: 'Level',
  });
  assert.equal(textOf(changeField(rich, 'source', { type: 'other' })), textOf(rich));
  assert.equal(textOf(changeField(rich, 'question', { type: 'string' })), textOf(rich));
});

test('a schema begins with its first field, and its required list goes with the last name in it', () => {
  const first = addField(null);
  assert.deepEqual(first, {
    type: 'object',
    properties: { field_1: { type: 'string' } },
    required: ['field_1'],
    additionalProperties: false,
  });
  assert.equal(Object.hasOwn(changeField(first, 'field_1', { isRequired: false }), 'required'), false);
  assert.deepEqual(
    fieldsOf(addField(removeField(first, 'field_1')))?.map(({ name }) => name),
    ['field_1'],
  );
});
