import fc from 'fast-check';

/**
 * Texts of any code points, including lone surrogates. The same texts as `fc.string({ unit: 'binary' })`, which first builds a map
 * of all 1.1 million code points.
 */
export function anyText(sizes: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ ...sizes, unit: codePoint });
}

const codePoint = fc
  .oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 0x7f }) },
    { weight: 2, arbitrary: fc.integer({ min: 0x80, max: 0xffff }) },
    { weight: 1, arbitrary: fc.integer({ min: 0x1_0000, max: 0x10_ffff }) },
  )
  .map((code) => String.fromCodePoint(code));
