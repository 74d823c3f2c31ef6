import { storedIn } from '../stored-data.ts';
import type { Config } from '../config.ts';
import { systemClock } from '../kernel/clock.ts';
import { backUp } from '../storage/backup/index.ts';
import type { BackupCommand } from './backup-command.ts';
import { notCarriedOut, refuseObjectStorage } from './backup-problem.ts';
import { createProgressLine } from './verify-progress.ts';

/** `backup DIR`: sets the exit code to 1 if bytes in the data folder or an earlier backup are damaged. */
export async function makeBackup({ into, keep, checkAll }: BackupCommand, config: Config, release: string) {
  refuseObjectStorage(config, 'backup');
  const progress = createProgressLine(process.stderr, undefined);
  try {
    const {
      name,
      path,
      manifest,
      repaired,
      unreadable,
      damaged: spoilt,
    } = await backUp({
      ...storedIn(config),
      into,
      keep,
      checkAll,
      release,
      now: systemClock.now(),
      onProgress: progress.update,
    });
    progress.clear();
    for (const bad of unreadable)
      process.stderr.write(
        `warning: the backup ${bad.name} cannot be read: ${bad.problem}; no bytes are removed until it is repaired or ${bad.path} is deleted\n`,
      );
    for (const { name: earlier, problem } of spoilt)
      process.stdout.write(`damaged    the earlier backup ${earlier}: ${problem}\n`);
    for (const blobId of repaired)
      process.stdout.write(
        `repaired   blob ${blobId}; its copy was damaged and was copied again from the data folder\n`,
      );
    const { blobs, copied, damaged } = manifest;
    const whole = checkAll ? 'complete and checked' : 'complete; new bytes checked, use --check to check all';
    for (const { blobId, problem } of damaged)
      process.stdout.write(`${problem.padEnd(10)} blob ${blobId}; run verify to see which files use it\n`);
    process.stdout.write(
      `backup     ${name} in ${path}\n` +
        `           ${blobs.count} blobs, ${blobs.sizeBytes} bytes; of these ${copied.count} blobs, ${copied.sizeBytes} bytes are new\n` +
        `result     ${damaged.length === 0 ? whole : `all but ${damaged.length} blobs that are damaged in the data folder`}\n`,
    );
    if (damaged.length > 0 || spoilt.length > 0) process.exitCode = 1;
  } catch (error) {
    progress.clear();
    throw notCarriedOut(config, into, error);
  }
}
