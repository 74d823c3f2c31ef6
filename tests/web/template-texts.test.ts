import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInTemplates } from '../../server/areas/data-cleaning/built-in-templates.ts';
import { builtInTemplates as builtInInstructions } from '../../server/areas/data-synthesis/built-in-templates.ts';
import { synthesis as english } from '../../web/messages/en/synthesis.ts';
import { synthesis as chinese } from '../../web/messages/zh/synthesis.ts';
import { templateTexts } from '../../web/messages/zh/template-texts.ts';

test('every built-in template has its Chinese name and description, and nothing else has', () => {
  assert.deepEqual(Object.keys(templateTexts).toSorted(), builtInTemplates.map(({ id }) => id).toSorted());
  for (const [id, texts] of Object.entries(templateTexts))
    for (const words of Object.values(texts)) assert.match(words, /\p{Script=Han}/u, id);
});

test('every built-in instruction template has texts in both languages, which are those of the service in its own', () => {
  const texts = { en: english.builtIn, zh: chinese.builtIn };
  assert.deepEqual(
    builtInInstructions.map(({ id }) => id).toSorted(),
    Object.keys(texts.en.kinds)
      .flatMap((kind) => [`${kind}-en`, `${kind}-zh`])
      .toSorted(),
  );
  for (const { id, name, description, language, variables = [] } of builtInInstructions) {
    assert.ok(language === 'en' || language === 'zh');
    const { kinds, ofLanguage, variables: named } = texts[language];
    const said = kinds[id.slice(0, -3) as keyof typeof kinds];
    assert.equal(ofLanguage[language].replace('{{name}}', said.name), name);
    assert.equal(said.description, description);
    for (const variable of variables) assert.equal(named[variable.name as keyof typeof named], variable.description);
  }
});
