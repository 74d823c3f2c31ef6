/** At most `limit` calls within any `spanMs`. */
export type RateWindow = { limit: number; spanMs: number };

/**
 * Times of one caller's latest calls, as far back as the longest window reaches: a ring buffer that grows up to
 * the limit of that window. Times are monotonic milliseconds.
 */
export class CallHistory {
  readonly #windows: readonly RateWindow[];
  /** Sequence number of the first call that each window still holds. */
  readonly #starts: number[];
  #next = 0;
  #times = new Float64Array(8);

  constructor(windows: readonly RateWindow[]) {
    this.#windows = windows;
    this.#starts = windows.map(() => 0);
  }

  /** Calls left in a window at `now`. */
  remaining(index: number, now: number): number {
    const window = this.#windows[index];
    if (window === undefined) throw new RangeError('No such window');
    let start = this.#starts[index] ?? 0;
    while (start < this.#next && this.#timeOf(start) <= now - window.spanMs) start++;
    this.#starts[index] = start;
    return window.limit - (this.#next - start);
  }

  /** When the oldest call leaves a window; `now` if the window is empty. Call `remaining` first. */
  freeAt(index: number, now: number): number {
    const start = this.#starts[index] ?? 0;
    const spanMs = this.#windows[index]?.spanMs ?? 0;
    return start === this.#next ? now : this.#timeOf(start) + spanMs;
  }

  /** Adds a call. */
  add(now: number): void {
    const oldest = this.#oldest();
    if (this.#next - oldest === this.#times.length) this.#grow(oldest);
    this.#times[this.#next % this.#times.length] = now;
    this.#next++;
  }

  /** Removes the latest call. */
  takeBack(): void {
    if (this.#next > this.#oldest()) this.#next--;
    for (let index = 0; index < this.#starts.length; index++)
      this.#starts[index] = Math.min(this.#starts[index] ?? 0, this.#next);
  }

  /** Whether every window is empty at `now`. */
  isIdle(now: number): boolean {
    return this.#windows.every((window, index) => this.remaining(index, now) === window.limit);
  }

  #timeOf(sequence: number): number {
    return this.#times[sequence % this.#times.length] ?? 0;
  }

  #oldest(): number {
    let oldest = this.#next;
    for (const start of this.#starts) if (start < oldest) oldest = start;
    return oldest;
  }

  #grow(oldest: number): void {
    const times = new Float64Array(this.#times.length * 2);
    for (let sequence = oldest; sequence < this.#next; sequence++)
      times[sequence % times.length] = this.#timeOf(sequence);
    this.#times = times;
  }
}
