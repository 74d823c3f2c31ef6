/** Names of columns that a connector might confuse with names or words of its own statements; no two differ only by case. */
export const hardNames: readonly string[] = [
  ...'abcdefghijklmnopqrstuvwxyz',
  ...(
    'select from where order group by limit offset table column row rows user all as case when then else end null not and or in is like ' +
    'between exists join left cross lateral union with values cursor fetch default check primary key value index desc asc distinct ' +
    'line lines position position_ json_each row_to_json rowid0 oid0 current_user session'
  ).split(' '),
  'Upper',
  'CamelCase',
  'two words',
  ' before',
  'tilth position',
  'a"b',
  '"',
  "a'b",
  'a`b',
  'a\\b',
  'a.b',
  'q.a',
  'a,b',
  'a;b',
  'a--b',
  'a/*b*/',
  '$1',
  '%s',
  ':name',
  '?',
  '@x',
  '{x}',
  '[x]',
  '列',
  'größe',
  '__proto__',
  'constructor',
  '1',
  'x'.repeat(63),
  `${'é'.repeat(31)}e`,
];

/** One row: each column has the text of its name; `id` is a number. */
export const hardRow: Readonly<Record<string, unknown>> = Object.fromEntries([
  ['id', 1],
  ...hardNames.map((name) => [name, `of ${name}`]),
]);
