import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { patternBytes } from '../support/blobs.ts';
import { startProcess } from '../support/server.ts';
import { findTool } from '../support/tools.ts';
import { measureCalls } from './answer-times.ts';
import { createCaller, type Caller } from './caller.ts';
import type { CampaignSize, CaseOutcome, FaultFamily } from './family.ts';

const tool = findTool('slowhttptest');
const counts = { short: 100, full: 4_000 } as const;
const seconds = { short: 4, full: 30 } as const;
const longestAnswerMs = 2_000;

/**
 * The attacks of slowhttptest: slow headers, slow bodies, slow reads, overlapping ranges; others must still be
 * answered.
 */
export const slowHttpTest: FaultFamily = {
  name: 'slowhttptest',
  // Slow transfers never reach the database.
  databases: ['sqlite'],
  missing: () => (tool.path === undefined ? `slowhttptest (${tool.howToGet})` : undefined),
  jobs: 1,
  async prepare(t, { size }) {
    const service = await startProcess(t, { settings: { TILTH_LOG_LEVEL: 'error' } });
    const caller = createCaller(service);
    const url = `${service.url}/api/v1/data-management/datasets`;
    const attack = (id: string, args: readonly string[]) => ({
      id,
      run: () => runAttack(caller, size, id, args),
    });
    const cases = [
      attack('slow-headers', ['-H', '-u', url, '-x', '24']),
      attack('slow-bodies', ['-B', '-u', `${service.url}/api/v1/auth/login`, '-s', '8192', '-f', 'application/json']),
      attack('slow-reads', [
        '-X',
        '-u',
        `${service.url}/api/v1/openapi.json`,
        '-k',
        '3',
        '-n',
        '1',
        '-w',
        '10',
        '-y',
        '20',
        '-z',
        '32',
      ]),
      attack('ranges', ['-R', '-u', `${service.url}/api/v1/openapi.json`, '-a', '10', '-b', '3000']),
    ];
    return size === 'short' ? cases.slice(0, 2) : cases;
  },
};

async function runAttack(
  caller: Caller,
  size: CampaignSize,
  id: string,
  args: readonly string[],
): Promise<CaseOutcome> {
  const bytes = patternBytes(1, 5_000);
  const created = await caller.call('POST', '/datasets', { json: { name: id, type: 'TEXT' } });
  if (created.kind !== 'answer' || created.status !== 201) throw new Error('No dataset could be made');
  const { id: datasetId } = created.json() as { id: string };
  const others = measureCalls([
    async () => void (await caller.get('/datasets')),
    async () => {
      const form = [{ name: 'files', fileName: 'one.txt', value: bytes }];
      const answer = await caller.call('POST', `/datasets/${datasetId}/files/upload`, { form });
      if (answer.kind !== 'answer' || answer.status !== 201) throw new Error(`an upload failed: ${answer.kind}`);
    },
  ]);
  const load = [
    '-c',
    String(counts[size]),
    '-r',
    String(counts[size]),
    '-i',
    '1',
    '-l',
    String(seconds[size]),
    '-p',
    '5',
  ];
  const attack = spawn(tool.path ?? '', [...args, ...load], { stdio: 'ignore' });
  const [code] = (await once(attack, 'exit')) as [number | null];
  const times = await others.stop();
  const violations = [...caller.complaints];
  // 0 at its end, 1 when it could not start.
  if (code !== 0) violations.push(`slowhttptest ended with ${code}`);
  if (size === 'full') {
    console.log(`  ${id}: ${times.sentence()}`);
    if (times.quantile(1) > longestAnswerMs) violations.push(`others waited: ${times.sentence()}`);
  }
  return { violations };
}
