/** A file and its path, including folders if a folder was chosen. */
export type ChosenFile = { path: string; file: File };

/** The files of a file or folder picker. */
export function filesOfInput(list: FileList): ChosenFile[] {
  return inOrder(
    Array.from(list, (file) => ({
      path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath,
      file,
    })),
  );
}

/** Dropped files, with all files of dropped folders. Call it within the event: entries are invalid afterwards. */
export async function filesOfDrop(transfer: DataTransfer): Promise<ChosenFile[]> {
  const items = Array.from(transfer.items, (item) =>
    item.kind === 'file' ? { entry: item.webkitGetAsEntry(), file: item.getAsFile() } : undefined,
  );
  const chosen: ChosenFile[] = [];
  for (const item of items) {
    if (item === undefined) continue;
    if (item.entry !== null) await collect(item.entry, chosen);
    // Items that are not from a disk, such as a picture dragged from another page, have no entry.
    else if (item.file !== null) chosen.push({ path: item.file.name, file: item.file });
  }
  return inOrder(chosen);
}

/** Folders are listed in no particular order. */
function inOrder(files: ChosenFile[]): ChosenFile[] {
  return files.sort((left, right) => (left.path < right.path ? -1 : left.path > right.path ? 1 : 0));
}

async function collect(entry: FileSystemEntry, into: ChosenFile[]): Promise<void> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    into.push({ path: entry.fullPath.replace(/^\//, ''), file });
  } else if (isDirectory(entry)) {
    const reader = entry.createReader();
    for (;;) {
      // A folder is read in batches of some hundred entries each.
      const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (batch.length === 0) return;
      for (const child of batch) await collect(child, into);
    }
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

/** Whether a file may be an archive that the service unpacks, by its name. */
export function isArchive({ path }: Pick<ChosenFile, 'path'>): boolean {
  return /\.(?:zip|tar|tgz|tar\.gz)$/i.test(path);
}
