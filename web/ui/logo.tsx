import { addressOf } from '../api/path-prefix.ts';

/** The sprout over furrows. */
export function Logo({ size }: { size: number }) {
  return <img src={addressOf('/favicon.svg')} width={size} height={size} alt="" />;
}
