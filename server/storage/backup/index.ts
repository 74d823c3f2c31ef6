export { backUp, type BackupOptions } from './backup.ts';
export { BackupError, type Backup, type BackupList, type Manifest } from './backup-folder.ts';
export { arePinned } from './pin.ts';
export { listBackups, requireRestored, restore, UnfinishedRestoreError, type Restored } from './restore.ts';
export { importIntoPostgres } from './database-snapshot.ts';
export { isNewDatabase } from './new-database.ts';
export { listSealedFiles } from './queries/assemblies.ts';
export { bindRuns, findOrigin } from './queries/data-folders.ts';
export { listPackEnds } from './queries/packs.ts';
