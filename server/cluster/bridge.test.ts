// Runs the Python tests of the bridge.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../tests/support/python.ts';
import { findTool, testWith } from '../../tests/support/tools.ts';

testWith([findTool('python3')], 'the bridge to a cluster, without the cluster', async (_t, python) => {
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const { code, output } = await runProgram(python, ['-B', '-m', 'unittest', 'bridge_test'], { cwd });
  assert.equal(code, 0, output);
  assert.match(output, /Ran 10 tests/);
});
