import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import i18next from 'i18next';
import { operators } from '../../server/operators/index.ts';
import type { Operator } from '../../web/api/schema.ts';
import { localizeOperator, operatorTextsNamespace } from '../../web/messages/operator-texts.ts';
import { operatorCategories } from '../../web/messages/zh/operator-categories.ts';
import { operatorTexts } from '../../web/messages/zh/operator-texts.ts';

describe('Chinese texts of operators', () => {
  test('every built-in operator has its name, description and parameters, and nothing else has', () => {
    assert.deepEqual(Object.keys(operatorTexts).toSorted(), operators.map(({ id }) => id).toSorted());
    for (const { id, params, examples, measures = [] } of operators) {
      const text = operatorTexts[id];
      assert.deepEqual(Object.keys(text?.measures ?? {}).toSorted(), measures.map(({ name }) => name).toSorted(), id);
      for (const words of Object.values(text?.measures ?? {})) assert.match(words, /\p{Script=Han}/u, id);
      assert.match(text?.name ?? '', /\p{Script=Han}/u, id);
      assert.match(text?.description ?? '', /\p{Script=Han}/u, id);
      assert.deepEqual(Object.keys(text?.params ?? {}).toSorted(), Object.keys(params.properties).toSorted(), id);
      const titles = new Set(examples.map(({ title }) => title.replace(/ \(sample \d+ of \d+\)$/, '')));
      assert.deepEqual(Object.keys(text?.examples ?? {}).toSorted(), [...titles].toSorted(), id);
      for (const title of Object.values(text?.examples ?? {})) assert.match(title, /\p{Script=Han}/u, id);
      for (const [name, { title, help }] of Object.entries(text?.params ?? {})) {
        assert.match(title, /\p{Script=Han}/u, `${id}.${name}`);
        assert.match(help, /\p{Script=Han}/u, `${id}.${name}`);
      }
    }
  });
});

test('every category of a built-in operator has its Chinese name, and nothing else has', () => {
  const categories = new Set(operators.flatMap((operator) => operator.categories));
  assert.deepEqual(Object.keys(operatorCategories).toSorted(), [...categories].toSorted());
});

describe('an operator shown in another language', () => {
  const author = {
    id: 'text-length-filter',
    name: 'Filter by length',
    description: 'Drops what is too short.',
    examples: [{ title: 'Too short' }, { title: 'Too short (sample 2 of 3)' }, { title: 'Made up' }],
    paramsSchema: {
      type: 'object',
      properties: { min: { type: 'integer', description: 'fewest' }, added: { type: 'integer', description: 'new' } },
    },
  } as unknown as Operator;

  before(async () => {
    await i18next.init({ lng: 'en', resources: {} });
    i18next.addResourceBundle('zh', operatorTextsNamespace, operatorTexts);
  });

  test('has its texts replaced, its rules kept, and a parameter without a text as its author wrote it', () => {
    const shown = localizeOperator(author, 'zh');
    assert.deepEqual(
      shown.examples.map(({ title }) => title),
      ['太短', '太短（2/3）', 'Made up'],
    );
    assert.equal(shown.name, operatorTexts['text-length-filter']?.name);
    assert.deepEqual(shown.paramsSchema, {
      type: 'object',
      properties: {
        min: {
          type: 'integer',
          title: operatorTexts['text-length-filter']?.params['min']?.title,
          description: operatorTexts['text-length-filter']?.params['min']?.help,
        },
        added: { type: 'integer', description: 'new' },
      },
    });
  });

  test('is as its author wrote it where there is no text', () => {
    assert.equal(localizeOperator(author, 'en'), author);
    const shared = { ...author, id: 'from-the-market' };
    assert.equal(localizeOperator(shared, 'zh'), shared);
  });
});
