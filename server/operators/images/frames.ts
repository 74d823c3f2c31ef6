import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { pictureProblems } from '../../kernel/sentences/index.ts';
import type { PictureFacts } from './pictures.ts';

/** Throws for an animation: the step would lose its frames. */
export function refuseFrames({ frames }: PictureFacts): void {
  if (frames > 1) throw new ReasonedError(pictureProblems.PICTURE_MOVES.reason({ frames }));
}
