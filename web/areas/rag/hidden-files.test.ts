import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folderOf } from './document-folder.ts';
import { isHidden } from './hidden-files.ts';

test('hidden and temporary files of folders are known by their names, not those chosen by themselves', () => {
  const hidden = [
    'a/.DS_Store',
    'a/b/Thumbs.db',
    'a/Desktop.ini',
    'a/~$soil.docx',
    'a/.git/HEAD',
    'a/__MACOSX/soil.md',
  ];
  for (const path of hidden) assert.ok(isHidden(path), path);
  for (const path of ['.env', 'Thumbs.db', '.notes/soil.md', 'a/soil.md', 'a/soil~$.md', 'a/thumbs.db.md'])
    assert.ok(!isHidden(path), path);
});

test('the folder of a document stands without its name', () => {
  assert.equal(folderOf('farm/soil.md', 'soil.md'), 'farm/');
  assert.equal(folderOf('elsewhere', 'soil.md'), 'elsewhere');
});
