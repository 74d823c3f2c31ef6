import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDocument } from '../document-reader.ts';
import { documentLimits } from '../receipt.ts';

const { raw } = String;
const field = (kind: string, words: string, result = ''): string =>
  raw`{\field{\*\fldinst {${kind} {\*\datafield 00ff}{\*\formfield{${words}}}}}{\fldrslt {${result}}}}`;
const list = (words: string, result = ''): string =>
  field('FORMDROPDOWN', raw`\fftype2${words}{\*\ffname List1}{\*\ffl One}{\*\ffl caf\'e9}{\*\ffl Three}`, result);
const box = (words: string): string => field('FORMCHECKBOX', raw`\fftype1${words}{\*\ffname Box1}{\*\ffhelptext help}`);

const cases: readonly [rtf: string, text: string][] = [
  [list(raw`\ffres2`), 'Three'],
  [list(raw`\ffres1\ffdefres2`), 'café'],
  [list(raw`\ffres25\ffdefres2`), 'Three'],
  [list(raw`\ffdefres1`), 'café'],
  [list(''), 'One'],
  [list(raw`\ffres7`), ''],
  [list(raw`\ffres2`, 'Three'), 'Three'],
  [box(raw`\ffres1`), '☒'],
  [box(raw`\ffres0\ffdefres1`), '☐'],
  [box(raw`\ffres25\ffdefres1`), '☒'],
  [box(raw`\ffres25\ffdefres0`), '☐'],
  [field('FORMTEXT', raw`\fftype0{\*\ffname T}{\*\ffdeftext standard}`, 'written'), 'written'],
  [`${list(raw`\ffres0`)}, ${box(raw`\ffres1`)} yes`, 'One, ☒ yes'],
];
for (const [rtf, text] of cases) {
  test(`fields of forms are what is chosen: ${rtf}`, async () => {
    const bytes = Buffer.from(raw`{\rtf1\ansi\ansicpg1252 [${rtf}]\par}`, 'latin1');
    assert.equal((await readDocument(bytes, 'rtf', documentLimits)).markdown, text === '' ? '[]' : `[${text}]`);
  });
}
