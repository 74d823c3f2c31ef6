import { defineSentences } from '../kernel/sentence-catalogue.ts';

/** Why published code failed on a sample, or could not be used at all. */
export const sandboxSentences = defineSentences('sandbox', {
  CODE_OVER_TIME: 'the published operator needed more than {seconds} s of CPU time and was stopped',
  CODE_OVER_MEMORY: 'the published operator needed more than {memory} MiB of memory and was stopped',
  CODE_OVER_STACK: 'the published operator calls itself too deeply',
  CODE_RESULT_TOO_LARGE: 'the published operator answered with more than {limit} MiB',
  CODE_ENDED: 'the published operator ended its sandbox: {cause}',
  CODE_GIVEN_UP:
    'the published operator was stopped {times} times in this part of the run and is not called again there',
  SCORES_TOO_MANY:
    'the published operator answered with more than {scores} scores, or with one whose name has more than {characters} characters',
  CODE_ANSWER_TOO_DEEP: 'the published operator answered with a value that is nested more than {limit} deep',
  CODE_UNUSABLE: 'the published operator could not be started: {cause}',
});
