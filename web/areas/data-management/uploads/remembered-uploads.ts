// Unfinished uploads, so that they can resume after the page was closed. Stored in IndexedDB, because a list of 100,000
// files is too large for localStorage.

export type RememberedUpload = {
  reqId: string;
  datasetId: string;
  prefix: string;
  chunkBytes: number;
  createdAt: string;
  files: readonly { path: string; sizeBytes: number; lastModified: number }[];
};

export type RememberedUploads = {
  list(): Promise<RememberedUpload[]>;
  put(upload: RememberedUpload): Promise<void>;
  remove(reqId: string): Promise<void>;
};

const storeName = 'uploads';

export function createRememberedUploads(): RememberedUploads {
  const run = async <T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> => {
    const database = await open();
    try {
      return await answer(act(database.transaction(storeName, mode).objectStore(storeName)));
    } finally {
      database.close();
    }
  };
  return {
    list: () => run<RememberedUpload[]>('readonly', (store) => store.getAll()),
    async put(upload) {
      await run('readwrite', (store) => store.put(upload));
    },
    async remove(reqId) {
      await run('readwrite', (store) => store.delete(reqId));
    },
  };
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open('tilth', 1);
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore(storeName, { keyPath: 'reqId' }));
  return answer(request);
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB failed')));
  });
}
