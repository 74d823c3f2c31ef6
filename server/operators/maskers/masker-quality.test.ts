// Precision and recall of each masker on a labelled set, generated from a seed; prints both. E-mail addresses,
// telephone numbers, cards and IP addresses are in pii-quality.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOtherForm } from '../../../tests/support/character-forms.ts';
import { seededRandom, type Random } from '../../../tests/support/seeded-random.ts';
import { maskChineseIds } from './chinese-id-masker.ts';
import { maskIbans } from './iban-masker.ts';
import { maskMacAddresses } from './mac-address-masker.ts';
import type { Masker } from './masking.ts';
import { maskPassportNumbers } from './passport-masker.ts';
import { maskSecrets } from './secrets.ts';
import { maskSocialSecurityNumbers } from './us-ssn-masker.ts';
import { replaceWebAddresses } from '../web-addresses.ts';

const leastPrecision = 0.98;
const leastRecall = 0.97;
const perKind = 400;
const mark = '[FOUND]';
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const lower = upper.toLowerCase();
const hex = '0123456789abcdef';
const letters = `${upper}${lower}`;
const base62 = `${letters}0123456789`;
const base64Url = `${base62}-_`;

type Labelled = {
  mask: Masker;
  /** `%` marks the place of the finding. */
  around: readonly string[];
  positive: (random: Random) => string;
  /** A further context, for findings that only a nearby word identifies. */
  near: (random: Random) => string;
};

const anywhere = [
  'see %.',
  '(%)',
  '"%"',
  '| 7 | % | ok |',
  '{"value":"%"}',
  "x = '%';",
  'id;value\n7;%\n',
  '编号：%，谢谢。',
  '%',
];

const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

function chineseId(random: Random): string {
  const region = random.pick(['110105', '310115', '440305', '510107', '330106', '420111', '650102', '810000']);
  const date = `${1930 + random.integer(90)}${String(1 + random.integer(12)).padStart(2, '0')}${String(1 + random.integer(28)).padStart(2, '0')}`;
  const body = region + date + random.digits(3);
  const sum = weights.reduce((total, weight, at) => total + weight * Number(body[at]), 0);
  return body + '10X98765432'.charAt(sum % 11);
}

function otherLast(digits: string, random: Random): string {
  const last = digits.at(-1) === 'X' ? 10 : Number(digits.at(-1));
  return digits.slice(0, -1) + String((last + 1 + random.integer(8)) % 10);
}

function iban(random: Random): string {
  const [country, length, bank] = random.pick<readonly [string, number, number]>([
    ['DE', 22, 0],
    ['GB', 22, 4],
    ['FR', 27, 0],
    ['NL', 18, 4],
    ['ES', 24, 0],
    ['IT', 27, 0],
    ['CH', 21, 0],
    ['PL', 28, 0],
    ['NO', 15, 0],
    ['SE', 24, 0],
    ['SA', 24, 0],
  ]);
  const account = random.text(upper, bank) + random.digits(length - 4 - bank);
  const digits = [...`${account}${country}00`].map((one) => Number.parseInt(one, 36)).join('');
  return country + String(98n - (BigInt(digits) % 97n)).padStart(2, '0') + account;
}

function inFours(text: string, separator: string): string {
  return (text.match(/.{1,4}/g) ?? []).join(separator);
}

function zoneOf(random: Random): string {
  const digit = (field: string): string => {
    let sum = 0;
    [...field].forEach((one, at) => {
      sum += (one === '<' ? 0 : Number.parseInt(one, 36)) * ([7, 3, 1][at % 3] ?? 0);
    });
    return String(sum % 10);
  };
  const number = `${random.text(upper, 1)}${random.digits(8)}`;
  const birth = `${random.digits(1)}81201`;
  const expiry = '340517';
  const first = `P<CHN${random.text(upper, 6)}<<${random.text(upper, 8)}`.padEnd(44, '<');
  return `${first}\n${`${number}${digit(number)}CHN${birth}${digit(birth)}F${expiry}${digit(expiry)}`.padEnd(42, '<')}06`;
}

