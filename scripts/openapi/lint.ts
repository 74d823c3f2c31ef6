// The step `openapi` of `npm run check`: checks docs/api.json with a standard linter.
import { readFile } from 'node:fs/promises';
import { lintOpenApi } from './linter.ts';

const findings = await lintOpenApi(await readFile(new URL('../../docs/api.json', import.meta.url), 'utf8'));
for (const finding of findings) console.error(finding);
if (findings.length > 0) {
  console.error(`docs/api.json has ${findings.length} findings. Fix the schemas of the routes, then run npm run docs.`);
  process.exitCode = 1;
}
