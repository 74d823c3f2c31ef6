// Commands that pages name must exist: the scripts of package.json and the commands of the service.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { listPages, readPage, root } from './pages.ts';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

const [, ...commandLine] = readFileSync(join(root, 'server/command-line.ts'), 'utf8').split(/^ {4}case '/m);
const commandNames = commandLine.map((text) => text.slice(0, text.indexOf("'")));

test('the README begins with the commands that start the service, fill it and test it', () => {
  const [block] = readPage('README.md').code;
  const commands = block?.text.split('\n').flatMap((line) => line.split('#')[0]?.trim() || []);
  assert.deepEqual(commands, ['npm start', 'npm run demo', 'npm test']);
});

test('each npm command that a page names is a script of package.json, each command of npm start one of the service', () => {
  const unknown: string[] = [];
  let found = 0;
  for (const path of listPages()) {
    // The changelog may name removed commands.
    if (path === 'CHANGELOG.md') continue;
    const text = readFileSync(join(root, path), 'utf8');
    for (const [, script = ''] of text.matchAll(/npm run ([a-z][\w:-]*[a-z])/g)) {
      found++;
      if (!Object.hasOwn(scripts, script)) unknown.push(`${path}: npm run ${script}`);
    }
    for (const [, command = ''] of text.matchAll(/npm start -- ([a-z][a-z-]*)/g)) {
      found++;
      if (!commandNames.includes(command)) unknown.push(`${path}: npm start -- ${command}`);
    }
  }
  assert.ok(found > 50);
  assert.deepEqual(unknown, []);
});
