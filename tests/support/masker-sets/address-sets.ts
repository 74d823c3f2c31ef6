// Web and hardware addresses, and texts that look like them.
import { maskMacAddresses } from '../../../server/operators/maskers/mac-address-masker.ts';
import { replaceWebAddresses } from '../../../server/operators/web-addresses.ts';
import { anywhere, hex, inFours, type LabelledSet } from './labelled-set.ts';

export const addressSets: Readonly<Record<string, LabelledSet>> = {
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
};
