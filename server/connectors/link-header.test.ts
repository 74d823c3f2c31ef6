import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkTo } from './link-header.ts';

const page = 'https://api.example/x?page=1';

test('the target of a relation is found as RFC 8288 writes it', () => {
  const cases: readonly (readonly [header: string | null, target: string | undefined])[] = [
    [null, undefined],
    ['', undefined],
    ['<a>; rel="prev", <b,c>; title="x, y"; rel="next last"', 'b,c'],
    ['<a>; rel=next', 'a'],
    ['<a>;rel=NEXT', 'a'],
    ['<a>; REL = "next"', 'a'],
    ['<a> ; rel= "next"', 'a'],
    ['<a>; rel ="last\tnext"', 'a'],
    ['<a>; rel="nextish"', undefined],
    ['<a>; rel="prev"; rel="next"', undefined],
    ['<a>; title="a \\"quoted\\", <b>; rel=next"; rel=prev, <c>; rel=next', 'c'],
    ["<a>; title*=UTF-8''n%c3%a4; rel=next", 'a'],
    ['<a>; crossorigin; rel=next', 'a'],
    ['<a>;; rel=next;', 'a'],
    ['<a>; title="; rel=next"', undefined],
    ['<a>; rel="n\\ext"', 'a'],
    ['<>; rel=next', ''],
    [', ,<a>; rel=prev,,<b>; rel=next', 'b'],
    ['nonsense; rel=next, <b>; rel=next', 'b'],
    ['<a> rel=next, <b>; rel=next', 'b'],
    ['<a>; rel=next; title="not closed', 'a'],
    ['<https://api.example/x?a=1;b=2,3&page=2>; rel="next"', 'https://api.example/x?a=1;b=2,3&page=2'],
  ];
  for (const [header, target] of cases) assert.equal(linkTo('next', header, page), target, String(header));
});

test('a link of another context is not one of the page', () => {
  const next = (anchor: string): string | undefined =>
    linkTo('next', `<bad>; rel="next"; anchor="${anchor}", <good>; rel=next`, page);
  assert.equal(next('/other'), 'good');
  assert.equal(next('#part'), 'good');
  assert.equal(next('https://other.example/x?page=1'), 'good');
  assert.equal(next(''), 'bad');
  assert.equal(next('/x?page=1'), 'bad');
  assert.equal(next(page), 'bad');
});
