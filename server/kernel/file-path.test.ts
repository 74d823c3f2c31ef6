import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ancestorsOf,
  fileNameOf,
  fileTypeOf,
  joinPath,
  parentOf,
  parseFileName,
  numberedName,
  parseFilePath,
  parsePrefix,
} from './file-path.ts';

const refused: readonly [string, RegExp][] = [
  ['', /must not be empty/],
  ['/etc/passwd', /relative path/],
  ['..', /\.\. segments/],
  ['../x', /\.\. segments/],
  ['a/../b', /\.\. segments/],
  ['a/./b', /\. or \.\./],
  ['a//b', /empty segment/],
  ['a/', /empty segment/],
  ['a\\b', /backslash/],
  ['..\\x', /backslash/],
  ['a\u0000b', /control characters/],
  ['a\nb', /control characters/],
  ['a\u007fb', /control characters/],
  ['a\u0085b', /control characters/],
  ['a\ud800b', /UTF-8/],
  ['n'.repeat(256), /segment longer than 255 bytes/],
  ['高'.repeat(86), /segment longer than 255 bytes/],
  [Array.from({ length: 1366 }, () => 'ab').join('/'), /longer than 4096 bytes/],
];

for (const [path, problem] of refused) {
  test(`refuses the path ${JSON.stringify(path.slice(0, 30))}`, () => {
    assert.throws(() => parseFilePath('fileName', path), {
      code: 'INVALID_PARAMETER',
      field: 'fileName',
      message: problem,
    });
  });
}

const accepted = [
  'a',
  'aux.c',
  'a:b',
  '高.txt',
  'trailing...',
  '...',
  ' .x',
  '%2e%2e/x',
  'n'.repeat(255),
  '高'.repeat(85),
  '-rf',
  'a b/c d.txt',
  '\u202eexe.txt',
  '~',
];

for (const path of accepted) {
  test(`takes ${JSON.stringify(path.slice(0, 30))} as a name`, () => {
    assert.equal(parseFilePath('fileName', path), path);
  });
}

test('takes a path of exactly 4,096 bytes', () => {
  const path = `${'x/'.repeat(2047)}yz`;
  assert.equal(Buffer.byteLength(path), 4096);
  assert.equal(parseFilePath('path', path), path);
  assert.throws(() => joinPath('path', 'p', path), /longer than 4096 bytes/);
});

test('names the root as an empty prefix and forgives one trailing slash', () => {
  assert.equal(parsePrefix('prefix', ''), '');
  assert.equal(parsePrefix('prefix', '/'), '');
  assert.equal(parsePrefix('prefix', 'a/b/'), 'a/b');
  assert.equal(parsePrefix('prefix', 'a/b'), 'a/b');
  for (const prefix of ['//', '/a', 'a//', '../', 'a/..']) assert.throws(() => parsePrefix('prefix', prefix));
});

test('refuses a slash in a single name', () => {
  assert.throws(() => parseFileName('directoryName', 'a/b'), /one name without a slash/);
  assert.equal(parseFileName('directoryName', 'a.b'), 'a.b');
});

test('takes paths apart', () => {
  assert.deepEqual(ancestorsOf('a/b/c.txt'), ['a', 'a/b']);
  assert.deepEqual(ancestorsOf('c.txt'), []);
  assert.equal(fileNameOf('a/b/c.txt'), 'c.txt');
  assert.equal(parentOf('a/b/c.txt'), 'a/b');
  assert.equal(parentOf('c.txt'), '');
  assert.equal(joinPath('path', '', 'c.txt'), 'c.txt');
  assert.equal(joinPath('path', 'a/b', 'c.txt'), 'a/b/c.txt');
});

test('reads the type from the last extension, in lower case', () => {
  const types = {
    'a.TXT': 'txt',
    'a.tar.gz': 'gz',
    '.gitignore': '',
    'd.x/README': '',
    'a.': '',
    'x/.env.local': 'local',
  };
  for (const [path, type] of Object.entries(types)) assert.equal(fileTypeOf(path), type, path);
});

test('a numbered name keeps its extension and fits into 255 bytes', () => {
  assert.equal(numberedName('a/b.txt', 2), 'a/b (2).txt');
  assert.equal(numberedName('.env', 1), '.env (1)');
  const long = numberedName(`${'高'.repeat(83)}.txt`, 10);
  assert.equal(long, `${'高'.repeat(82)} (10).txt`);
  assert.equal(Buffer.byteLength(long ?? ''), 255);
  assert.equal(numberedName(`${'a/'.repeat(2040)}${'b'.repeat(16)}`, 1), undefined);
});
