import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInTemplates } from '../../server/areas/data-cleaning/built-in-templates.ts';
import { templateTexts } from '../../web/messages/zh/template-texts.ts';

test('every built-in template has its Chinese name and description, and nothing else has', () => {
  assert.deepEqual(Object.keys(templateTexts).toSorted(), builtInTemplates.map(({ id }) => id).toSorted());
  for (const [id, texts] of Object.entries(templateTexts))
    for (const words of Object.values(texts)) assert.match(words, /\p{Script=Han}/u, id);
});
