/** Pseudo-random numbers that are the same every time, so that users see the same sample data. */
export function createChance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    // A linear congruential generator with the constants of Numerical Recipes; its high bits are the better ones.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const people = ['Anna Weber', 'Li Na', 'Tomás Ruiz', 'Grace Okafor', 'Yuki Mori', 'Ole Hansen', 'Priya Nair', '王小明'];
const subjects = [
  'soil probe',
  'seed drill',
  'rain gauge',
  'harvest report',
  'field map',
  'plough',
  'cold frame',
  'greenhouse',
];
const openings = [
  (subject: string) => `The ${subject} arrived on time, but the manual was missing two pages.`,
  (subject: string) => `We compared three models of the ${subject} over a whole season.`,
  (subject: string) => `After the last update the ${subject} shows a reading that cannot be right.`,
  (subject: string) => `Nobody on the team agrees on how the ${subject} should be stored in winter.`,
  (subject: string) => `A short note on the ${subject}: it works, and it works quietly.`,
];
const middles = [
  'The readings were written down every morning and checked against those of the station next door.',
  'Two of the values differ by more than a tenth, which the old device never did.',
  'Support answered within a day and asked for a photo, which is attached.',
  'It had been in the rain for a week, and still nothing had rusted.',
  'The price went up by a fifth since spring; the quality did not.',
  'Please send the spare part to the same address as last time.',
];
const ends = [
  'Thank you for looking into it.',
  'We will report again next month.',
  'Is there a newer version?',
  'All in all, a good buy.',
];
const chinese = [
  '设备按时到货，但说明书缺了两页。我们在整个生长季比较了三种型号，差别比预想的大。',
  '客服当天就回复了，并要求提供照片。更换零件后读数恢复正常，没有再出现异常。',
  '价格比春季上涨了五分之一，质量没有变化。希望下一批能附上中文说明。',
];

type Chance = ReturnType<typeof createChance>;

function pick<T>(chance: Chance, from: readonly T[]): T {
  const value = from[chance(from.length)];
  if (value === undefined) throw new Error('There is nothing to choose from');
  return value;
}

function sentence(chance: Chance): string {
  if (chance(12) === 0) return pick(chance, chinese);
  const length = 1 + chance(5);
  const middle = Array.from({ length }, () => pick(chance, middles));
  return [pick(chance, openings)(pick(chance, subjects)), ...middle, pick(chance, ends)].join(' ');
}

/** Invented: fictitious names, domains and networks reserved for examples, and card numbers of test cards. */
function personalLine(chance: Chance): string {
  const person = pick(chance, people);
  const address = `${person.toLowerCase().replaceAll(/[^a-z]+/g, '.')}${chance(90)}@example.${pick(chance, ['com', 'org', 'net'])}`;
  return pick(chance, [
    () => ` Write to ${address} or call +49 30 23125 ${100 + chance(900)}.`,
    () => ` Reach ${person} at +1 202-555-01${10 + chance(90)}.`,
    () => ` The device reports from 192.0.2.${1 + chance(250)} and 198.51.100.${1 + chance(250)}.`,
    () => ` The order was paid with card 4111 1111 1111 1111; the receipt went to ${address}.`,
  ])();
}

/** Damages a clean text the way a chain of three systems would. */
function roughen(text: string, id: number): string {
  if (id % 5 === 0) return `  ${text.replaceAll('. ', '.   ')}\t\t\n\n\n`;
  if (id % 7 === 0) return `${text.slice(0, 40)}\u0007\u0000${text.slice(40)}`;
  if (id % 9 === 0) return `<div class="note"><p>${text}</p><script>track(${id})</script></div>`;
  return text;
}

/**
 * Rows of JSONL: markup, odd white space, control characters, invented personal data, repeats, very short texts, broken lines.
 */
export function sampleNotes(count: number): string {
  const chance = createChance(20_261_122);
  const texts: string[] = [];
  const lines: string[] = [];
  for (let id = 1; id <= count; id += 1) {
    let text = sentence(chance);
    // Half of the repeats are exact, half differ in a word.
    const earlier = texts[chance(Math.max(1, texts.length))];
    if (id % 8 === 0 && earlier !== undefined) text = id % 16 === 0 ? earlier : `${earlier} Seen again.`;
    else if (id % 6 === 3) text = pick(chance, ['ok', 'n/a', '...', 'see above', '好']);
    else if (id % 4 === 2) text += personalLine(chance);
    texts.push(text);
    const time = new Date(Date.UTC(2026, 0, 1, 6) + id * 5_460_000).toISOString();
    lines.push(
      JSON.stringify({ id, text: roughen(text, id), source: `notebook ${1 + (id % 4)}`, rating: 1 + chance(5), time }),
    );
    if (id % 250 === 120) lines.push(`{"id": ${id}.5, "text": "a line that was cut in the mid`);
  }
  return `${lines.join('\n')}\n`;
}

/** Rows of CSV with quotes, line breaks in cells, empty cells and one row with an extra cell. */
export function sampleReviews(count: number): string {
  const chance = createChance(7);
  const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const lines = ['id,text,stars,country'];
  for (let id = 1; id <= count; id += 1) {
    const text = id % 10 === 0 ? `He said: "${sentence(chance)}"\nThen he left.` : sentence(chance);
    const stars = id % 13 === 0 ? '' : 1 + chance(5);
    lines.push(`${id},${quote(text)},${stars},${pick(chance, ['DE', 'CN', 'ES', 'NG', 'JP'])}`);
    if (id === 400) lines.push('400.5,a row,with,too many,cells');
  }
  return `${lines.join('\n')}\n`;
}
