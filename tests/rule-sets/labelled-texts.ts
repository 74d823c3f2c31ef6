import { createRandom } from '../../bench/corpus/corpus.ts';

const sentences = [
  'The harbour lies to the north of the old town and is open to the wind.',
  'Most of the boats that come in have been at sea for more than a week.',
  'A clerk writes down the weight of each catch and the name of the boat.',
  'Prices change with the weather, and nobody can be sure of them before noon.',
  '"We have to be patient," said the oldest of the buyers.',
  'In the winter of 1987 the ice closed the channel for nineteen days.',
  'Have you ever seen so many gulls in one place?',
  'They wait on the roofs until the boxes are opened, and then they come down.',
  'The auction itself takes less than an hour, with a pause for coffee.',
  'Afterwards the halls are washed with sea water and left to dry.',
  "It isn't known who built the first pier, but it must have been of wood.",
  'Maps of that time show a spit of sand (now gone) where the lighthouse stands.',
  'Its lamp can be seen from a distance of 24 km on a clear night.',
  'Dr. Meyer, who kept a diary, complained about the noise of the pumps.',
  'Children were told to stay away from the edge, and of course they did not.',
  'The new bridge, which was opened in May, has made the ferry superfluous.',
  'Tourists come for the view and stay for the soup.',
  'There is a plan to turn the empty storehouse into a museum of nets.',
  'Money for it would have to be found by the end of the year.',
  'Until then the doors remain closed, and the swallows have it to themselves.',
];

/** Edits that add a defect to the lines of a text that would be kept. */
const defects: Readonly<Record<string, (lines: string[]) => string>> = {
  none: (lines) => lines.join('\n'),
  paragraphs: (lines) => lines.join('\n\n'),
  'one line': (lines) => lines.join(' '),
  short: (lines) => lines.slice(0, 2).join('\n'),
  'three lines': (lines) => lines.slice(0, 3).join('\n'),
  'lines twice': (lines) => [...lines, ...lines].join('\n'),
  'one line again and again': (lines) => lines.map((line, index) => (index % 2 === 0 ? line : lines[0])).join('\n'),
  'paragraphs twice': (lines) => [...lines, ...lines].join('\n\n'),
  bullets: (lines) => lines.map((line) => `- ${line}`).join('\n'),
  'some bullets': (lines) => lines.map((line, index) => (index % 3 === 0 ? line : `• ${line}`)).join('\n'),
  'cut off': (lines) => lines.map((line) => `${line.slice(0, 40)} ...`).join('\n'),
  'some cut off': (lines) => lines.map((line, index) => (index % 5 === 0 ? `${line.slice(0, 40)}…` : line)).join('\n'),
  'hash tags': (lines) => lines.map((line) => line.replaceAll(/ (?=\w)/g, ' #')).join('\n'),
  figures: (lines) => lines.map((line, index) => `${index} 17 4.5 88 % 2026 ${line}`).join('\n'),
  'long words': (lines) => lines.map((line) => line.replaceAll(/[ .,]+/g, '')).join('\n'),
  'letters apart': (lines) => lines.map((line) => [...line.replaceAll(' ', '')].join(' ')).join('\n'),
  'no stop words': (lines) =>
    lines.map((line) => line.replaceAll(/\b(?:the|be|to|of|and|that|have|with|a)\b/gi, 'xu')).join('\n'),
  'no marks at the ends': (lines) => lines.map((line) => line.replace(/\W+$/, '')).join('\n'),
  menu: (lines) => lines.map((line) => line.split(' ').slice(0, 3).join(' ')).join('\n'),
  'a word a line': (lines) => lines.join(' ').replaceAll(' ', '\n'),
  braces: (lines) => lines.map((line, index) => (index === 3 ? `function f() { return; } ${line}` : line)).join('\n'),
  filler: (lines) => ['Lorem ipsum dolor sit amet, and so on.', ...lines].join('\n'),
  scripts: (lines) => lines.map((line) => `Please enable JavaScript. ${line}`).join('\n'),
  cookies: (lines) => [...lines, 'This site uses cookies, see our privacy policy.'].join('\n'),
  citations: (lines) => lines.map((line) => line.replace(/\W*$/, ' [citation needed]')).join('\n'),
  'the same phrase': (lines) => lines.map((line) => `Buy now and save more. ${line}`).join('\n'),
  'three letters': (lines) => lines.map(() => 'Yes it is so and no it is not of that.').join(' '),
};

/** Texts of ten to twenty sentences with one defect each. */
export function labelledTexts(): { title: string; text: string }[] {
  const random = createRandom(11);
  return Object.entries(defects).flatMap(([defect, apply]) =>
    [10, 14, 18].map((count) => {
      const lines = [...sentences];
      while (lines.length > count) lines.splice(Math.floor(random() * lines.length), 1);
      return { title: `${defect}, ${count} sentences`, text: apply(lines) };
    }),
  );
}
