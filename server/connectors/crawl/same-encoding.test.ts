import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchOriginRules } from './origin-rules.ts';

const origin = 'https://site.example';
type Case = readonly [rule: string, path: string, isRefused: boolean];

async function isRefused(robots: string, path: string, tdmrep = '[]'): Promise<boolean> {
  const rules = await fetchOriginRules(origin, 'tilth', async (url) => ({
    status: 200,
    text: url.endsWith('robots.txt') ? robots : tdmrep,
    fetchedAt: '2026-01-01T00:00:00Z',
  }));
  const url = new URL(path, origin);
  const reserved = rules.evidenceOf(url)['tdmrep'] !== undefined;
  return rules.findRefusal(url) !== undefined || reserved;
}

test('rules of robots.txt and addresses are compared as RFC 9309 says, however they are encoded', async () => {
  const cases: readonly Case[] = [
    ['/priv/', '/%70riv/y', true],
    ['/%70riv/', '/priv/y', true],
    ['/%70riv/', '/p%72iv/y', true],
    ['/priv/', '/%50riv/y', false],
    ['/~joe/', '/%7Ejoe/x', true],
    ['/%7ejoe/', '/~joe/x', true],
    ['/a-b_c.d', '/a%2Db%5fc%2Ed', true],
    ['/foo/bar/ツ', '/foo/bar/%E3%83%84', true],
    ['/foo/bar/%E3%83%84', '/foo/bar/ツ', true],
    ['/foo/bar/%e3%83%84', '/foo/bar/%E3%83%84', true],
    ['/foo/bar/%62%61%7A', '/foo/bar/baz', true],
    ['/foo/bar?baz=http%3A%2F%2Ffoo.bar', '/foo/bar?baz=http%3a%2f%2ffoo.bar', true],
    ['/a/b', '/a%2Fb', false],
    ['/a%2fb', '/a%2Fb', true],
    ['/path/file-with-a-%2A.html', '/path/file-with-a-*.html', true],
    ['/path/file-with-a-%2A.html', '/path/file-with-a-x.html', false],
    ['/path/foo-%24', '/path/foo-$', true],
    ['/path/foo$', '/path/foo', true],
    ['/path/foo$', '/path/foo$', false],
    ['/a$b', '/a$b/c', true],
    ['/x*%70df$', '/x/y.pdf', true],
    ['/x?a=%31', '/x?a=1&b', true],
    ['/s # %2F', '/%73', true],
  ];
  for (const [rule, path, wanted] of cases)
    assert.equal(await isRefused(`User-agent: *\nDisallow: ${rule}\n`, path), wanted, `${rule} ${path}`);
  assert.equal(await isRefused('User-agent: *\nDisallow: /\nAllow: /%6Fpen\n', '/open/x'), false);
  assert.equal(await isRefused('', '/%70riv/y', '[{"location":"/priv/","tdm-reservation":1}]'), true);
  assert.equal(await isRefused('', '/priv/y', '[{"location":"/%70riv/","tdm-reservation":1}]'), true);
});
