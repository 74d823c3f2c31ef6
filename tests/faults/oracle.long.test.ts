import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Ending } from '../support/server.ts';
import { areAllToolsRequired } from '../support/tools.ts';
import { createCaller } from './caller.ts';
import {
  callNames,
  compileFailingCalls,
  createFailingCalls,
  missingForFailingCalls,
  placeNames,
  type FaultPlan,
} from './failing-calls.ts';
import { withEnding } from './family-run.ts';
import { compileForgetfulDisk, missingForForgetfulDisk, mountForgetfulDisk } from './forgetful-disk.ts';
import { createRandom } from './random.ts';
import { checkDataset } from './service-check.ts';
import { startService } from './service-process.ts';
import { wholeUploadStep } from './upload-forms.ts';
import { createSetUpFolder, createWorkbench, createWorkedDataset, serviceSettings } from './workbench.ts';

// A campaign without violations proves something only if it would notice broken storage.

const always: Pick<FaultPlan, 'nth' | 'times' | 'effect'> = { nth: 1, times: 0xffff_ffff, effect: 'skip' };

function faultTest(name: string, missing: string | undefined, run: (t: Ending) => Promise<void>): void {
  const skip = missing !== undefined && !areAllToolsRequired() ? `needs ${missing}` : false;
  test(name, { skip }, async () => {
    assert.equal(missing, undefined);
    // A disk must be unmounted before its folder is removed.
    await withEnding(run);
  });
}

faultTest('bytes that were never written are noticed', missingForFailingCalls(), async (t) => {
  const workbench = await createWorkbench(t, { library: await compileFailingCalls(t), database: 'sqlite' });
  const { calls, newCaller, service, dataDir } = await workbench.take();
  const caller = newCaller();
  const { datasetId, journal } = await createWorkedDataset(caller, createRandom('oracle'));
  calls.arm({ ...always, calls: ['write'], places: ['blob-file'] });
  const upload = wholeUploadStep(createRandom('unwritten'), 'unwritten', [1_500_000]);
  assert.equal(await upload.attempt({ caller, datasetId, journal }), 'done');
  calls.disarm();
  assert.ok(calls.happened() > 0);
  await service.restart();
  const wrong = await checkDataset(newCaller(), datasetId, journal, { settled: true }).catch((error: unknown) => [
    String(error),
  ]);
  assert.notDeepEqual(wrong, [], `nothing is wrong in ${dataDir}`);
});

faultTest(
  'syncs that do nothing are noticed when the power goes',
  missingForFailingCalls() ?? missingForForgetfulDisk(),
  async (t) => {
    const { root, template, token } = await createSetUpFolder(t, 'sqlite');
    const dataDir = join(root, 'disk');
    const survivors = join(root, 'survivors');
    await mkdir(dataDir);
    const program = await compileForgetfulDisk(t);
    const disk = await mountForgetfulDisk({ program, mountPoint: dataDir, source: template });
    t.after(disk.end);
    const library = await compileFailingCalls(t);
    const calls = createFailingCalls(t, { library, root: dataDir, controlFile: join(root, 'control') });
    const service = await startService({ ...serviceSettings, ...calls.environment, TILTH_DATA_DIR: dataDir });
    t.after(() => service.kill());
    const caller = createCaller({ url: service.url, token });
    const { datasetId, journal } = await createWorkedDataset(caller, createRandom('oracle'));

    calls.arm({ ...always, calls: callNames.filter((name) => name.endsWith('sync')), places: placeNames });
    const upload = wholeUploadStep(createRandom('unsynced'), 'unsynced', [500, 1_500_000]);
    assert.equal(await upload.attempt({ caller, datasetId, journal }), 'done');
    assert.ok(calls.happened() > 0);
    // The next change is the last one.
    await disk.arm({ nth: 1, survival: 'nothing', seed: 1, syncsNames: false, output: survivors });
    await wholeUploadStep(createRandom('later'), 'later', [500]).attempt({ caller, datasetId, journal });
    await disk.cut;
    await service.kill();

    const after = await startService({ ...serviceSettings, TILTH_DATA_DIR: survivors });
    t.after(() => after.kill());
    const wrong = await checkDataset(createCaller({ url: after.url, token }), datasetId, journal, { settled: true });
    assert.ok(
      wrong.some((sentence) => sentence.startsWith('unsynced/1.txt') && sentence.includes('is lost')),
      wrong.join('\n'),
    );
    assert.ok(!wrong.some((sentence) => sentence.startsWith('keep/')), 'what was synced before has survived');
  },
);
