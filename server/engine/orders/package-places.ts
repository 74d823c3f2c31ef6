import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../kernel/errors.ts';
import { reasonOf } from '../../kernel/reasoned-error.ts';
import { packageProblems, unpackFiles } from '../../operator-packages/index.ts';
import type { Step } from './steps.ts';
import { SetupError } from './setup-error.ts';

/** Where the packages of published operators come from: their bytes by digest. */
export type PackageSource = { read(digest: string): Promise<Uint8Array | undefined> };

/** Puts the packages that steps need where workers read them. */
export type PackagePlaces = {
  readonly directory: string;
  /** Throws SetupError for a package that is gone, damaged or doesn't match its digest. */
  prepare(steps: readonly Step[]): Promise<void>;
  /** Deletes what earlier processes left behind. */
  clear(): Promise<void>;
};

/** The file of a package. */
export function packagePath(directory: string, digest: string): string {
  return join(directory, `${digest}.json`);
}

export function createPackagePlaces({
  source,
  directory,
}: {
  source: PackageSource;
  directory: string;
}): PackagePlaces {
  const placed = new Map<string, Promise<void>>();

  async function place(step: Step, digest: string): Promise<void> {
    const packed = await readPackage(source, step, digest);
    if (unpackFiles(packed, digest) === undefined) {
      throw new SetupError(
        packageProblems.PACKAGE_DIFFERS.reason({ operator: step.operatorId, version: step.version }),
      );
    }
    await mkdir(directory, { recursive: true });
    await writeFile(packagePath(directory, digest), packed);
  }

  return {
    directory,
    async prepare(steps) {
      for (const step of steps) {
        const { digest } = step;
        if (digest === undefined) continue;
        const known = placed.get(digest) ?? place(step, digest);
        placed.set(digest, known);
        known.catch(() => placed.delete(digest));
        await known;
      }
    },
    async clear() {
      placed.clear();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function readPackage(source: PackageSource, step: Step, digest: string): Promise<Uint8Array> {
  const missing = packageProblems.PACKAGE_GONE.reason({ operator: step.operatorId, version: step.version });
  try {
    const packed = await source.read(digest);
    if (packed === undefined) throw new SetupError(missing);
    return packed;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const about = { operator: step.operatorId, version: step.version, why: reasonOf(error) };
    throw new SetupError(packageProblems.PACKAGE_UNREADABLE.reason(about));
  }
}
