// Determines from Git which files changed.
import { execFileSync } from 'node:child_process';
import { UsageProblem } from './usage-problem.ts';

/** Shared branches: a change is everything after them. */
const upstreams = ['origin/HEAD', 'origin/main', 'main'];

export type Changes = {
  /** The commit before the change. */
  base: string;
  /** Paths from the checkout, changed, added or deleted since, including uncommitted changes. */
  files: string[];
};

/**
 * What changed in a checkout since `base`, or since its branch diverged from the shared one. Throws UsageProblem without Git, or for an
 * unknown commit.
 */
export function findChanges(base?: string, checkout = process.cwd()): Changes {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: checkout, encoding: 'utf8', stdio: 'pipe' });
  const since = resolve(git, base ?? findBase(git));
  const committed = git('diff', '--name-only', '--no-renames', '-z', since);
  const added = git('ls-files', '--others', '--exclude-standard', '-z');
  return { base: since, files: [...new Set(`${committed}${added}`.split('\0').filter((path) => path !== ''))].sort() };
}

function resolve(git: (...args: string[]) => string, commit: string): string {
  try {
    return git('rev-parse', '--short', '--verify', `${commit}^{commit}`).trim();
  } catch {
    throw new UsageProblem(`--changed requires a Git checkout that contains the commit ${commit}.`);
  }
}

/** Where this branch diverged from the shared one; HEAD on the shared branch itself, or without one. */
function findBase(git: (...args: string[]) => string): string {
  const found = upstreams.filter((upstream) => isThere(git, upstream));
  for (const upstream of found) {
    try {
      return git('merge-base', 'HEAD', upstream).trim();
    } catch {
      // They have no commit in common, or not within a shallow clone.
    }
  }
  const isWhole = git('rev-parse', '--is-shallow-repository').trim() === 'false';
  if (found.length === 0 && isWhole) return 'HEAD';
  throw new UsageProblem(
    '--changed cannot tell where this branch left main: fetch more of its history, or say --changed=COMMIT.',
  );
}

function isThere(git: (...args: string[]) => string, branch: string): boolean {
  try {
    git('rev-parse', '--verify', '--quiet', `${branch}^{commit}`);
    return true;
  } catch {
    return false;
  }
}
