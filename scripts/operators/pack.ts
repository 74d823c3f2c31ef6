// `npm run operator:pack -- FOLDER [--key PRIVATE.pem]`: packages an operator after its examples have passed in the sandbox.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { examine, readPackage, signaturePath, signDigest } from '../../server/operator-packages/index.ts';
import { checkLane, createSandbox, examinationLimits, sandboxLimits } from '../../server/sandbox/index.ts';
import { runCommand } from './command.ts';
import { FolderProblem, readFolder } from './package-folder.ts';
import { tarGzip } from './tar-gzip.ts';

const usage = `Usage: npm run operator:pack -- FOLDER [--key PRIVATE.pem]

Runs the examples of the operator in the sandbox and writes ID-VERSION.tgz, ready to publish, to the current folder.

  --key FILE   sign the package with this Ed25519 private key in PEM: openssl genpkey -algorithm ed25519 -out private.pem
`;

await runCommand({ usage, options: { key: { type: 'string' } } }, async (given, { key }) => {
  const signer = key === undefined ? undefined : readKey(key);
  const files = await readFolder(resolve(given));
  const found = readPackage(files);
  const sandbox = createSandbox({ lane: checkLane().lane, limits: examinationLimits(sandboxLimits) });
  const examined = examine(found, sandbox, ['A text to measure with.']);
  sandbox.close();
  if (examined.kind === 'refused') throw new FolderProblem(examined.reason.text);
  if (signer !== undefined) files.set(signaturePath, Buffer.from(signDigest(found.digest, signer)));
  const { id, version } = found.manifest;
  const path = `${id}-${version}.tgz`;
  writeFileSync(path, tarGzip(files));
  process.stdout.write(`Wrote ${path}, digest ${found.digest}${signer === undefined ? '' : ', signed'}\n`);
});

function readKey(path: string): KeyObject {
  try {
    const key = createPrivateKey(readFileSync(path));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new FolderProblem(`${path} cannot be read as a private key: ${cause}`);
  }
  throw new FolderProblem(`${path} is not an Ed25519 key`);
}
