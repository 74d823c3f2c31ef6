import { cpuBetween, mainThread, totalOf, type CpuTimes } from './cpu-times.ts';

const none: CpuTimes = new Map();

/** Runs per side: `TILTH_BENCH_PAIRS`, default 7. */
export const pairCount = Math.max(1, Number(process.env['TILTH_BENCH_PAIRS'] ?? 7));

/** Unit of CPU time: seconds per GiB, microseconds per file or call. */
export type CpuUnit = { name: string; perSecond: number };
export const secondsPerGib: CpuUnit = { name: 's/GiB', perSecond: 1 };
export const microsecondsPerFile: CpuUnit = { name: 'µs a file', perSecond: 1e6 };
export const microsecondsPerCall: CpuUnit = { name: 'µs a call', perSecond: 1e6 };

/** One side of a comparison; `run` returns its figure. More is better unless the title says otherwise. */
export type Side = {
  name: string;
  unit: string;
  run(): Promise<number>;
  /** Where to read the CPU time of its process, and how many GiB, files or calls a run with that figure handled. */
  cpu?: {
    unit: CpuUnit;
    read(): Promise<CpuTimes>;
    amountOf(figure: number): number;
    /** The service's thread that does the work of this side's main thread; default: the thread of the same kind. */
    floorOf?: string;
  };
};

type Measured = { figure: number; cpu: CpuTimes | undefined };

/**
 * Measures two or more sides in turn (A B A B), so that machine noise affects all of them. One warm-up run of each
 * doesn't count. Prints every round, the median ratio with minimum and maximum, and CPU time by thread for sides that
 * report it. Returns the median ratio against the first peer.
 */
export async function comparePairs(title: string, ours: Side, ...peers: readonly Side[]): Promise<number> {
  const sides = [ours, ...peers];
  for (const side of sides) await side.run();
  const rounds: Measured[][] = [];
  for (let round = 0; round < pairCount; round++) {
    const measured: Measured[] = [];
    for (const side of sides) measured.push(await measure(side));
    rounds.push(measured);
    const [own] = measured;
    const others = peers.map((peer, index) => {
      const other = measured[index + 1]?.figure ?? 0;
      return `${peer.name} ${other.toFixed(2)} ${peer.unit} (${((own?.figure ?? 0) / other).toFixed(2)})`;
    });
    console.log(`  ${ours.name} ${own?.figure.toFixed(2)} ${ours.unit}, ${others.join(', ')}`);
  }
  const figuresOf = (side: number): number[] => rounds.map((measured) => measured[side]?.figure ?? 0);
  let first: number | undefined;
  for (const [index, peer] of peers.entries()) {
    const other = figuresOf(index + 1);
    const ratios = figuresOf(0).map((own, round) => own / (other[round] ?? 0));
    console.log(
      `${title}, against ${peer.name}: ${describeSpread(ratios)}, ${ours.name} ${medianOf(figuresOf(0)).toFixed(2)} ${ours.unit}, ` +
        `${peer.name} ${medianOf(other).toFixed(2)} ${peer.unit}`,
    );
    first ??= medianOf(ratios);
  }
  for (const [index, side] of sides.entries())
    printCpu(
      side,
      rounds.map((measured) => measured[index]?.cpu),
    );
  printCpuRatios(sides, rounds);
  return first ?? 1;
}

async function measure(side: Side): Promise<Measured> {
  const before = await side.cpu?.read();
  const figure = await side.run();
  if (side.cpu === undefined || before === undefined) return { figure, cpu: undefined };
  const spent = cpuBetween(before, await side.cpu.read());
  const factor = side.cpu.unit.perSecond / side.cpu.amountOf(figure);
  return { figure, cpu: new Map([...spent].map(([role, seconds]) => [role, seconds * factor])) };
}

/** Medians of the rounds, the largest share first. */
function printCpu({ name, cpu }: Side, rounds: readonly (CpuTimes | undefined)[]): void {
  if (cpu === undefined) return;
  const known = rounds.filter((times) => times !== undefined);
  const roles = new Set(known.flatMap((times) => [...times.keys()]));
  const shares = [...roles]
    .map((role) => ({ role, median: medianOf(known.map((times) => times.get(role) ?? 0)) }))
    .toSorted((left, right) => right.median - left.median);
  const total = medianOf(known.map(totalOf));
  const named = shares.filter(({ median }) => median >= total / 200);
  console.log(
    `  CPU of ${name}, ${cpu.unit.name}: ${digits(total)} = ${named.map(({ role, median }) => `${role} ${digits(median)}`).join(' + ')}`,
  );
}

/**
 * The matching thread of the service against the peer's work, and all threads of the service against all of the peer's.
 */
function printCpuRatios([ours, ...peers]: readonly Side[], rounds: readonly (readonly Measured[])[]): void {
  if (ours?.cpu === undefined) return;
  for (const [index, { name, cpu }] of peers.entries()) {
    if (cpu === undefined) continue;
    const { floorOf = mainThread } = cpu;
    const ratiosOf = (part: (times: CpuTimes, role: string) => number): number[] =>
      rounds.map((round) => part(round[0]?.cpu ?? none, floorOf) / part(round[index + 1]?.cpu ?? none, mainThread));
    const own = ratiosOf((times, role) => times.get(role) ?? 0);
    const whole = cpu.floorOf === undefined ? `, all threads ${describeSpread(ratiosOf(totalOf))}` : '';
    console.log(`  CPU of ${ours.name} against ${name}: ${floorOf} ${describeSpread(own)}${whole}`);
  }
}

function digits(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0);
}

function describeSpread(values: readonly number[]): string {
  return `${medianOf(values).toFixed(2)} (${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)})`;
}

export function medianOf(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0;
}