const sets: Readonly<Record<string, Labelled>> = {
  url: {
    mask: replaceWebAddresses,
    around: [
      'see %.',
      '(%)',
      '"%"',
      '<%>',
      '[text](%)',
      'href="%"',
      '见 %。',
      '网址：%，谢谢',
      'at %, or',
      'Homepage: %\n',
      "'%'",
      '请访问%查看详情',
      '（%）',
      '“%”',
      'go to %!',
    ],
    positive: (random) =>
      random.pick(['https://', 'http://', 'HTTPS://', 'ftp://', 'www.', 'wss://', 'ssh://git@', 'sftp://']) +
      random.pick([
        'example.org',
        'a.b.example.co.uk',
        'docs.example.com:8080',
        '163.com',
        'x-y.example',
        'bücher.example',
      ]) +
      random.pick([
        '',
        '/',
        `/a/b${random.digits(2)}.html`,
        `/?q=a%20b&n=${random.digits(3)}`,
        '/x#part-2',
        '/~user/',
        '/a,b;c=d',
        '/wiki/Stack_(data)',
        '/v1.2/file.tar.gz',
        `/p?id=${random.digits(5)}`,
      ]),
    near: (random) =>
      random.pick([
        'http is a protocol',
        'https://',
        `HTTP/1.1 ${random.digits(3)}`,
        'www.',
        'the www. prefix',
        `std::string s${random.digits(2)}`,
        `user@example.org`,
        'file.http.c',
        `a//b // comment ${random.digits(2)}`,
        `C:\\www\\x${random.digits(1)}`,
        'http:// is followed by a host',
        `import www${random.digits(1)}`,
        'https：//',
        'mailto:a@b.example',
        'news.example.org',
        `10:30://`,
        'awww.cute kitten',
        'ws and wss',
      ]),
  },
  mac: {
    mask: maskMacAddresses,
    around: [...anywhere, 'link/ether % brd', 'HWaddr % ', '物理地址：%'],
    positive(random) {
      const pairs = Array.from({ length: 6 }, () => random.text(hex, 2));
      if (!pairs.some((pair) => /[a-f]/.test(pair))) pairs[0] = 'ac';
      return random.pick([
        pairs.join(':'),
        pairs.join(':').toUpperCase(),
        pairs.join('-').toUpperCase(),
        inFours(pairs.join(''), '.'),
      ]);
    },
    near: (random) =>
      random.pick([
        Array.from({ length: 8 }, () => random.text(hex, 2)).join(':'),
        Array.from({ length: 16 }, () => random.text(hex, 2)).join(':'),
        Array.from({ length: 5 }, () => random.text(hex, 2)).join(':'),
        '00:00:00:00:00:00',
        'ff:ff:ff:ff:ff:ff',
        `12:30:${10 + random.integer(49)}`,
        `2024-01-02-03-04-05`,
        `10-20-30-40-50-${random.digits(2)}`,
        `1234.5678.90${random.digits(2)}`,
        `2001:db8:${random.text(hex, 4)}:1:2:3:4:5`,
        `ab:cd-ef:01:23:${random.digits(2)}`,
        random.text(hex, 12),
        `00:1a:2b:3c:4d:5e.1`,
        `x00:1a:2b:3c:4d:5e:6f`,
        `SHA1=${Array.from({ length: 20 }, () => random.text(hex, 2)).join(':')}`,
        `00:1g:2b:3c:4d:5e`,
      ]),
  },
  'chinese id': {
    mask: maskChineseIds,
    around: [...anywhere, '身份证号%', '身份证：%', '本人（身份证号码%）承诺', 'ID No. %'],
    positive(random) {
      const id = chineseId(random);
      return random.pick([id, id, id.toLowerCase(), `${id.slice(0, 6)} ${id.slice(6, 14)} ${id.slice(14)}`]);
    },
    near: (random) =>
      random.pick([
        otherLast(chineseId(random), random),
        `9${chineseId(random).slice(1)}`,
        `${chineseId(random)}${random.digits(1)}`,
        `1101051990${13 + random.integer(80)}${random.digits(6)}`,
        `11010519900230${random.digits(4)}`,
        `110105${random.digits(4)}`,
        `6222${random.digits(15)}`,
        `0.${chineseId(random)}`,
        `${chineseId(random).slice(0, 17)}a`,
        `order 2024${random.digits(14)}`,
        `20240101${random.digits(9)}`,
        random.digits(15),
        `99${random.digits(16)}`,
        `a${chineseId(random)}`,
      ]),
  },
  iban: {
    mask: maskIbans,
    around: [...anywhere, 'IBAN: %', 'pay to % BIC X', '账号%'],
    positive(random) {
      const found = iban(random);
      return random.pick([found, inFours(found, ' '), inFours(found, '-')]);
    },
    near(random) {
      const found = iban(random);
      const wrong = `${found.slice(0, 2)}${String(((Number(found.slice(2, 4)) + 1 + random.integer(90)) % 97) + 2).padStart(2, '0')}${found.slice(4)}`;
      return random.pick([
        wrong === found ? `XX${found.slice(2)}` : wrong,
        found.slice(0, -1),
        `${found}7`,
        `ZZ${found.slice(2)}`,
        `x${found}`,
        `GB82 WEST`,
        `DE89 3704 0044`,
        `ISO9${random.digits(3)}`,
        `UTF16 and MP3${random.digits(2)}`,
        `ABCD${random.digits(18)}`,
        `${random.text(upper, 2)}${random.digits(20)}Q`,
        found.toLowerCase(),
      ]);
    },
  },
  ssn: {
    mask: maskSocialSecurityNumbers,
    around: [...anywhere, 'SSN: %', 'social security number %', 'Name;SSN\nSmith;%\n'],
    positive: (random) =>
      `${String(1 + random.integer(665)).padStart(3, '0')}-${String(1 + random.integer(99)).padStart(2, '0')}-${String(1 + random.integer(9999)).padStart(4, '0')}`,
    near: (random) =>
      random.pick([
        `000-${random.digits(2)}-${random.digits(4)}`,
        `666-12-${random.digits(4)}`,
        `9${random.digits(2)}-1${random.digits(1)}-${random.digits(4)}`,
        `219-00-${random.digits(4)}`,
        `219-45-0000`,
        `212-555-${random.digits(4)}`,
        `2024-01-${10 + random.integer(20)}`,
        `978-3-16-1484${random.digits(2)}-0`,
        random.digits(9),
        `${random.digits(3)} ${random.digits(2)} ${random.digits(4)}`,
        `7732-18-5 and 50-00-0`,
        `A12-45-6789`,
        `1-219-45-${random.digits(4)}`,
        `219-45-${random.digits(4)}-1`,
        `219-45-${random.digits(4)}.5`,
        `part 219-4-${random.digits(4)}`,
        `550e8400-e29b-41d4-a716-${random.digits(12)}`,
      ]),
  },
  passport: {
    mask: maskPassportNumbers,
    around: [
      'Passport No. %',
      'passport number: %',
      'Passport #%, issued 2019',
      '护照号码：%，',
      '护照号%',
      '"passport": "%"',
      'passport_no=%',
      'travel document %',
      "driver's license: %",
      '驾驶证号：%。',
      '港澳通行证%',
    ],
    positive: (random) =>
      random.pick([
        `E${random.digits(8)}`,
        `EA${random.digits(7)}`,
        `G${random.digits(8)}`,
        random.digits(9),
        `C01X${random.digits(5)}`.replace('X', '0'),
        `${random.text(upper, 2)}${random.digits(7)}`,
      ]),
    near: (random) =>
      random.pick([
        `order E${random.digits(8)}`,
        `passport control ${random.digits(4)}`,
        `passport of 2019-0${1 + random.integer(8)}-11`,
        `a passport costs 130 dollars in ${random.digits(4)}`,
        `护照有效期 10 年`,
        `passport.js v0.${random.digits(1)}.0`,
        `const passport = require('passport-${random.digits(4)}')`,
        `PR-${random.digits(8)}`,
        zoneOf(random).slice(0, 60),
        `P<${'<'.repeat(42)}\n${'1'.repeat(44)}`,
        `EA${random.digits(7)}`,
        `passport: ${random.digits(3)}`,
        `commit ${random.text(hex, 9)}`,
      ]),
  },
  secret: {
    mask: maskSecrets,
    around: [
      'see %.',
      '(%)',
      '"%"',
      "key = '%';",
      'export TOKEN=%\n',
      '{"token":"%"}',
      '密钥：%。',
      'Authorization: Bearer %\n',
      'x,%,y',
    ],
    positive: (random) =>
      random.pick([
        `AKIA${random.text(`${upper}234567`, 16)}`,
        `ghp_${random.text(base62, 36)}`,
        `github_pat_${random.text(base62, 22)}_${random.text(base62, 59)}`,
        `glpat-${random.text(base62, 20)}`,
        `sk-proj-${random.text(base62, 30)}7${random.text(base62, 17)}`,
        `sk-${random.text(base62, 20)}3${random.text(base62, 27)}`,
        `sk-ant-api03-${random.text(base62, 90)}`,
        `xoxb-${random.digits(12)}-${random.digits(12)}-${random.text(base62, 24)}`,
        `AIza${random.text(base62, 35)}`,
        `sk_live_${random.text(base62, 24)}`,
        `hf_${random.text(letters, 34)}`,
        `npm_${random.text(base62, 36)}`,
        `LTAI${random.text(base62, 20)}`,
        `SG.${random.text(base62, 22)}.${random.text(base62, 43)}`,
        `eyJ${random.text(base64Url, 30)}.eyJ${random.text(base64Url, 60)}.${random.text(base62, 43)}`,
        `AC${random.text(hex, 32)}`,
        `${random.text(hex, 32)}-us${1 + random.integer(20)}`,
        `hvs.${random.text(base62, 24)}`,
        `AKCp8${random.text(base62, 68)}`,
        `-----BEGIN RSA PRIVATE KEY-----\n${random.text(base62, 64)}\n${random.text(base62, 64)}\n-----END RSA PRIVATE KEY-----`,
        `-----BEGIN OPENSSH PRIVATE KEY-----\n${random.text(base62, 64)}\n-----END OPENSSH PRIVATE KEY-----`,
      ]),
    near: (random) =>
      random.pick([
        `sha256:${random.text(hex, 64)}`,
        `commit ${random.text(hex, 40)}`,
        `password: ********`,
        `password = os.environ["DB_PASS"]`,
        `token: <your-token>`,
        `api_key=\${API_KEY}`,
        `token = get_token(request)`,
        `the password of the user is stored as a hash`,
        `const token = parser.next_token_in_line;`,
        `api_key: string`,
        `uuid ${random.text(hex, 8)}-${random.text(hex, 4)}-4${random.text(hex, 3)}-a${random.text(hex, 3)}-${random.text(hex, 12)}`,
        `task-${random.text(lower, 20)}-runner`,
        `sk-learn-contrib-package-names`,
        `risk-${random.text(lower, 24)}`,
        `-----BEGIN PUBLIC KEY-----\n${random.text(base62, 64)}\n-----END PUBLIC KEY-----`,
        `-----BEGIN CERTIFICATE-----\n${random.text(base62, 64)}\n-----END CERTIFICATE-----`,
        `token: identifier_of_the_next_statement`,
        `secret: kubernetes.io/service-account-token`,
        `integrity="sha384-${random.text(base62, 64)}"`,
        `https://user@example.org/`,
        `https://example.org:8080/a@b`,
        `password: string;`,
        `passwd=$1`,
        `密码：请输入密码`,
        `token 令牌：见下文`,
        `AKIAabc`,
        `ghp_short`,
        `api-key: YOUR_API_KEY_HERE`,
        `data:image/png;base64,${random.text(base62, 64)}`,
        `token=xxxxxxxxxxxxxxxxxxxx`,
        `access_token_url: https://example.org/oauth2/token/v${random.digits(1)}`,
        `private_key_file: /etc/ssl/private/server${random.digits(2)}.pem`,
        `TOKEN_EXPIRY_SECONDS=${random.digits(4)}`,
        `"passwordMinLength": ${random.digits(2)}`,
      ]),
  },
  'secret behind a word': {
    mask: maskSecrets,
    around: [
      'API_KEY="%"',
      'secret_key: %\n',
      "client_secret = '%'",
      'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=%;EndpointSuffix=core.windows.net',
      'run --api-key %\n',
      '<apiKey>%</apiKey>',
      'password: "%"',
      'DB_PASSWORD=%\n',
      '{"accessToken": "%"}',
      '密码：%，',
      'AWS_SECRET_ACCESS_KEY=%',
      'postgres://app:%@db.example/app',
      'auth_token => "%"',
    ],
    positive: (random) =>
      random.pick([
        `${random.text(hex, 15)}7${random.text(hex, 15)}a`,
        `${random.text(base62, 20)}4x${random.text(base62, 18)}`,
        `${random.text(base62, 8)}9/b+${random.text(base62, 28)}`,
      ]),
    near: (random) =>
      random.pick([
        `credential = workloadIdentity.fromX50${random.digits(1)}({`,
        `password = "^[a-z]{2,${random.digits(2)}}$"`,
        `secret = "{prefix}-name-${random.digits(3)}-Value"`,
        `--token is read from line ${random.digits(3)}`,
        `the key is in section ${random.digits(2)}`,
        `token: Token,`,
        `key=value`,
        `primary_key = "user_id"`,
        `author: "jane"`,
        `tokenizer="gpt2-${random.digits(2)}"`,
        `"password": ""`,
        `--password <password>`,
        `password=\${PASSWORD}`,
        `max_tokens: ${random.digits(4)}`,
        `secret santa: 2024-12-0${1 + random.integer(8)}`,
        `token_type: "bearer"`,
        `password: env("PASSWORD")`,
        `monkey: banana${random.digits(2)}`,
        `api_key=self.config.api_key_v${random.digits(1)}`,
      ]),
  },
};

