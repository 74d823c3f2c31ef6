import { crc32 } from '../../../kernel/crc32.ts';
import type { FileOperations } from '../files/file-operations.ts';
import { missingObject, type ObjectStore } from './object-store.ts';

type OpenObject = { key: string; written: Uint8Array[]; length: number };

const immutable = async (): Promise<never> => {
  throw new Error('Objects are not changed');
};

/**
 * The store's file operations over objects, whose keys are the paths. Opening an object does not check that it exists; reading
 * does. Writes must be sequential; they are gathered in memory until `syncData` stores the object, once.
 */
export function createObjectOperations(store: ObjectStore): FileOperations {
  const open = new Map<number, OpenObject>();
  let lastFd = 0;

  function get(fd: number): OpenObject {
    const object = open.get(fd);
    if (object === undefined) throw new Error('The object was closed');
    return object;
  }

  async function sizeOf(key: string): Promise<number> {
    const found = await store.find(key);
    if (found === undefined) throw missingObject(key);
    return found.sizeBytes;
  }

  return {
    async open(path) {
      open.set(++lastFd, { key: path, written: [], length: 0 });
      return lastFd;
    },
    async close(fd) {
      open.delete(fd);
    },
    read: (fd, target, position) => store.read(get(fd).key, target, position),
    async write(fd, bytes, position) {
      const object = get(fd);
      if (position !== object.length) throw new Error('Objects are written in order');
      object.written.push(new Uint8Array(bytes));
      object.length += bytes.length;
      return bytes.length;
    },
    async syncData(fd) {
      const object = get(fd);
      const bytes = Buffer.concat(object.written);
      object.written = [];
      await store.put(object.key, bytes, crc32(bytes));
    },
    syncDirectory: async () => {},
    size: (fd) => sizeOf(get(fd).key),
    sizeOf,
    truncate: immutable,
    rename: immutable,
    unlink: (path) => store.remove(path),
    makeDirectory: async () => {},
    list: (path) => store.listNames(path),
  };
}
