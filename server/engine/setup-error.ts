/** A shard that can't be worked on as the run is set up; says what to change. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}
