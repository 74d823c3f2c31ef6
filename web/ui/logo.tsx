import { addressOf } from '../api/path-prefix.ts';

/** A sprout over furrows. */
export function Logo({ size }: { size: number }) {
  return <img src={addressOf('/favicon.svg')} width={size} height={size} alt="" />;
}
