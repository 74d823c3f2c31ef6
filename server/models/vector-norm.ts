/** Whether a similarity to a vector can be computed in 32-bit floats: the square of its norm is neither 0 nor infinite. */
export function hasDirection(vector: Float32Array): boolean {
  const square = Math.fround(vector.reduce((sum, value) => sum + value * value, 0));
  return square > 0 && square < Number.POSITIVE_INFINITY;
}
