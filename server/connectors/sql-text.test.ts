import assert from 'node:assert/strict';
import { test } from 'node:test';
import SqliteDatabase from 'better-sqlite3';
import { innerQuery, type SqlDialect } from './sql-text.ts';

/** What follows a statement and means nothing. */
const ends = [
  '',
  ';',
  ' ; ',
  ';;;',
  ' -- comment',
  '; -- comment',
  ';\n-- comment\n',
  '; -- one\n; -- two',
  ' /* block */',
  '; /* block; */ ;',
  ';\r\n\t-- ; \'quote"\n',
  '; /* a\nb */ -- c',
  '\n;\n\n/* -- */;--',
];
const statements = [
  'select 1 as z',
  "select ';' as z",
  "select '-- no comment' as z",
  "select '/* no comment */;' as z",
  "select 'it''s;' as z",
  'select 1 as "a;b--c"',
  'select 1 /* inside */ as z',
  'select 1 as z -- inside\nwhere 1 = 1',
  '/* first */ select 1 as z',
  '-- first\nselect 1 as z',
];

test('what means nothing behind a statement is left out, and the statement stays', () => {
  for (const dialect of ['sqlite', 'postgresql', 'mysql'] satisfies SqlDialect[])
    for (const statement of statements)
      for (const end of ends) {
        const inner = innerQuery(` ${statement}${end}`, dialect);
        assert.equal(inner, statement, `${dialect}: ${statement}${end}`);
      }
});

test('quotes and comments of each dialect end where it says', () => {
  const cases: [SqlDialect, string, string][] = [
    ['sqlite', 'select 1 as [a;--b] ; -- x', 'select 1 as [a;--b]'],
    ['sqlite', 'select 1 as `a;--b`;', 'select 1 as `a;--b`'],
    ['sqlite', "select '\\' ; -- x", "select '\\'"],
    ['sqlite', 'select 1 /* open', 'select 1'],
    ['postgresql', 'select $$;--$$ ; -- x', 'select $$;--$$'],
    ['postgresql', "select $t$;' $$ --$t$;", "select $t$;' $$ --$t$"],
    ['postgresql', "select E'\\';--' ;", "select E'\\';--'"],
    ['postgresql', "select '\\' ; -- x", "select '\\'"],
    ['postgresql', 'select 1 /* a /* b */ c */ ;', 'select 1'],
    ['postgresql', 'select a$b$ from t; -- $b$', 'select a$b$ from t'],
    ['mysql', "select '\\';--' ; # x", "select '\\';--'"],
    ['mysql', 'select "\\";--" ; -- x', 'select "\\";--"'],
    ['mysql', 'select 1 # x\n;', 'select 1'],
    ['mysql', 'select 5--1', 'select 5--1'],
    ['mysql', 'select 1 /*! + 1 */', 'select 1 /*! + 1 */'],
    ['mysql', 'select `a;#b` ; -- ', 'select `a;#b`'],
  ];
  for (const [dialect, query, inner] of cases) assert.equal(innerQuery(query, dialect), inner, `${dialect}: ${query}`);
  for (const dialect of ['sqlite', 'postgresql', 'mysql'] as const)
    assert.equal(innerQuery('select 1; select 2; -- x', dialect), 'select 1; select 2', 'a second statement stays');
});

test('the result can be put in parentheses', () => {
  const db = new SqliteDatabase(':memory:');
  for (const statement of statements)
    for (const end of ends)
      assert.equal(
        db.prepare(`select * from (${innerQuery(statement + end, 'sqlite')}\n)`).all().length,
        1,
        statement + end,
      );
  db.close();
});
