/** Content as a client knows it; an archive that waits to be unpacked (or could not be) is known by its size. */
export type Stored = { sizeBytes: number; sha256: string; waiting?: true };

/** The contents of some paths after an operation; null: no file. */
export type Change = ReadonlyMap<string, Stored | null>;

/** One call (or the calls that make one file), whose effect is all or nothing. */
export type Operation = {
  /** It was acknowledged: from now on its result must exist. */
  acknowledged(): void;
  /** It was refused. */
  refused(): void;
};

/**
 * One client's knowledge of one dataset: acknowledged results must exist; results of unanswered calls may exist, whole,
 * or not. Operations on the same path follow one another.
 */
export type ClientJournal = {
  /**
   * Called before a call with its possible outcomes. If there are several, the service chooses; later ones may follow
   * the first.
   */
  begin(what: string, ...outcomes: readonly Change[]): Operation;
  /** What is certain by now. */
  readonly known: ReadonlyMap<string, Stored>;
  /**
   * Compares the list of the service with the journal; returns a sentence for each disagreement. `settled`: nothing is
   * in progress any more (the process was restarted), so the observed state is final.
   */
  compare(actual: ReadonlyMap<string, Stored>, options: { settled: boolean }): string[];
};

type Open = { what: string; outcomes: readonly Change[]; mayBeUndone: boolean };
type Contents = ReadonlyMap<string, Stored>;
type Choice = Change | undefined;

export function createClientJournal(known: Contents = new Map()): ClientJournal {
  let certain = new Map(known);
  let open: Open[] = [];

  return {
    get known() {
      return certain;
    },
    begin(what, ...outcomes) {
      const entry: Open = { what, outcomes, mayBeUndone: true };
      open.push(entry);
      return {
        acknowledged() {
          entry.mayBeUndone = false;
        },
        refused() {
          open = open.filter((other) => other !== entry);
        },
      };
    },
    compare(actual, { settled }) {
      const chosen = new Map<Open, Choice>();
      const sentences: string[] = [];
      const touched = new Set<string>();
      // Operations that share no path can't explain each other.
      for (const { operations, paths } of groupByPaths(open)) {
        for (const path of paths) touched.add(path);
        const found = explain(operations, only(certain, paths), only(actual, paths));
        if (Array.isArray(found)) sentences.push(...found);
        else for (const [operation, choice] of found) chosen.set(operation, choice);
      }
      sentences.push(...differences(without(certain, touched), without(actual, touched)));
      if (settled && sentences.length === 0) {
        const isSettled = (operation: Open): boolean => isFinal(chosen.get(operation));
        certain = applyAll(
          certain,
          open.filter(isSettled).map((operation) => chosen.get(operation)),
        );
        open = open.filter((operation) => !isSettled(operation));
        for (const operation of open) operation.mayBeUndone = false;
      }
      return sentences;
    },
  };
}

/**
 * How these operations ended, as far as the observed state shows; if nothing explains it, the differences as sentences.
 */
function explain(operations: readonly Open[], before: Contents, actual: Contents): Map<Open, Choice> | string[] {
  for (const choices of combinations(operations)) {
    if (differences(applyAll(before, choices), actual).length > 0) continue;
    return new Map(operations.map((operation, index) => [operation, choices[index]]));
  }
  const nearest = applyAll(
    before,
    operations.map((operation) => (operation.mayBeUndone ? undefined : operation.outcomes.at(-1))),
  );
  const unanswered = operations.filter(({ mayBeUndone }) => mayBeUndone).map(({ what }) => what);
  const note = unanswered.length === 0 ? '' : ` (unanswered: ${unanswered.join(', ')})`;
  return differences(nearest, actual).map((sentence) => `${sentence}${note}`);
}

/** Operations that touch the same paths, directly or through others, in their order. */
function groupByPaths(open: readonly Open[]): { operations: Open[]; paths: Set<string> }[] {
  let groups: { operations: Open[]; paths: Set<string> }[] = [];
  for (const operation of open) {
    const paths = new Set(operation.outcomes.flatMap((outcome) => [...outcome.keys()]));
    const joined = groups.filter((group) => [...paths].some((path) => group.paths.has(path)));
    groups = groups.filter((group) => !joined.includes(group));
    groups.push({
      operations: [...joined.flatMap(({ operations }) => operations), operation].sort(
        (one, other) => open.indexOf(one) - open.indexOf(other),
      ),
      paths: new Set([...joined.flatMap((group) => [...group.paths]), ...paths]),
    });
  }
  return groups;
}

function only(contents: Contents, paths: ReadonlySet<string>): Map<string, Stored> {
  return new Map([...contents].filter(([path]) => paths.has(path)));
}

function without(contents: Contents, paths: ReadonlySet<string>): Map<string, Stored> {
  return new Map([...contents].filter(([path]) => !paths.has(path)));
}

/** Every possible outcome of the open operations, starting with none of them done. */
function* combinations(open: readonly Open[]): Generator<Choice[]> {
  const [first, ...rest] = open;
  if (first === undefined) {
    yield [];
    return;
  }
  const choices: Choice[] = [...(first.mayBeUndone ? [undefined] : []), ...first.outcomes];
  for (const choice of choices) for (const others of combinations(rest)) yield [choice, ...others];
}

function applyAll(contents: Contents, choices: readonly Choice[]): Map<string, Stored> {
  const result = new Map(contents);
  for (const choice of choices) {
    for (const [path, stored] of choice ?? []) {
      if (stored === null) result.delete(path);
      else result.set(path, stored);
    }
  }
  return result;
}

/** Whether this outcome is final. */
function isFinal(choice: Choice): boolean {
  return ![...(choice?.values() ?? [])].some((stored) => stored?.waiting === true);
}

function differences(expected: Contents, actual: Contents): string[] {
  const sentences: string[] = [];
  for (const [path, stored] of expected) {
    const found = actual.get(path);
    if (found === undefined) sentences.push(`${path} (${stored.sizeBytes} bytes) was acknowledged and is lost`);
    else if (!isEqual(stored, found)) sentences.push(`${path} is ${describe(found)} instead of ${describe(stored)}`);
  }
  for (const [path, stored] of actual)
    if (!expected.has(path)) sentences.push(`${path} (${describe(stored)}) is listed and should not be`);
  return sentences;
}

function isEqual(one: Stored, other: Stored): boolean {
  if (one.sizeBytes !== other.sizeBytes || one.waiting !== other.waiting) return false;
  return one.waiting === true || one.sha256 === other.sha256;
}

function describe({ sizeBytes, sha256, waiting }: Stored): string {
  return `${sizeBytes} bytes ${waiting === true ? 'not yet unpacked' : `with SHA-256 ${sha256.slice(0, 12)}`}`;
}
