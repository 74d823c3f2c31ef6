import {
  callNames,
  placeNames,
  type CallCount,
  type CallName,
  type FaultPlan,
  type PlaceName,
} from './failing-calls.ts';
import type { Random } from './random.ts';

const forEver = 0xffff_ffff;

/** Effects on a call, by name. */
const effects: Readonly<Record<string, Pick<FaultPlan, 'effect' | 'code' | 'times'>>> = {
  'kill-before': { effect: 'kill-before' },
  'kill-after': { effect: 'kill-after' },
  torn: { effect: 'torn' },
  short: { effect: 'short' },
  EIO: { effect: 'error', code: 'EIO' },
  'EIO-on': { effect: 'error', code: 'EIO', times: forEver },
  ENOSPC: { effect: 'error', code: 'ENOSPC' },
  'ENOSPC-on': { effect: 'error', code: 'ENOSPC', times: forEver },
};
const kills = ['kill-before', 'kill-after'];

/** Possible effects on each kind of call. */
const effectsOf: Readonly<Record<CallName, readonly string[]>> = {
  write: [...kills, 'torn', 'short', 'EIO', 'ENOSPC', 'ENOSPC-on'],
  fsync: [...kills, 'EIO', 'EIO-on'],
  fdatasync: [...kills, 'EIO', 'EIO-on'],
  rename: [...kills, 'EIO', 'ENOSPC'],
  unlink: [...kills, 'EIO', 'EIO-on'],
  ftruncate: [...kills, 'EIO'],
  create: [...kills, 'EIO', 'ENOSPC', 'ENOSPC-on'],
  mkdir: [...kills, 'EIO', 'ENOSPC'],
};

const syncs: readonly CallName[] = ['fsync', 'fdatasync'];
const syncPlaces: Readonly<Record<'blobs' | 'database', readonly PlaceName[]>> = {
  blobs: ['pack', 'blob-file', 'beside', 'folder', 'probe'],
  database: ['log', 'database'],
};

/**
 * The plan behind `write/log/17/EIO`: at the 17th write to the log. The place `blobs` or `database` with the call
 * `sync` means any sync there. Throws for anything that no list contains.
 */
export function planOf(point: string): FaultPlan {
  const [call, place, number, effectName = ''] = point.split('/');
  const effect = effects[effectName];
  const nth = Number(number);
  const calls = call === 'sync' ? syncs : callNames.filter((name) => name === call);
  const group = Object.entries(syncPlaces).find(([name]) => name === place)?.[1];
  const places = group ?? placeNames.filter((name) => name === place);
  if (effect === undefined || !(nth > 0) || calls.length === 0 || places.length === 0)
    throw new Error(`No fault is called ${point}`);
  return { ...effect, calls, places, nth };
}

/** Each counted call with each effect; at most `mostOfAKind` calls of one kind on one kind of file, drawn at random. */
export function listPoints(
  counts: readonly CallCount[],
  { mostOfAKind, random }: { mostOfAKind: number; random: (call: CallName, place: PlaceName) => Random },
): string[] {
  const points: string[] = [];
  for (const { call, place, count } of counts) {
    const all = Array.from({ length: count }, (_, index) => index + 1);
    const numbers = random(call, place).shuffle(all).slice(0, mostOfAKind);
    for (const nth of numbers.sort((a, b) => a - b))
      points.push(...effectsOf[call].map((effect) => `${call}/${place}/${nth}/${effect}`));
  }
  for (const [group, places] of Object.entries(syncPlaces)) {
    const those = counts.filter(({ call, place }) => syncs.includes(call) && places.includes(place));
    const total = those.reduce((sum, { count }) => sum + count, 0);
    for (let nth = 1; nth <= Math.min(total, mostOfAKind); nth += 1) points.push(`sync/${group}/${nth}/EIO-on`);
  }
  return points;
}

/** Whether the effect kills the process. */
export function isKill({ effect }: FaultPlan): boolean {
  return effect === 'kill-before' || effect === 'kill-after' || effect === 'torn';
}

/** Whether every sync of blobs, or of the database, fails from then on. */
export function isFailingSyncs({ times, calls }: FaultPlan): boolean {
  return times === forEver && calls === syncs;
}

export function isOfDatabase({ places }: FaultPlan): boolean {
  return places === syncPlaces.database;
}
