import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { attachmentOf } from './content-disposition.ts';
import { anyText } from '../../tests/support/any-text.ts';

const cases: [name: string, ascii: string, encoded: string][] = [
  ['report.txt', 'report.txt', 'report.txt'],
  ['two words.txt', 'two words.txt', 'two%20words.txt'],
  ['高.txt', '_.txt', '%E9%AB%98.txt'],
  ['café.txt', 'cafe.txt', 'caf%C3%A9.txt'],
  ['😀.png', '_.png', '%F0%9F%98%80.png'],
  ['"; filename=evil.exe', '_; filename=evil.exe', '%22%3B%20filename%3Devil.exe'],
  ["it's (1)*.txt", "it's (1)*.txt", 'it%27s%20%281%29%2A.txt'],
  ['100%.txt', '100_.txt', '100%25.txt'],
  ['a\r\nSet-Cookie: x=1', 'a__Set-Cookie: x=1', 'a__Set-Cookie%3A%20x%3D1'],
  ['../../etc/passwd', '.._.._etc_passwd', '.._.._etc_passwd'],
  ['a\\b', 'a_b', 'a_b'],
  ['cod\u202etxt.exe', 'cod_txt.exe', 'cod_txt.exe'],
  ['\ud800.txt', '_.txt', '%EF%BF%BD.txt'],
  ['full／width.txt', 'full_width.txt', 'full%EF%BC%8Fwidth.txt'],
];

for (const [name, ascii, encoded] of cases) {
  test(`file name ${JSON.stringify(name)}`, () => {
    assert.equal(attachmentOf(name), `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`);
  });
}

test('no name breaks out of its place in the header', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 50 }), (name) => {
      assert.match(
        attachmentOf(name),
        /^attachment; filename="[^"%/\\]*"; filename\*=UTF-8''(?:[A-Za-z0-9!#$&+.^_`|~-]|%[0-9A-F]{2})*$/,
      );
      assert.match(attachmentOf(name), /^[ -~]*$/);
    }),
    { numRuns: 2_000 },
  );
});
