// The results of steps that process pictures.
import assert from 'node:assert/strict';
import {
  isBatchOperator,
  isSampleOperator,
  operators,
  parseParams,
  type Media,
  type Operator,
  type Outcome,
  type SetOperator,
  type Signatures,
} from '../../server/operators/index.ts';
import { noEffects } from './model-effects.ts';

/** The parameters of a step, with defaults for those not given. */
export function paramsOf(operator: Operator, given: unknown): Readonly<Record<string, unknown>> {
  const parsed = parseParams(operator, given);
  if (!parsed.ok) throw new Error(`${parsed.field} ${parsed.problem.text}`);
  return parsed.params;
}

export function operatorOf(id: string): Operator {
  const found = operators.find((operator) => operator.id === id);
  assert.ok(found !== undefined, id);
  return found;
}

/** The result of a step for a picture: the new file, or why it was dropped. */
export async function outcomeOf(id: string, given: unknown, media: Media): Promise<Media | { drop: string }> {
  const operator = operatorOf(id);
  const params = paramsOf(operator, given);
  const sample = { media: [media] };
  let outcome: Outcome | Error | undefined;
  if (isBatchOperator(operator)) {
    [outcome] = await operator.batch(params, noEffects()).run([sample], new AbortController().signal);
  } else if (isSampleOperator(operator)) outcome = operator.each(params)(sample);
  assert.ok(outcome !== undefined && !Array.isArray(outcome) && !(outcome instanceof Error));
  if ('verdict' in outcome && outcome.verdict === 'drop') return { drop: outcome.reason.text };
  const after = 'verdict' in outcome ? outcome.sample : outcome;
  const made = ('media' in after ? after.media?.[0] : undefined) ?? media;
  return made.encode === undefined ? made : { type: made.type, bytes: await made.encode() };
}

export async function judgedTogether(
  operator: SetOperator,
  given: unknown,
  pictures: readonly Media[],
): Promise<(string | null)[]> {
  const whole = operator.all(paramsOf(operator, given));
  const samples = pictures.map((media) => ({ media: [media] }));
  const prepared = (await operator.prepare?.(samples, new AbortController().signal)) ?? samples;
  const signed = prepared.map((sample) => {
    const keys = new Uint32Array(whole.keys);
    const words = new Uint32Array(whole.words);
    whole.sign(sample as { media: Media[] }, keys, words, '');
    return { keys, words };
  });
  const signatures: Signatures = {
    references: 0,
    count: signed.length,
    column: (key) => Uint32Array.from(signed, ({ keys }) => keys[key] ?? 0),
    read: (index, target) => target.set(signed[index]?.words ?? []),
  };
  const reasons: (string | null)[] = pictures.map(() => null);
  whole.reduce(
    signatures,
    ({ index, of, reason }) => {
      reasons[index] = reason(`{sample ${of + 1}}`).text;
    },
    () => {},
    () => {},
  );
  return reasons;
}
