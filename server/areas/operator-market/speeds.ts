import type { Engine } from '../../engine/index.ts';
import { parseParams, type Operator } from '../../operators/index.ts';
import { measuredTexts } from './measured-texts.ts';
import type { OperatorSpeeds } from './schemas.ts';

export type Speeds = {
  /** Measured at the first call, one operator after the other. */
  list(): Promise<OperatorSpeeds>;
};

/** CPU time for each operator. */
const cpuMs = 10;

export function createSpeeds({
  engine,
  operators,
}: {
  engine: Pick<Engine, 'measureSpeed'>;
  operators: readonly Operator[];
}): Speeds {
  const measured = new Map<string, OperatorSpeeds['speeds'][number]>();
  let measuring: Promise<OperatorSpeeds> | undefined;

  async function measure(operator: Operator): Promise<OperatorSpeeds['speeds'][number]> {
    const { id: operatorId, version } = operator;
    const named = { operatorId, version, unit: operator.reads.includes('media') ? 'PICTURES' : 'DOCUMENTS' } as const;
    const known = measured.get(operatorId);
    if (known !== undefined) return known;
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

  async function measureAll(): Promise<OperatorSpeeds> {
    const speeds = [];
    for (const operator of operators) {
      const speed = await measure(operator);
      // A worker that was lost says nothing of the operator: it is measured again when speeds are asked for next.
      if (speed.samplesPerSecond !== null) measured.set(operator.id, speed);
      speeds.push(speed);
    }
    return { speeds };
  }

  return {
    list() {
      measuring ??= measureAll().finally(() => {
        measuring = undefined;
      });
      return measuring;
    },
  };
}
