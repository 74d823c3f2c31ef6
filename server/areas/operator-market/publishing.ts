import { reasonOf } from '../../kernel/reasoned-error.ts';
import {
  examinationSeconds,
  mostWaiting,
  readPackage,
  PackageRefused,
  packageProblems,
  manifestPath,
  readmePath,
  type Examiner,
  type OperatorPackage,
  type PackageFiles,
  type PackageMetrics,
} from '../../operator-packages/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError, invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Operator } from '../../operators/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import type { ReadArchive } from './archives.ts';
import { findPublished } from './catalogue.ts';
import { marketErrors } from './errors.ts';
import { examinationOf, isRefusal, placeOf, type CheckedPackage } from './package-examinations.ts';
import { receivePackage, type PackageReception } from './package-reception.ts';
import type { MarketOperator } from './schemas/operators.ts';
import type { NewOperator, PackageCheck, PackageExamination } from './schemas/packages.ts';
import { createPublishedVersions, signatureOf } from './published-versions.ts';
import type { PublisherSignatures } from './signatures.ts';

/** Publishes new operators and versions. */
export type Publishing = {
  receive(by: Principal): PackageReception<MarketOperator>;
  /** Checks a package without storing it; a refusal is part of the result rather than an error. */
  receiveExamined(by: Principal): PackageReception<PackageExamination>;
  /** Publishes a package made from its manifest and the source of its single module. */
  publish(given: NewOperator, by: Principal): Promise<MarketOperator>;
};

const maxPassed = 50;

export function createPublishing({
  db,
  clock,
  blobs,
  examiner,
  readArchive,
  operators,
  readSignature,
  show,
}: {
  db: Database;
  clock: Clock;
  blobs: BlobStore;
  examiner: Examiner;
  readArchive: ReadArchive;
  operators: readonly Operator[];
  readSignature: PublisherSignatures['reader'];
  show: (id: string, version: string, by: Principal) => Promise<MarketOperator>;
}): Publishing {
  const versions = createPublishedVersions({ db, clock, blobs, operators });
  /** Metrics of packages that passed, by digest: a package just examined is published without another examination. */
  const passed = new Map<string, PackageMetrics>();

  /** Runs the checks in order, up to the first refusal. Only problems of the package itself are refusals. */
  async function check(unpack: () => Promise<PackageFiles>, by: Principal): Promise<CheckedPackage> {
    let at: PackageCheck = 'ARCHIVE';
    let found: OperatorPackage | undefined;
    try {
      const files = await unpack();
      at = 'MANIFEST';
      found = readChecked(files);
      at = 'NUMBER';
      await versions.requireFree(found, by);
      at = 'EXAMPLES';
      return { found, metrics: await examined(found, by), refused: undefined };
    } catch (error) {
      if (!(error instanceof AppError) || !isRefusal(error)) throw error;
      return { found, metrics: undefined, refused: { check: at === 'MANIFEST' ? placeOf(error) : at, error } };
    }
  }

  async function examined({ files, digest }: OperatorPackage, by: Principal): Promise<PackageMetrics> {
    const known = passed.get(digest);
    if (known !== undefined) return known;
    const examination = await examiner.examine(files, by.username);
    if (examination === 'busy') {
      const seconds = examinationSeconds;
      throw marketErrors.EXAMINATIONS_WAIT({ count: mostWaiting, seconds }, { retryAfterSeconds: seconds });
    }
    if (examination.kind === 'refused') throw marketErrors.PACKAGE_REFUSED({ cause: examination.reason });
    passed.set(digest, examination.metrics);
    const [oldest] = passed.keys();
    if (passed.size > maxPassed && oldest !== undefined) passed.delete(oldest);
    return examination.metrics;
  }

  /** Throws PACKAGE_REFUSED and the conflicts of ids and versions. */
  async function publishFiles(unpack: () => Promise<PackageFiles>, by: Principal): Promise<MarketOperator> {
    const checked = await check(unpack, by);
    if (checked.refused !== undefined) throw checked.refused.error;
    const { id, version } = checked.found.manifest;
    await versions.store(checked.found, checked.metrics, by);
    return show(id, version, by);
  }

  async function report(unpack: () => Promise<PackageFiles>, by: Principal): Promise<PackageExamination> {
    const checked = await check(unpack, by);
    const { found } = checked;
    const read = await readSignature();
    const published = found === undefined ? undefined : await findPublished(db, found.manifest.id);
    return examinationOf(checked, {
      latestVersion: published?.versions[0]?.version ?? null,
      signature: found === undefined ? null : read({ digest: found.digest, signature: signatureOf(found) }),
    });
  }

  return {
    receive: (by) => receivePackage((bytes) => publishFiles(() => filesOf(bytes), by)),
    receiveExamined: (by) => receivePackage((bytes) => report(() => filesOf(bytes), by)),
    publish({ manifest, source, readme }, by) {
      const { entry, title, summary } = manifest as { entry?: unknown; title?: unknown; summary?: unknown };
      if (typeof entry !== 'string') throw invalid('manifest.entry', parameterProblems.IS_REQUIRED.reason({}));
      if (entry.endsWith('.wasm')) throw invalid('manifest.entry', parameterProblems.MUST_BE_JAVASCRIPT.reason({}));
      const text = readme ?? `# ${String(title)}\n\n${String(summary)}\n`;
      const files = new Map([
        [manifestPath, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)],
        [readmePath, Buffer.from(text)],
        [entry, Buffer.from(source)],
      ]);
      return publishFiles(async () => files, by);
    },
  };

  async function filesOf(bytes: Buffer): Promise<PackageFiles> {
    const { files, refusals, problem } = await readArchive(bytes);
    if (problem !== undefined) throw marketErrors.PACKAGE_REFUSED({ cause: problem });
    const [refused] = refusals;
    if (refused !== undefined) {
      throw marketErrors.PACKAGE_REFUSED({ cause: packageProblems.PACKAGE_REFUSED_ENTRY.reason(refused) });
    }
    return withoutFolder(files);
  }
}

function readChecked(files: PackageFiles): OperatorPackage {
  try {
    return readPackage(files);
  } catch (error) {
    throw error instanceof PackageRefused ? marketErrors.PACKAGE_REFUSED({ cause: reasonOf(error) }) : error;
  }
}

/** Strips the single top-level folder that `npm pack` and other tools create. */
function withoutFolder(files: PackageFiles): PackageFiles {
  const [first = ''] = files.keys();
  const folder = first.slice(0, first.indexOf('/') + 1);
  if (files.has(manifestPath) || folder === '') return files;
  if (![...files.keys()].every((path) => path.startsWith(folder))) return files;
  return new Map([...files].map(([path, bytes]) => [path.slice(folder.length), bytes]));
}
