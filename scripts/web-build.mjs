// Builds the web application into web/dist if its sources or packages have changed since the last build.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { checkout } from './bootstrap.mjs';
import { digestOf, listFiles, makeCurrent } from './current-build.mjs';
import { apiTypes, makeOperatorTexts } from './generated-files.mjs';

const folder = join(checkout, 'web');
const output = join(folder, 'dist');
const source = /\.(?:tsx?|css|html|svg|png|json)$/;
const compressible = /\.(?:js|css|html|svg|json)$/;

/**
 * Updates web/dist; a second call only hashes the sources. Throws an InstallError whose message says what failed.
 * @param {string} node the Node that runs the build
 */
export async function buildWeb(node) {
  await makeOperatorTexts(node);
  const sources = listFiles(folder)
    .filter((path) => source.test(path) && !path.startsWith('dist/') && !/\.test\.tsx?$/.test(path))
    .map((path) => `web/${path}`)
    // Only types: the build strips them and does not need the file.
    .filter((path) => path !== apiTypes);
  const vite = join(checkout, 'node_modules', 'vite', 'bin', 'vite.js');
  await makeCurrent({
    name: 'the web application',
    output,
    digest: digestOf([...sources, 'package-lock.json']),
    command: [node, vite, 'build', folder, '--logLevel', 'warn'],
    env: { NODE_ENV: 'production' },
    finish: compressFiles,
  });
}

/**
 * Writes Brotli files: compressed once here instead of per request, so at the best level, 6 % smaller than level 9 for
 * one more second.
 */
async function compressFiles() {
  for (const path of listFiles(output)) {
    if (!compressible.test(path)) continue;
    const bytes = readFileSync(join(output, path));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(join(output, `${path}.br`), await promisify(brotliCompress)(bytes, { params }));
  }
}
