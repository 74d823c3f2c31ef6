import type { Operator } from '../../operators/index.ts';

/** The operators available to steps: built-in ones, and the published ones that the steps name. */
export type StepOperators = {
  operatorsFor(
    steps: readonly { readonly operatorId: string; readonly version?: string | undefined }[],
  ): Promise<readonly Operator[]>;
};
