import {
  readPackage,
  packFiles,
  PackageRefused,
  packageProblems,
  manifestPath,
  readmePath,
  type Examiner,
  type OperatorPackage,
  type PackageFiles,
  type PackageMetrics,
} from '../../operator-packages/index.ts';
import { isoNow, type Clock } from '../../kernel/clock.ts';
import { errors, invalid } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Operator } from '../../operators/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import type { ReadArchive } from './archives.ts';
import { marketErrors } from './errors.ts';
import { findVersion, insertOperatorRow, insertVersion, lockOperatorRow, updateVersion } from './queries.ts';
import type { MarketOperator, NewOperator } from './schemas.ts';

/** A form with one file: the package. */
export type PackageReception = {
  readonly maxParts: number;
  field(name: string, value: string): void;
  file(part: { name: string; fileName: string | undefined }): {
    write(bytes: Buffer): undefined;
    end(): Promise<void>;
  };
  finish(): Promise<MarketOperator>;
  abort(): Promise<void>;
};

/** New operators and versions. */
export type Publishing = {
  receive(by: Principal): PackageReception;
  /** A package from its manifest and the source of its one module. */
  publish(given: NewOperator, by: Principal): Promise<MarketOperator>;
};

export const maxPackageBytes = 8 * 1024 * 1024;

