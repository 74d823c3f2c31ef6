import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../../engine/index.ts';
import { parseParams, type Operator } from '../../operators/index.ts';
import { measuredTexts } from './measured-texts.ts';
import type { OperatorSpeeds } from './schemas/operators.ts';

export type Speeds = {
  /** Measures operators one after the other from the first call on; returns within `waitMs` what is known by then. */
  list(): Promise<OperatorSpeeds>;
};

type Speed = OperatorSpeeds['speeds'][number];

/** CPU time to spend per operator. */
const cpuMs = 10;
/** On an idle machine all operators take a few seconds; on a busy one many times that. */
const defaultWaitMs = 8_000;

export function createSpeeds({
  engine,
  operators,
  waitMs = defaultWaitMs,
}: {
  engine: Pick<Engine, 'measureSpeed'>;
  operators: readonly Operator[];
  waitMs?: number;
}): Speeds {
  const measured = new Map<string, Speed>();
  let measuring: Promise<void> | undefined;

  const nameOf = ({ id, version, reads }: Operator) =>
    ({ operatorId: id, version, unit: reads.includes('media') ? 'PICTURES' : 'DOCUMENTS', pending: false }) as const;

  async function measure(operator: Operator): Promise<Speed> {
    const { id: operatorId, version } = operator;
    const named = nameOf(operator);
    const parsed = parseParams(operator, {});
    if (!parsed.ok) {
      const reason = `${parsed.field} has no default`;
      return { ...named, samplesPerSecond: null, reason };
    }
    try {
      const step = { operatorId, version, params: parsed.params };
      const { samples, cpuMs: spentMs } = await engine.measureSpeed({ step, texts: measuredTexts, cpuMs });
      return { ...named, samplesPerSecond: Number(((samples / spentMs) * 1000).toPrecision(3)), reason: null };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { ...named, samplesPerSecond: null, reason };
    }
  }

  async function measureAll(): Promise<void> {
    // A lost worker says nothing about the operator, which is measured again at the next request.
    const open = operators.filter(({ id }) => typeof measured.get(id)?.samplesPerSecond !== 'number');
    for (const { id } of open) measured.delete(id);
    for (const operator of open) measured.set(operator.id, await measure(operator));
  }

  return {
    async list() {
      measuring ??= measureAll().finally(() => {
        measuring = undefined;
      });
      await Promise.race([measuring, pause(waitMs, undefined, { ref: false })]);
      const pending = { samplesPerSecond: null, reason: 'is being measured', pending: true };
      return { speeds: operators.map((operator) => measured.get(operator.id) ?? { ...nameOf(operator), ...pending }) };
    },
  };
}
