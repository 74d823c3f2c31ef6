import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileEndings, maskEmails } from './email-addresses.ts';
import { topLevelDomains } from './top-level-domains.ts';

const masked = (text: string): string => maskEmails(text, () => '#');

/** Addresses that are masked whole in any sentence with spaces. */
const addresses = [
  'info@кремль.рф',
  'jane@παράδειγμα.ελ',
  'x@ไทย.ไทย',
  'иван@example.ru',
  'jörg@example.com',
  'josé.garcía@correo.es',
  'jo\u0308rg@example.com',
  'иван.петров88@почта.рф',
  'Ιωάννης@παράδειγμα.ελ',
  'राम@उदाहरण.भारत',
  'সোনা@উদাহরণ.বাংলা',
  'สมชาย@ตัวอย่าง.ไทย',
  '홍길동@예제.한국',
  'hong88@예제.한국',
  'テスト@例え.テスト',
  '山田@例え.jp',
  '张三@例子.中国',
  '用户@例子.广告',
  'محمد@مثال.السعودية',
  'علی@مثال.ایران',
  'דוד@דוגמה.ישראל',
  'דוד88@example.co.il',
  'ani@օրինակ.հայ',
  'գոռ@օրինակ.հայ',
  'ნინო@მაგალითი.გე',
  'иван@приклад.укр',
  'info@пример.бел',
  'мария@пример.бг',
  'x@உதாரணம்.இந்தியா',
  'jane@xn--80ak6aa92e.xn--p1ai',
  'jane@büro.vermögensberatung',
  'jаne@example.com', // The first а is Cyrillic.
  'ivan.иванов@example.ru',
  '"john doe"@example.com',
  '"john\\"doe"@example.com',
  '"very.(),:;<>[]unusual"@example.com',
  'postmaster@[192.0.2.1]',
  'x@[IPv6:2001:db8::1]',
  'jane.doe+news_1@mail.example.co.uk',
  'bounce-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789@lists.example.com',
  'jane@host.lan',
  'jane%2Bnews%40example.com',
  'jane&#64;example&#46;com',
  'jane\u200b@exa\u00admple.com',
];

test('addresses of all scripts are masked whole', () => {
  for (const address of addresses)
    for (const [before, after] of [
      ['', ''],
      ['Mail: ', ', ok'],
      ['<', '>'],
      ['(', ').'],
      ['|', '|'],
      ['почта ', ' и'],
      ['mailto:', '?subject=x'],
    ])
      assert.equal(masked(`${before}${address}${after}`), `${before}#${after}`, `${before}${address}${after}`);
});

test('an address ends where the sentence goes on', () => {
  for (const [text, expected] of [
    ['请发邮件至zhang.wei@163.com咨询', '请发邮件至#咨询'],
    ['请发邮件至张三@例子.中国，谢谢', '请发邮件至#，谢谢'],
    ['用户@例子.广告。谢谢', '#。谢谢'],
    ['用户@例子。中国', '#'],
    ['用户@例子.中国请联系', '#请联系'],
    ['메일은 홍길동@예제.한국으로 보내세요', '메일은 #으로 보내세요'],
    ['メールは yamada@example.jpです', 'メールは #です'],
    ['お問い合わせは山田@例え.jpまで', 'お問い合わせは#まで'],
    ['ติดต่อ สมชาย@ตัวอย่าง.ไทยได้', 'ติดต่อ #ได้'],
    ['邮箱12345@qq.com', '邮箱#'],
    ['Write to jane@example.com.Then go', 'Write to #.Then go'],
    ['Пишите на info@пример.рф.', 'Пишите на #.'],
    ['jane@example.com;ivan@пример.рф,x@y.ελ', '#;#,#'],
    ['_иван@пример.рф_', '_#_'],
    ['{"from":"\\"john doe\\"@example.com"}', '{"from":"#"}'],
    ['perl: jane\\@example.com', 'perl: #'],
  ] as const)
    assert.equal(masked(text), expected, text);
});

test('what only looks like an address stays', () => {
  for (const text of [
    'icon@2x.png',
    'иконка@2x.png',
    'left-pad@1.3.0',
    'git@host.example:team/project',
    'ssh://git@github.com/a',
    '@user.name и @имя.фамилия',
    'цена@магазин',
    'слово@слово.слово',
    'f(x)@g.map(3)',
    '"text"@en .',
    '""@example',
    'user@[not an address]',
    'a @ b.com',
    '你好@世界',
    'x@y',
  ])
    assert.equal(masked(text), text);
});

test('two file extensions that are kept are top-level domains', () => {
  assert.deepEqual(
    [...fileEndings].filter((ending) => topLevelDomains.has(ending)),
    ['target', 'pid'],
  );
  assert.ok(topLevelDomains.size > 1400);
});
