import { useState, type ChangeEvent, type SyntheticEvent } from 'react';

/** Validation per field, given all values; returns the problem, or undefined if there is none. */
export type Checks<Values> = { readonly [Name in keyof Values]?: (values: Values) => string | undefined };

type Problems<Values> = { readonly [Name in keyof Values]?: string | undefined };
type NamesOf<Values, Value> = { [Name in keyof Values]: Values[Name] extends Value ? Name : never }[keyof Values];

type Options<Values> = {
  /** Applied when the form is submitted; editing a field clears its problem. */
  checks?: Checks<Values>;
  /** Called at each edit: an earlier refusal by the service no longer applies. */
  onEdit?: () => void;
};

/** The problems of the fields that have one. */
export function problemsOf<Values extends object>(values: Values, checks: Checks<Values>): Problems<Values> {
  const found: { [Name in keyof Values]?: string } = {};
  for (const name of Object.keys(checks) as (keyof Values)[]) {
    const problem = checks[name]?.(values);
    if (problem !== undefined) found[name] = problem;
  }
  return found;
}

export type Draft<Values extends object> = ReturnType<typeof useDraft<Values>>;

/** The values of a form before they are saved. `text`, `flag`, `choice` and so on connect a field to a Mantine input. */
export function useDraft<Values extends object>(initial: Values | (() => Values), options: Options<Values> = {}) {
  const [saved, setSaved] = useState(initial);
  const [values, setValues] = useState(saved);
  const [problems, setProblems] = useState<Problems<Values>>({});
  const set = (next: Partial<Values>): void => {
    options.onEdit?.();
    setValues((old) => ({ ...old, ...next }));
    setProblems((old) => ({ ...old, ...Object.fromEntries(Object.keys(next).map((name) => [name, undefined])) }));
  };
  const put = (name: keyof Values, value: unknown): void => set({ [name]: value } as Partial<Values>);
  return {
    values,
    set,
    isChanged: JSON.stringify(values) !== JSON.stringify(saved),
    /** Marks these values as saved: the draft counts as unchanged while it equals them. */
    keep: (now: Values): void => setSaved(now),
    reset(): void {
      setValues(saved);
      setProblems({});
    },
    /** The `onSubmit` of a form: saves the draft if its checks find nothing. */
    submit: (save: (values: Values) => void) => (event: SyntheticEvent) => {
      event.preventDefault();
      const found = problemsOf(values, options.checks ?? {});
      setProblems(found);
      if (Object.keys(found).length === 0) save(values);
    },
    text: (name: NamesOf<Values, string>) => ({
      value: values[name] as string,
      error: problems[name],
      onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => put(name, event.currentTarget.value),
    }),
    flag: (name: NamesOf<Values, boolean>) => ({
      checked: values[name] as boolean,
      onChange: (event: ChangeEvent<HTMLInputElement>) => put(name, event.currentTarget.checked),
    }),
    /** A required number: an emptied input changes nothing. */
    number: (name: NamesOf<Values, number>) => ({
      value: values[name] as number,
      error: problems[name],
      onChange: (next: number | string) => typeof next === 'number' && put(name, next),
    }),
    /** An optional number, such as a limit. */
    limit: (name: NamesOf<Values, number | undefined>) => ({
      value: (values[name] as number | undefined) ?? '',
      error: problems[name],
      onChange: (next: number | string) => put(name, typeof next === 'number' ? next : undefined),
    }),
    /** One of the values that a select offers. */
    choice: (name: NamesOf<Values, string>) => ({
      value: values[name] as string,
      error: problems[name],
      onChange: (next: string | null) => next !== null && put(name, next),
    }),
    /** Any input that passes the value itself. */
    value: <Name extends keyof Values>(name: Name) => ({
      value: values[name],
      error: problems[name],
      onChange: (next: Values[Name]) => put(name, next),
    }),
  };
}
