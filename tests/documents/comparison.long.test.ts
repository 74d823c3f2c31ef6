// `npm run test:documents` in short: one document of each kind, and those of four small packages.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { areAllToolsRequired, findTool, testWith } from '../support/tools.ts';
import { compareDocuments, compareWithPeers, makeDocuments } from './comparison.ts';
import { leastKept, leastOrder, lessKept } from './limits.ts';
import { takePackageDocuments } from './package-documents.ts';

testWith(
  [findTool('python3', 'python3-venv'), findTool('pandoc'), findTool('pdftotext', 'poppler-utils')],
  'documents of every kind keep their words, and fail for the cause that is theirs',
  async (t, python = '') => {
    const directory = await mkdtemp(join(tmpdir(), 'tilth-comparison-'));
    t.after(() => rm(directory, { recursive: true }));
    try {
      await makeDocuments(python, directory, 1);
    } catch (error) {
      if (areAllToolsRequired()) throw error;
      t.skip(`needs python3-venv and a registry of Python packages: ${String(error).slice(0, 500)}`);
      return;
    }
    const found = await compareDocuments(directory);
    assert.ok(found.length >= 13);
    for (const { name, ours, problem } of found) {
      assert.equal(problem, undefined, name);
      assert.ok((ours?.words ?? 1) >= leastKept, `${name}: ${ours?.words} of its words`);
    }
  },
);

testWith(
  [
    findTool('apt-get', 'apt'),
    findTool('dpkg-deb', 'dpkg'),
    findTool('pandoc'),
    findTool('pdftotext', 'poppler-utils'),
  ],
  'documents of Debian packages keep their words, and papers the order of their columns',
  async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'tilth-packages-'));
    t.after(() => rm(directory, { recursive: true }));
    let taken: Awaited<ReturnType<typeof takePackageDocuments>>;
    try {
      taken = await takePackageDocuments(directory, ['cups-filters', 'r-cran-rcpp', 'r-cran-xtable', 'debian-faq-ja']);
    } catch (error) {
      if (areAllToolsRequired()) throw error;
      t.skip(`needs a mirror of Debian: ${String(error).slice(0, 500)}`);
      return;
    }
    if ('missing' in taken) {
      t.skip(`needs a mirror of Debian: ${taken.missing}`);
      return;
    }
    const compared = await compareWithPeers(directory, taken);
    assert.equal(compared.length, 13);
    for (const { name, kind, words, order, problem } of compared) {
      assert.equal(problem, undefined, name);
      assert.ok(words >= (lessKept[name]?.[0] ?? leastKept), `${name}: ${words} of the peer's words`);
      assert.ok(order >= (leastOrder[kind] ?? 0), `${name}: ${order} of the peer's neighbours`);
    }
  },
);
