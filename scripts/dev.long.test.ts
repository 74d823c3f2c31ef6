// `npm run dev` for a new contributor: both parts respond, and changes to either become visible automatically.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../tests/support/free-port.ts';
import { until } from '../tests/support/until.ts';
import { installFolder } from './bootstrap.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const copied = [
  'package.json',
  'package-lock.json',
  'runtime/package.json',
  'tsconfig.json',
  'server',
  'scripts',
  'web',
  'docs/api.json',
];

/** The response of an address; empty while nothing listens. */
async function read(url: string): Promise<string> {
  const answer = await fetch(url).catch(() => undefined);
  return answer === undefined ? '' : `${answer.status} ${await answer.text()}`;
}

test('a change on the server, one in a page and one in a source of generated files show by themselves', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-dev-'));
  const checkout = join(folder, 'checkout');
  for (const path of copied)
    await cp(join(root, path), join(checkout, path), {
      recursive: true,
      filter: (from) => !/\/(?:node_modules|dist|\.built)$/.test(from),
    });
  await installFolder(join(root, 'scripts/openapi'), 'Installing the generator of the types of the API');
  for (const path of ['node_modules', 'scripts/openapi/node_modules'])
    await symlink(join(root, path), join(checkout, path));
  const [servicePort, webPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, ['scripts/dev.ts'], {
    cwd: checkout,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      TILTH_PORT: String(servicePort),
      TILTH_DATA_DIR: join(folder, 'data'),
      PORT: String(webPort),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const ended = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true });
  });
  /** Waits until an address responds as expected; fails if the command ends. */
  const shows = async (url: string, expected: RegExp): Promise<void> => {
    await until(async () => {
      assert.equal(child.exitCode, null, output);
      return expected.test(await read(url));
    });
  };

  const service = `http://127.0.0.1:${servicePort}/healthz`;
  const page = `http://127.0.0.1:${webPort}`;
  await shows(service, /^200 /);
  await shows(page, /^200 [^]*<div id="root">/);
  await shows(`${page}/healthz`, /^200 /);

  const main = join(checkout, 'server/main.ts');
  const starts = (): number => output.match(/listens on/g)?.length ?? 0;
  assert.equal(starts(), 1, output);
  await writeFile(main, `${await readFile(main, 'utf8')}\n// Changed.\n`);
  await until(() => starts() === 2);
  await shows(service, /^200 /);

  const html = join(checkout, 'web/index.html');
  await writeFile(html, (await readFile(html, 'utf8')).replace(/<title>[^<]*/, '<title>Changed'));
  await shows(page, /<title>Changed/);

  const operator = join(checkout, 'server/operators/filters/text-length-filter.ts');
  const source = await readFile(operator, 'utf8');
  await writeFile(operator, 'half written');
  await until(() => output.includes('The Chinese texts of operators could not be built'));
  await writeFile(operator, source.replace(/(chinese: \{\s+name: ')/, '$1新的'));
  await shows(`${page}/messages/zh/operator-texts.ts`, /"name": "新的/);
  const document = join(checkout, 'docs/api.json');
  await writeFile(
    document,
    (await readFile(document, 'utf8')).replaceAll('"Tag"', '"Label"').replaceAll('/Tag"', '/Label"'),
  );
  await until(async () => /export type Label = /.test(await readFile(join(checkout, 'web/api/schema.ts'), 'utf8')));
});
