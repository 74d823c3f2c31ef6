import assert from 'node:assert/strict';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test, type TestContext } from 'node:test';

/** A program that tests need, and how to install it. */
export type Tool = {
  name: string;
  /** Undefined if it is not installed. */
  path: string | undefined;
  howToGet: string;
};

/** A tool by its command name; `debianPackage` is its package for `apt-get install`. */
export function findTool(name: string, debianPackage = name): Tool {
  return { name, path: findOnPath(name), howToGet: `apt-get install ${debianPackage}` };
}

/** The absolute path of a command, or undefined. */
export function findOnPath(
  command: string,
  folders = (process.env['PATH'] ?? '').split(delimiter),
): string | undefined {
  return folders.map((folder) => join(folder, command)).find(isExecutableFile);
}

/**
 * A test that needs tools: it receives their paths in order. If one is missing, the test is skipped with the install
 * command; under `CI=true` or `TILTH_TEST_REQUIRE_ALL=1` it fails, so that no machine that should have run it passes
 * silently, unless `TILTH_TEST_MAY_LACK` names the tool: one that could not be built there.
 */
export function testWith(
  tools: readonly Tool[],
  name: string,
  run: (t: TestContext, ...paths: string[]) => void | Promise<void>,
): void {
  const missing = tools.filter((tool) => tool.path === undefined);
  if (missing.length === 0) {
    const paths = tools.flatMap((tool) => tool.path ?? []);
    test(name, (t) => run(t, ...paths));
    return;
  }
  const reason = missing.map((tool) => `needs ${tool.name} (${tool.howToGet})`).join(', ');
  if (missing.some((tool) => isRequired(tool))) test(name, () => assert.fail(reason));
  else test(name, { skip: reason }, () => {});
}

function isRequired({ name }: Tool): boolean {
  return areAllToolsRequired() && !(process.env['TILTH_TEST_MAY_LACK'] ?? '').split(',').includes(name);
}

/** Whether a missing tool is a failure on this machine. */
export function areAllToolsRequired(env: NodeJS.ProcessEnv = process.env): boolean {
  return env['CI'] === 'true' || env['TILTH_TEST_REQUIRE_ALL'] === '1';
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
