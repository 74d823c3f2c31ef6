import type { MarketOperator } from './schemas/operators.ts';

export const noRating: MarketOperator['rating'] = { average: null, count: 0, distribution: [0, 0, 0, 0, 0] };

/** Rating from the numbers of users who gave one to five stars. */
export function ratingOf(distribution: number[]): MarketOperator['rating'] {
  const count = distribution.reduce((sum, one) => sum + one, 0);
  const sum = distribution.reduce((all, one, at) => all + one * (at + 1), 0);
  return { average: Math.round((sum / count) * 100) / 100, count, distribution };
}
