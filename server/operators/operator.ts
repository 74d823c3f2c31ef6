import type { Static, TObject } from 'typebox';
import { Value } from 'typebox/value';

/** What flows through a chain of operators: one row's text or one whole document. */
export type Sample = { readonly text: string };

/** The sample is left out of the result; `reason` tells people why, with the figure and the bound. */
export type Dropped = { readonly verdict: 'drop'; readonly reason: string; readonly score?: number };

/** The sample goes on, and the figure that it was judged by is written down. */
export type Scored = { readonly verdict: 'keep'; readonly sample: Sample; readonly score: number };

/** What an operator makes of a sample: one (the same object when it changed nothing), several, or a judgement. */
export type Outcome = Sample | readonly Sample[] | Dropped | Scored;

export type Modality = 'TEXT' | 'IMAGE' | 'AUDIO' | 'VIDEO' | 'ANY';
export type OperatorKind = 'MAPPER' | 'FILTER' | 'DEDUPLICATOR' | 'SPLITTER' | 'SELECTOR';

/** A parameter at fault: `min`, `must not be greater than max`. */
export type ParamProblem = { readonly field: string; readonly problem: string };

/** Input and outcome of one call; tests, documentation and preview at once. */
export type Example = {
  readonly title: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly input: string;
  /** The text afterwards, several texts, or the reason of the drop. */
  readonly output: string | readonly string[] | { readonly drop: string };
};

/** One step of a pipeline. Pure: same params and sample, same outcome; no clock, randomness, network or files. */
export type Operator = {
  /** `object-effect`: a `-filter` drops, a `-remover` takes out, a `-normalizer` rewrites. */
  readonly id: string;
  /** Semantic version; goes up with every change of what it does. */
  readonly version: string;
  readonly name: string;
  readonly description: string;
  readonly modality: Modality;
  readonly kind: OperatorKind;
  readonly categories: readonly string[];
  readonly params: TObject;
  readonly examples: readonly Example[];
  /** What the schema can't say: relations between parameters. Called with parameters that match the schema. */
  readonly check?: (params: Readonly<Record<string, unknown>>) => ParamProblem | undefined;
  /** Prepares one run of the operator and gives what is done with each sample. */
  readonly each: (params: Readonly<Record<string, unknown>>) => (sample: Sample) => Outcome;
};

type Declaration<S extends TObject> = Omit<Operator, 'params' | 'check' | 'each'> & {
  params: S;
  check?: (params: Static<S>) => ParamProblem | undefined;
  each: (params: Static<S>) => (sample: Sample) => Outcome;
};

/** Declares an operator whose parameters have the type of its schema. */
export function defineOperator<const S extends TObject>(declaration: Declaration<S>): Operator {
  const { check, each, ...metadata } = declaration;
  return {
    ...metadata,
    ...(check === undefined
      ? {}
      : { check: (params: Readonly<Record<string, unknown>>) => check(params as Static<S>) }),
    each: (params) => each(params as Static<S>),
  };
}

/** Leaves a sample out. */
export function drop(reason: string, score?: number): Dropped {
  return score === undefined ? { verdict: 'drop', reason } : { verdict: 'drop', reason, score };
}

/** Lets a sample pass with the figure that it was judged by. */
export function keep(sample: Sample, score: number): Scored {
  return { verdict: 'keep', sample, score };
}

export type ParsedParams =
  | { readonly ok: true; readonly params: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly field: string; readonly problem: string };

type SchemaError = ReturnType<typeof Value.Errors>[number];

/** Fills in defaults, drops unknown fields and checks parameters against the operator's schema; nothing is coerced. */
export function parseParams(operator: Operator, given: unknown): ParsedParams {
  const params = Value.Clean(operator.params, Value.Default(operator.params, structuredClone(given ?? {})));
  const [error] = Value.Errors(operator.params, params);
  if (error !== undefined) return { ok: false, ...problemOf(error) };
  const checked = params as Readonly<Record<string, unknown>>;
  const problem = operator.check?.(checked);
  return problem === undefined ? { ok: true, params: checked } : { ok: false, ...problem };
}

function problemOf(error: SchemaError): ParamProblem {
  const path = error.instancePath.split('/').slice(1);
  switch (error.keyword) {
    case 'required':
      return { field: [...path, ...error.params.requiredProperties.slice(0, 1)].join('.'), problem: 'is required' };
    case 'type':
      return { field: path.join('.'), problem: `must be ${typeName(error.params.type)}` };
    case 'minimum':
      return { field: path.join('.'), problem: `must be at least ${error.params.limit}` };
    case 'maximum':
      return { field: path.join('.'), problem: `must be at most ${error.params.limit}` };
    default:
      return { field: path.join('.'), problem: error.message };
  }
}

function typeName(type: string | readonly string[]): string {
  const name = String(type);
  return /^[aeio]/.test(name) ? `an ${name}` : `a ${name}`;
}
