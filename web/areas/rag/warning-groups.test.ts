import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addSentences } from '../../messages/sentences.ts';
import { groupWarnings } from './warning-groups.ts';

test('warnings of one kind are one line with each below, in the language of the page', () => {
  addSentences('zh', { SHEET_HIDDEN: '工作表“{sheet}”已隐藏' });
  const texts = ['sheet “A” is hidden', '2 pictures left out', 'sheet “B” is hidden'];
  const hidden = (sheet: string) => ({ code: 'SHEET_HIDDEN', params: { sheet } });
  assert.deepEqual(groupWarnings(texts, [hidden('A'), null, hidden('B')], 'zh'), [
    { words: '工作表“…”已隐藏', each: ['工作表“A”已隐藏', '工作表“B”已隐藏'] },
    { words: '2 pictures left out', each: ['2 pictures left out'] },
  ]);
  // English is what the service wrote.
  assert.deepEqual(groupWarnings(['sheet “A” is hidden', 'sheet “B” is hidden'], [hidden('A'), hidden('B')], 'en'), [
    { words: 'sheet “…” is hidden', each: ['sheet “A” is hidden', 'sheet “B” is hidden'] },
  ]);
  assert.deepEqual(groupWarnings(['as it is'], [], 'en'), [{ words: 'as it is', each: ['as it is'] }]);
});
