import type { FaultDatabase } from './fault-database.ts';
import { runCommand } from '../support/server.ts';

/** The findings of `verify` on a data folder and its database, a sentence each; a service may be running on it. */
export async function listFindings(dataDir: string, database: Pick<FaultDatabase, 'environment'>): Promise<string[]> {
  const { output, exited } = runCommand(['verify', '--json'], { TILTH_DATA_DIR: dataDir, ...database.environment });
  const code = await exited;
  if (code === 0) return [];
  if (code !== 1) return [`verify ended with ${code}: ${output.stderr}`];
  const { findings } = JSON.parse(output.stdout) as { findings: unknown[] };
  return findings.map((finding) => `verify: ${JSON.stringify(finding)}`);
}
