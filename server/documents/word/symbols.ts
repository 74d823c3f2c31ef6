/** The character of a symbol font's code, which Word writes in its private area from F000 on; undefined if unknown. */
export function characterOfSymbol(font: string, code: number): string | undefined {
  const isPrivate = code >= 0xf000 && code <= 0xf0ff;
  const byte = isPrivate ? code - 0xf000 : code;
  if (!isPrivate && code > 0xff) return String.fromCodePoint(code);
  const name = font.toLowerCase();
  if (name === 'symbol' || name.startsWith('symbol ')) return fromSymbol(byte);
  if (name === 'wingdings') return wingdings.get(byte);
  if (name === 'wingdings 2') return wingdings2.get(byte);
  if (name === 'wingdings 3' || name === 'webdings') return undefined;
  return byte >= 0x20 ? new TextDecoder('windows-1252').decode(new Uint8Array([byte])) : undefined;
}

/** Symbol's encoding from 0x20 to 0x7e and from 0xa0 to 0xfe; a space where it has no character. */
const lowSymbols = [
  ' !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_',
  '‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼',
].join('');
const highSymbols = [
  '€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪',
  ' 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭',
].join('');

function fromSymbol(byte: number): string | undefined {
  if (byte >= 0x20 && byte <= 0x7e) return lowSymbols[byte - 0x20];
  const high = byte >= 0xa0 ? highSymbols[byte - 0xa0] : undefined;
  return high === ' ' ? undefined : high;
}

/** What documents use of Wingdings: marks, boxes, arrows, numbers and bullets. */
const wingdings = new Map<number, string>([
  ...entries(0x21, '✏✂✁👓🕭🕮🕯🕿✆🖂🖃📪📫📬📭📁📂📄🗏🗐🗄⌛🖮🖰🖲🖳🖴🖫🖬✇✍'),
  ...entries(0x41, '✌👌👍👎☜☞☝☟🖐☺😐☹💣☠🏳🏱✈☼💧❄🕆✞🕈✠✡☪☯ॐ☸♈♉♊♋♌♍♎♏♐♑♒♓'),
  ...entries(0x6c, '●❍■□🞐❑❒⬧⧫◆❖⬥⌧⮹⌘'),
  ...entries(0x80, '⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿'),
  ...entries(0x9e, '·•▪○'),
  ...entries(0xa7, '▪◻'),
  ...entries(0xab, '★✶✴✹✵'),
  ...entries(0xd8, '➢'),
  ...entries(0xdf, '←→↑↓↖↗↙↘'),
  ...entries(0xe8, '➔'),
  ...entries(0xef, '⇦⇨⇧⇩⬄'),
  ...entries(0xfb, '✗✓☒☑'),
]);

const wingdings2 = new Map<number, string>([...entries(0x4f, '✗✓☒☑☒'), ...entries(0xa3, '☐')]);

function entries(start: number, characters: string): [number, string][] {
  return [...characters].map((character, index) => [start + index, character]);
}
