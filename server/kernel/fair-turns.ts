/** Whose turn it is: the owner that holds the fewest places goes first, then the one served least recently. */
export type FairTurns = {
  /** An owner takes `by` places, or gives them back if negative. */
  change(owner: string, by: number): void;
  /** Whether a later request of `owner` overtakes an earlier one of `other`. */
  goesFirst(owner: string, other: string): boolean;
  /** Forgets who was served: nobody waits. */
  restart(): void;
};

export function createFairTurns(): FairTurns {
  const held = new Map<string, number>();
  /** Turn at which each owner was last served. */
  const turns = new Map<string, number>();
  let turn = 0;
  return {
    change(owner, by) {
      const count = (held.get(owner) ?? 0) + by;
      if (count === 0) held.delete(owner);
      else held.set(owner, count);
      if (by > 0) turns.set(owner, (turn += 1));
    },
    goesFirst(owner, other) {
      const more = (held.get(owner) ?? 0) - (held.get(other) ?? 0);
      return more < 0 || (more === 0 && (turns.get(owner) ?? 0) < (turns.get(other) ?? 0));
    },
    restart: () => turns.clear(),
  };
}

/** The request whose turn it is; undefined if there is none. */
export function nextInTurn<Request extends { owner: string }>(
  { goesFirst }: Pick<FairTurns, 'goesFirst'>,
  waiting: Iterable<Request>,
): Request | undefined {
  let next: Request | undefined;
  for (const request of waiting) if (next === undefined || goesFirst(request.owner, next.owner)) next = request;
  return next;
}
