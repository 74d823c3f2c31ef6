import { storedIn } from '../stored-data.ts';
import type { Config } from '../config.ts';
import { listBackups, restore } from '../storage/backup/index.ts';
import type { RestoreCommand } from './backup-command.ts';
import { notCarriedOut, refuseObjectStorage } from './backup-problem.ts';
import { createProgressLine } from './verify-progress.ts';

/** `restore DIR`: restores a backup, or lists the available ones. */
export async function restoreBackup({ from, name, list }: RestoreCommand, config: Config): Promise<void> {
  if (!list) refuseObjectStorage(config, 'restore');
  const progress = createProgressLine(process.stderr, undefined);
  try {
    if (list) {
      const { backups, unreadable } = await listBackups(from);
      const lines = [
        ...backups.map(
          ({ name: known, manifest: { blobs, database, release } }) =>
            `${known}  ${blobs.count} blobs, ${blobs.sizeBytes} bytes, from ${database.from}, release ${release}\n`,
        ),
        ...unreadable.map((bad) => `${bad.name}  cannot be restored: ${bad.problem}\n`),
      ];
      process.stdout.write(lines.sort().join(''));
      return;
    }
    const { backup, blobs, bytes, damaged, droppedChunks, unreadable } = await restore({
      ...storedIn(config),
      from,
      name,
      onProgress: progress.update,
    });
    progress.clear();
    for (const bad of unreadable) process.stderr.write(`warning: the backup ${bad.name} was skipped: ${bad.problem}\n`);
    if (damaged > 0)
      process.stdout.write(
        `damaged    ${damaged} blobs that were already damaged when the backup was made; run verify to list their files\n`,
      );
    if (droppedChunks > 0)
      process.stdout.write(`uploads    ${droppedChunks} parts of unfinished uploads must be sent again\n`);
    process.stdout.write(
      `restored   ${blobs} blobs, ${bytes} bytes of ${backup.name} into ${config.dataDir}, all compared with their checksums\n` +
        'next       copy secrets.key of the old data folder into it (or set TILTH_SECRETS_KEY), then start the service; all users must sign in again, API keys stay valid\n',
    );
  } catch (error) {
    progress.clear();
    throw notCarriedOut(config, from, error);
  }
}
