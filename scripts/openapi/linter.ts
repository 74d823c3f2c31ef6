import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installFolder } from '../bootstrap.mjs';

const folder = dirname(fileURLToPath(import.meta.url));

/** The part of the linter's interface used here; the checkout does not install its types. */
type Linter = {
  createConfig(config: object): Promise<unknown>;
  lintFromString(options: { source: string; absoluteRef: string; config: unknown }): Promise<readonly Finding[]>;
};

type Finding = {
  ruleId: string;
  message: string;
  location: readonly { pointer?: string }[];
};

/** Every rule of the linter's stricter set, with warnings as errors, except two that the API can't follow. */
const rules = {
  // Health and metrics never refuse a caller.
  'operation-4xx-response': 'off',
  // `/files/upload/{reqId}` and `/files/{fileId}/download`: the literal segment wins, and `upload` is not a valid id.
  'no-ambiguous-paths': 'off',
  'operation-operationId-unique': 'error',
  'operation-operationId-url-safe': 'error',
  'no-unused-components': 'error',
};

/** Problems that a standard linter finds in an OpenAPI document: one line each, none if it is valid. */
export async function lintOpenApi(document: string): Promise<string[]> {
  await installFolder(folder, 'Installing the linter of the API document');
  const entry = createRequire(join(folder, 'package.json')).resolve('@redocly/openapi-core');
  const { createConfig, lintFromString } = (await import(pathToFileURL(entry).href)) as Linter;
  const config = await createConfig({ extends: ['recommended-strict'], rules });
  const findings = await lintFromString({ source: document, absoluteRef: 'api.json', config });
  return findings.map(({ ruleId, message, location }) => `${location[0]?.pointer ?? '#'}: ${message} (${ruleId})`);
}
