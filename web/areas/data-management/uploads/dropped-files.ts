/** A file and the path that it is to have: with its folders, when a folder was chosen. */
export type ChosenFile = { path: string; file: File };

/** What was chosen by a file or folder picker. */
export function filesOfInput(list: FileList): ChosenFile[] {
  return inOrder(
    Array.from(list, (file) => ({
      path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath,
      file,
    })),
  );
}

/** What was dropped, folders with all that is in them. Must be called in the event itself; entries are gone after it. */
export async function filesOfDrop(transfer: DataTransfer): Promise<ChosenFile[]> {
  const entries = Array.from(transfer.items, (item) => (item.kind === 'file' ? item.webkitGetAsEntry() : null));
  const chosen: ChosenFile[] = [];
  for (const entry of entries) if (entry !== null) await collect(entry, chosen);
  return inOrder(chosen);
}

/** Folders are read in whatever order the disk has them. */
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
      // A folder is read some hundred entries at a time, until there are none.
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