export function createPublishing({
  db,
  clock,
  blobs,
  examiner,
  readArchive,
  operators,
  show,
}: {
  db: Database;
  clock: Clock;
  blobs: BlobStore;
  examiner: Examiner;
  readArchive: ReadArchive;
  operators: readonly Operator[];
  show: (id: string, version: string, by: Principal) => Promise<MarketOperator>;
}): Publishing {
  /** Throws PACKAGE_REFUSED and the conflicts of ids and versions. */
  async function publishFiles(files: PackageFiles, by: Principal): Promise<MarketOperator> {
    const found = readChecked(files);
    const { id, version } = found.manifest;
    await requireFree(found, by);
    const examined = await examiner.examine(files);
    if (examined.kind === 'refused') throw marketErrors.PACKAGE_REFUSED({ cause: examined.reason });
    await store(found, examined.metrics, by);
    return show(id, version, by);
  }

  /** Before the examination, which takes a while: whether the id and the version may be used. */
  async function requireFree({ manifest: { id, version }, digest }: OperatorPackage, by: Principal): Promise<void> {
    if (operators.some((operator) => operator.id === id)) throw marketErrors.OPERATOR_ID_TAKEN({ id, owner: 'Tilth' });
    const row = await db.write((tx) => lockOperatorRow(tx, id));
    if (row !== undefined && row.created_by !== by.username && by.role !== 'ADMIN') {
      throw marketErrors.OPERATOR_ID_TAKEN({ id, owner: row.created_by });
    }
    const before = await findVersion(db.read, id, version);
    if (before === undefined) return;
    if (before.deleted_at === null) throw marketErrors.OPERATOR_VERSION_EXISTS({ id, version });
    if (before.digest !== digest) throw marketErrors.OPERATOR_VERSION_SPENT({ id, version });
  }

  async function store(found: OperatorPackage, metrics: PackageMetrics, by: Principal): Promise<void> {
    const { manifest, digest, readme, icon, signature } = found;
    const { id, version } = manifest;
    const packed = packFiles(found.files);
    const writer = blobs.create();
    await writer.write(packed);
    const staged = await writer.finish();
    const row = {
      operator_id: id,
      version,
      digest,
      blob_id: staged.id,
      size_bytes: packed.length,
      manifest: JSON.stringify(manifest),
      readme,
      icon: icon === undefined ? null : Buffer.from(icon).toString('base64'),
      signature: signature === undefined ? null : Buffer.from(signature).toString('base64'),
      metrics: JSON.stringify(metrics),
      approved_at: null,
      approved_by: null,
      created_at: isoNow(clock),
      created_by: by.username,
      deleted_at: null,
    };
    try {
      await blobs.flush();
      await db.write(async (tx) => {
        const { created_at, created_by } = row;
        await insertOperatorRow(tx, { id, installed_version: null, disabled: 0, created_at, created_by });
        const owner = await lockOperatorRow(tx, id);
        if (owner !== undefined && owner.created_by !== by.username && by.role !== 'ADMIN') {
          throw marketErrors.OPERATOR_ID_TAKEN({ id, owner: owner.created_by });
        }
        const before = await findVersion(tx, id, version);
        if (before !== undefined && before.deleted_at === null) {
          throw marketErrors.OPERATOR_VERSION_EXISTS({ id, version });
        }
        if (before !== undefined && before.digest !== digest)
          throw marketErrors.OPERATOR_VERSION_SPENT({ id, version });
        await blobs.adopt(tx, [staged]);
        if (before === undefined) await insertVersion(tx, row);
        else await updateVersion(tx, id, version, row);
      });
    } finally {
      await blobs.settle([staged]);
    }
  }

  return {
    receive(by) {
      const pieces: Buffer[] = [];
      let sizeBytes = 0;
      let isThere = false;
      return {
        maxParts: 10,
        field: () => {},
        file({ name }) {
          if (name !== 'file' || isThere)
            throw invalid(name, 'is no field of this call; send one package in the field file');
          isThere = true;
          return {
            write(bytes) {
              sizeBytes += bytes.length;
              if (sizeBytes > maxPackageBytes) {
                throw errors.PAYLOAD_TOO_LARGE({ what: 'the package', limit: `${maxPackageBytes} bytes` });
              }
              pieces.push(Buffer.from(bytes));
              return undefined;
            },
            end: async () => {},
          };
        },
        async finish() {
          if (!isThere) throw invalid('file', 'is required: a package as .tgz or .zip');
          return publishFiles(await filesOf(Buffer.concat(pieces)), by);
        },
        abort: async () => {},
      };
    },
    publish({ manifest, source, readme }, by) {
      const { entry, title, summary } = manifest as { entry?: unknown; title?: unknown; summary?: unknown };
      if (typeof entry !== 'string') throw invalid('manifest.entry', 'is required');
      if (entry.endsWith('.wasm'))
        throw invalid('manifest.entry', 'must be a module of JavaScript; send WebAssembly as a package');
      const text = readme ?? `# ${String(title)}\n\n${String(summary)}\n`;
      const files = new Map([
        [manifestPath, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)],
        [readmePath, Buffer.from(text)],
        [entry, Buffer.from(source)],
      ]);
      return publishFiles(files, by);
    },
  };

  async function filesOf(bytes: Buffer): Promise<PackageFiles> {
    const { files, refusals, problem } = await readArchive(bytes);
    if (problem !== undefined) throw marketErrors.PACKAGE_REFUSED({ cause: problem });
    const [refused] = refusals;
    if (refused !== undefined) {
      throw marketErrors.PACKAGE_REFUSED({ cause: packageProblems.PACKAGE_REFUSED_ENTRY(refused) });
    }
    return withoutFolder(files);
  }
}

function readChecked(files: PackageFiles): OperatorPackage {
  try {
    return readPackage(files);
  } catch (error) {
    throw error instanceof PackageRefused ? marketErrors.PACKAGE_REFUSED({ cause: error.message }) : error;
  }
}

/** `npm pack` and others put everything into one folder. */
function withoutFolder(files: PackageFiles): PackageFiles {
  const [first = ''] = files.keys();
  const folder = first.slice(0, first.indexOf('/') + 1);
  if (files.has(manifestPath) || folder === '') return files;
  if (![...files.keys()].every((path) => path.startsWith(folder))) return files;
  return new Map([...files].map(([path, bytes]) => [path.slice(folder.length), bytes]));
}
