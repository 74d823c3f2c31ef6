// docs/libraries.md lists exactly the packages that Tilth depends on, under their licences.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { readPage, root } from './pages.ts';

type Manifest = Partial<Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>>;
type Installed = { license?: string; licenses?: { type: string }[] };

type Row = { packages: string[]; use: string; reason: string; licences: string[] };

function listRows(): Row[] {
  const rows = readPage('docs/libraries.md').tables.flatMap(([, ...body]) => body);
  return rows.map(([packages = '', use = '', reason = '', licence = '']) => ({
    packages: [...packages.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    use,
    reason,
    licences: licence.split(', '),
  }));
}

/** The folders of all package.json files with the packages that each names. */
function listDependencies(): [folder: string, packages: string[]][] {
  const exclude = (path: string): boolean => /(?:^|\/)(?:node_modules|dist|dist\.new|data|\..+)$/.test(path);
  return globSync('**/package.json', { cwd: root, exclude }).map((path) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(root, path), 'utf8'),
    ) as Manifest;
    return [dirname(path), Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })];
  });
}

function listPythonDependencies(): string[] {
  const project = readFileSync(join(root, 'clients/python/pyproject.toml'), 'utf8');
  const [, required = ''] = /^dependencies = \[(.*)\]$/m.exec(project) ?? [];
  const [, extras = ''] = /^all = \[(.*)\]$/m.exec(project) ?? [];
  return [...`${required},${extras}`.matchAll(/"([a-z0-9-]+)/g)].map(([, name = '']) => name);
}

test('every dependency of every package.json and of the Python client has a row, and nothing else has', () => {
  const needed = new Set([...listDependencies().flatMap(([, packages]) => packages), ...listPythonDependencies()]);
  const listed = listRows().flatMap(({ packages }) => packages);
  assert.ok(needed.size > 80);
  assert.deepEqual(listed.toSorted(), [...needed].toSorted(), 'each once');
  for (const { packages, use, reason } of listRows()) assert.ok(use !== '' && reason !== '', packages.join(', '));
});

test('each licence is that of the installed package', () => {
  let compared = 0;
  const rows = listRows();
  for (const [folder, packages] of listDependencies())
    for (const name of packages) {
      const manifest = join(root, folder, 'node_modules', name, 'package.json');
      const row = rows.find((each) => each.packages.includes(name));
      if (row === undefined || !existsSync(manifest)) continue;
      const { license, licenses } = JSON.parse(readFileSync(manifest, 'utf8')) as Installed;
      // One package spells its licence without the hyphen of SPDX.
      const licence = (license ?? licenses?.[0]?.type ?? '').replace('Apache 2.0', 'Apache-2.0');
      const isAlone = row.licences.length === 1;
      assert.equal(isAlone ? row.licences[0] : row.licences[row.packages.indexOf(name)], licence, name);
      compared++;
    }
  assert.ok(compared > 80);
});
