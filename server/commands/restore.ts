import { storedIn } from '../app.ts';
import type { Config } from '../config.ts';
import { listBackups, restore } from '../storage/backup/index.ts';
import type { RestoreCommand } from './backup-command.ts';
import { notCarriedOut } from './backup-problem.ts';
import { createProgressLine } from './verify-progress.ts';

/** `restore DIR`, or what there is to be restored. */
export async function restoreBackup({ from, name, list }: RestoreCommand, config: Config): Promise<void> {
  const progress = createProgressLine(process.stderr, undefined);
  try {
    if (list) {
      for (const { name: known, manifest } of await listBackups(from))
        process.stdout.write(
          `${known}  ${manifest.blobs.count} blobs, ${manifest.blobs.sizeBytes} bytes, from ${manifest.database.from}, release ${manifest.release}\n`,
        );
      return;
    }
    const { backup, blobs, bytes, damaged, droppedChunks } = await restore({
      ...storedIn(config),
      from,
      name,
      onProgress: progress.update,
    });
    progress.clear();
    if (damaged > 0)
      process.stdout.write(
        `damaged    ${damaged} blobs that were so when the backup was made; verify names their files\n`,
      );
    if (droppedChunks > 0)
      process.stdout.write(`uploads    ${droppedChunks} parts of unfinished uploads are to be sent again\n`);
    process.stdout.write(
      `restored   ${blobs} blobs, ${bytes} bytes of ${backup.name} into ${config.dataDir}, all compared with their checksums\n` +
        'next       start the service; everybody signs in anew, API keys go on\n',
    );
  } catch (error) {
    progress.clear();
    throw notCarriedOut(config, from, error);
  }
}
