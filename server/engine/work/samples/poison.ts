import { foreign } from '../../../kernel/sentences/index.ts';
import type { Poison, ShardJob } from '../../orders/shard.ts';

const notTried = foreign('It was not tried');

/** Finds the samples of a shard that fail without a try. */
export function findPoison({
  poison,
  until = Infinity,
}: Pick<ShardJob, 'poison' | 'until'>): (ordinal: number) => Poison | undefined {
  const known = new Map(poison.map((item) => [item.ordinal, item]));
  return (ordinal) => (ordinal < until ? known.get(ordinal) : { ordinal, step: null, reason: notTried });
}