for (const [name, { mask, around, positive, near }] of Object.entries(sets)) {
  test(`${name}: precision ≥ ${leastPrecision}, recall ≥ ${leastRecall}`, (t) => {
    const random = seededRandom(20_261_123);
    const missed: string[] = [];
    const wrong: string[] = [];
    for (let count = 0; count < perKind; count += 1) {
      const place = random.pick(around);
      const found = positive(random);
      const text = place.replace('%', () => found);
      if (mask(text, () => mark) !== place.replace('%', mark)) missed.push(`${text} → ${mask(text, () => mark)}`);
      const other = near(random);
      const nearText = random
        .pick(['%', 'see % here', '- %', '%;', '(%)', '"%"', '| % | ok |'])
        .replace('%', () => other);
      if (mask(nearText, () => mark) !== nearText) wrong.push(nearText);
    }
    const right = perKind - missed.length;
    const precision = right / (right + wrong.length);
    const recall = right / perKind;
    t.diagnostic(`${name}: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)} (${2 * perKind} texts)`);
    assert.ok(precision >= leastPrecision, `masked though it is none:\n${wrong.slice(0, 20).join('\n')}`);
    assert.ok(recall >= leastRecall, `missed or cut:\n${missed.slice(0, 20).join('\n')}`);
  });
}

for (const name of ['mac', 'chinese id', 'iban', 'ssn', 'passport'])
  test(`${name}: other forms of the same characters`, () => {
    const { mask, positive } = sets[name] as Labelled;
    const random = seededRandom(20_261_124);
    const around = name === 'passport' ? 'passport: %' : '见 %。';
    for (let count = 0; count < perKind; count += 1) {
      const text = around.replace('%', inOtherForm(positive(random), random));
      assert.equal(
        mask(text, () => mark),
        around.replace('%', mark),
        text,
      );
    }
  });

test('the machine-readable zone of a passport is found anywhere', () => {
  const random = seededRandom(7);
  for (let count = 0; count < 50; count += 1) {
    const zone = zoneOf(random);
    assert.equal(
      maskPassportNumbers(`scan:\n${zone}\nend`, () => mark),
      `scan:\n${mark}\nend`,
    );
  }
});
