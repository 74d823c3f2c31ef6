import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutBasePath } from './path-prefix.ts';

const urls: readonly (readonly [url: string, inside: string])[] = [
  ['/tilth', '/'],
  ['/tilth/', '/'],
  ['/tilth?a=b', '/?a=b'],
  ['/tilth/api/v1/auth/me?a=/tilth', '/api/v1/auth/me?a=/tilth'],
  ['/tilth/tilth/x', '/tilth/x'],
  ['/api/v1/auth/me', '/api/v1/auth/me'],
  ['/tilthing', '/tilthing'],
  ['/', '/'],
];

for (const [url, inside] of urls)
  test(`${url} is ${inside} inside of the service`, () => assert.equal(withoutBasePath(url, '/tilth'), inside));

test('at the root nothing is taken away', () => assert.equal(withoutBasePath('/tilth/x', ''), '/tilth/x'));
