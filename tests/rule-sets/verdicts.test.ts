import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { labelledTexts } from './labelled-texts.ts';
import { comparedSets, judgeBy } from './verdicts.ts';

type Labelled = Record<string, Record<string, string | null>>;

const labelled = JSON.parse(await readFile(join(import.meta.dirname, 'verdicts.json'), 'utf8')) as Labelled;
const texts = labelledTexts();

/** datatrove counts a sequence of words even if it occurs only once; with long words it is a large part of a text. */
const explained: Readonly<Record<string, readonly string[]>> = {
  'gopher-repetition': ['long words, 10 sentences', 'long words, 14 sentences', 'long words, 18 sentences'],
};

for (const [name, templateId] of Object.entries(comparedSets)) {
  test(`${templateId} judges labelled texts as datatrove does`, () => {
    const judge = judgeBy(templateId);
    const differing = texts.flatMap(({ title, text }) => {
      const ours = judge(text);
      const theirs = labelled[title]?.[name];
      return theirs !== undefined && (ours === null) === (theirs === null) ? [] : [title];
    });
    assert.deepEqual(differing, explained[name] ?? []);
    const kept = texts.filter(({ title }) => labelled[title]?.[name] === null).length;
    assert.ok(kept > 5 && kept < texts.length - 5, `${kept} of ${texts.length} are kept`);
  });
}
