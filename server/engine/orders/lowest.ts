/** An item with its random number. */
export type Ranked<T> = { readonly priority: number; readonly item: T };

/** The items with the lowest numbers out of any number of them: a uniform sample, if the numbers are random. */
export type Lowest<T> = {
  /** Items at or above this number can't be among the lowest; callers need not create them. */
  readonly bound: number;
  add(priority: number, item: T): void;
  /** Ascending by number. */
  take(): Ranked<T>[];
};

/** Holds at most twice `size` items. */
export function createLowest<T>(size: number): Lowest<T> {
  let held: Ranked<T>[] = [];
  let bound = size === 0 ? -1 : Infinity;

  function cut(): void {
    held.sort((one, other) => one.priority - other.priority);
    if (held.length > size) held = held.slice(0, size);
    if (held.length === size) bound = held.at(-1)?.priority ?? -1;
  }

  return {
    get bound() {
      return bound;
    },
    add(priority, item) {
      if (priority >= bound) return;
      held.push({ priority, item });
      if (held.length >= 2 * size) cut();
    },
    take() {
      cut();
      return held;
    },
  };
}
