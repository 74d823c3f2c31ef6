// `npm run operator:pack -- FOLDER [--key PRIVATE.pem]`: the package of an operator, after its examples have passed in the sandbox.
import { createPrivateKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  examine,
  PackageRefused,
  readPackage,
  signaturePath,
  signDigest,
} from '../../server/operator-packages/index.ts';
import { checkLane, createSandbox, sandboxLimits } from '../../server/sandbox/index.ts';
import { FolderProblem, readFolder } from './package-folder.ts';
import { tarGzip } from './tar-gzip.ts';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { key: { type: 'string' } } });
const [given] = positionals;
if (given === undefined) {
  process.stderr.write('Usage: npm run operator:pack -- FOLDER [--key PRIVATE.pem]\n');
  process.exit(1);
}

try {
  const files = await readFolder(resolve(given));
  const found = readPackage(files);
  const sandbox = createSandbox({ lane: checkLane().lane, limits: sandboxLimits });
  const examined = examine(found, sandbox, ['A text to measure with.']);
  sandbox.close();
  if (examined.kind === 'refused') throw new FolderProblem(examined.reason);
  if (values.key !== undefined) {
    const key = createPrivateKey(readFileSync(values.key));
    files.set(signaturePath, Buffer.from(signDigest(found.digest, key)));
  }
  const { id, version } = found.manifest;
  const path = `${id}-${version}.tgz`;
  writeFileSync(path, tarGzip(files));
  process.stdout.write(`Wrote ${path}, digest ${found.digest}\n`);
} catch (error) {
  if (!(error instanceof FolderProblem || error instanceof PackageRefused)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
