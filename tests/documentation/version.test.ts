// Every mention of Tilth's version matches package.json, and the changelog describes it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readPage, root } from './pages.ts';

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

const { version } = JSON.parse(textOf('package.json')) as { version: string };

const places: Record<string, RegExp> = {
  'package-lock.json': /^{\n {2}"name": "tilth",\n {2}"version": "(.+)"/,
  'docs/api.json': /"info": {\s+"title": "[^"]+",\s+"version": "(.+)"/,
  'clients/python/pyproject.toml': /^version = "(.+)"$/m,
  'deploy/kubernetes/kustomization.yaml': /^ {4}newTag: '(.+)'$/m,
};

for (const [path, pattern] of Object.entries(places))
  test(`${path} names the version of package.json`, () => {
    assert.equal(pattern.exec(textOf(path))?.[1], version);
  });

test('the newest release of the changelog is this version, with its date', () => {
  const releases = readPage('CHANGELOG.md').headings.filter(({ level }) => level === 2);
  const newest = releases.find(({ text }) => text !== 'Unreleased');
  const [release, date = ''] = newest?.text.split(', ') ?? [];
  assert.equal(release, version);
  assert.match(date, /^\d{4}-\d\d-\d\d$/);
});
