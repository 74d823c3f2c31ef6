const signs = '0123456789+-=()';
const raised = new Map([...signs].map((sign, at) => [sign, [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾'][at] ?? sign]));
const lowered = new Map([...signs].map((sign, at) => [sign, [...'₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎'][at] ?? sign]));
const ordinals = /^(?:st|nd|rd|th|er|re|e|es|eme|ème|ème|o|os|a|as|º|ª|tm|sm|[^\p{L}\p{N}]+|\[.*\])$/iu;

/** Whether an element is a superscript or subscript, by its name in HTML, JATS or DocBook. */
export function scriptOf(name: string): 'raised' | 'lowered' | undefined {
  if (name === 'sup' || name === 'superscript') return 'raised';
  return name === 'sub' || name === 'subscript' ? 'lowered' : undefined;
}

/**
 * A superscript or subscript as text that can't be mistaken for part of the number before it: 10⁶, x², H₂O; with `^` if
 * Unicode lacks the characters (10^n, 2^(n+1)). Ordinals (1st), bracketed references and words stay as they are.
 */
export function scriptText(script: 'raised' | 'lowered', content: string, before: string): string {
  const text = content.replaceAll('\u2212', '-');
  const characters = script === 'raised' ? raised : lowered;
  if (/\d/.test(text) && [...text].every((sign) => characters.has(sign)))
    return [...text].map((sign) => characters.get(sign) ?? sign).join('');
  const isExponent = script === 'raised' && /(?:\d|\)|(?<![\p{L}\p{N}])\p{L})$/u.test(before) && !ordinals.test(text);
  // M<sup>me</sup>: letters after a letter are an abbreviation.
  const isAbbreviation = /^\p{L}{2,}$/u.test(text) && /\p{L}$/u.test(before);
  if (!isExponent || isAbbreviation || text === '') return content;
  return /^[\p{L}\p{N}]+$/u.test(text) ? `^${text}` : `^(${text})`;
}
