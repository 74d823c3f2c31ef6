// E-mail addresses, telephone numbers, cards and IP addresses, and texts that look like them.
import type { Random } from '../seeded-random.ts';
import type { Kind } from './personal-places.ts';

const names = [
  'jane.doe',
  "o'brien",
  'j_smith',
  'zhang.wei',
  'info',
  'x',
  'mary-ann',
  'sales+eu',
  'li88',
  'K.Mueller',
  '1234567',
  'a.b.c',
];
const domains = [
  'example.org',
  'mail.example.co.uk',
  'qq.com',
  'uni-bonn.de',
  'a.io',
  'sub.dept.example.com',
  '163.com',
  'bücher.example',
  'xn--bcher-kva.example',
  'example.museum',
  'EXAMPLE.COM',
];

function checkDigit(digits: string): string {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 0 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return String((10 - (sum % 10)) % 10);
}

function inGroups(digits: string, lengths: readonly number[], separator: string): string {
  let at = 0;
  return lengths.map((length) => digits.slice(at, (at += length))).join(separator);
}

export function cardNumber(random: Random): string {
  const [prefix, length, lengths] = random.pick<readonly [string, number, readonly number[]]>([
    ['4', 16, [4, 4, 4, 4]],
    ['51', 16, [4, 4, 4, 4]],
    ['55', 16, [4, 4, 4, 4]],
    ['2345', 16, [4, 4, 4, 4]],
    ['34', 15, [4, 6, 5]],
    ['37', 15, [4, 6, 5]],
    ['6011', 16, [4, 4, 4, 4]],
    ['65', 16, [4, 4, 4, 4]],
    ['3530', 16, [4, 4, 4, 4]],
    ['36', 14, [4, 6, 4]],
    ['62', 16, [4, 4, 4, 4]],
    ['62', 19, [4, 4, 4, 4, 3]],
  ]);
  const body = prefix + random.digits(length - prefix.length - 1);
  const digits = body + checkDigit(body);
  return random.pick([digits, inGroups(digits, lengths, ' '), inGroups(digits, lengths, '-')]);
}

const usAreas = ['212', '415', '312', '617', '206', '305', '512', '702'];
const chineseMobiles = ['130', '138', '139', '150', '158', '177', '186', '189', '199'];

export const positives: Readonly<Record<Kind, (random: Random) => string>> = {
  email: (random) =>
    `${random.pick(names)}${random.integer(20) === 0 ? '\\' : ''}@${random.pick([...domains, 'sad.bz'])}`,
  phone(random) {
    const exchange = `${2 + random.integer(8)}${random.integer(10)}${2 + random.integer(8)}`;
    const area = random.pick(usAreas);
    const line = random.digits(4);
    const mobile = `${random.pick(chineseMobiles)}${random.digits(8)}`;
    return random.pick([
      `+1 ${area} ${exchange} ${line}`,
      `+1-${area}-${exchange}-${line}`,
      `(${area}) ${exchange}-${line}`,
      `${area}-${exchange}-${line}`,
      `${area}.${exchange}.${line}`,
      `1-800-${exchange}-${line}`,
      `+44 20 7946 0${random.digits(3)}`,
      `+49 30 ${1 + random.integer(9)}${random.digits(6)}`,
      `+33 1 42 ${random.digits(2)} ${random.digits(2)} ${random.digits(2)}`,
      `+4930${1 + random.integer(9)}${random.digits(6)}`,
      mobile,
      inGroups(mobile, [3, 4, 4], ' '),
      inGroups(mobile, [3, 4, 4], '-'),
      `+86 ${inGroups(mobile, [3, 4, 4], ' ')}`,
      `010-6${random.digits(7)}`,
      `021-5${random.digits(7)}`,
      `+81 3-3${random.digits(3)}-${random.digits(4)}`,
      `+1 ${area} ${exchange}-${line}`,
      `(${area})${exchange}-${line}`,
      `1 ${area} ${exchange}-${line}`,
      `(${area}) ${exchange}-${line} ext. ${random.digits(3)}`,
      `+1${area}${exchange}${line}x${random.digits(2)}`,
      `+33.1.42.${random.digits(2)}.${random.digits(2)}.${random.digits(2)}`,
      `(+86)${mobile}`,
      `（010）6${random.digits(7)}`,
      `(010) 6${random.digits(3)} ${random.digits(4)}`,
    ]);
  },
  card: cardNumber,
  ip(random) {
    const octet = (): number => random.integer(256);
    const group = (): string => random.integer(0x10000).toString(16);
    const v4 = `${1 + random.integer(254)}.${octet()}.${octet()}.${octet()}`;
    return random.pick([
      v4,
      v4,
      `${1 + random.integer(98)}.${random.integer(100)}.${random.integer(100)}.${random.integer(100)}`,
      '8.8.8.8',
      '0.0.0.0',
      `192.168.${octet()}.${octet()}`,
      `2001:db8::${group()}`,
      `2001:db8:${group()}:${group()}::${group()}`,
      `fe80::${group()}:${group()}:1${random.integer(1000)}:${group()}`,
      `2a02:8${random.digits(2)}:${group()}:1${random.integer(10)}3:${group()}:${group()}:${group()}:${group()}`,
      `::ffff:${v4}`,
      `64:ff9b::${v4}`,
    ]);
  },
};

const hex = '0123456789abcdef';

export const nearMisses: Readonly<Record<Kind, (random: Random) => string>> = {
  email: (random) =>
    random.pick([
      `icon@${2 + random.integer(2)}x.png`,
      `npm install left-pad@${random.integer(9)}.${random.integer(20)}.${random.integer(9)}`,
      `import { x } from '@scope/name.js';`,
      `git clone git@github.com:team${random.integer(99)}/project.git`,
      `getty@tty${random.integer(9)}.service`,
      `@Override public void f${random.integer(99)}()`,
      `user@host${random.integer(99)}`,
      `scp file root@server:/tmp/${random.digits(3)}`,
      `a @ b.com ${random.integer(9)}`,
      `lodash@4.17.${random.integer(30)}.tgz`,
      `x@y`,
      `ssh://git@github.com/a${random.integer(9)}`,
      `f(x)@g.map(${random.integer(9)})`,
      `@media (min-width: ${random.digits(3)}px)`,
      `photo@large-${random.digits(3)}.jpeg`,
      `docker pull repo/app@sha256:${random.digits(12)}`,
      `call i1 \\@llvm.experimental.stackmap(${random.integer(9)})`,
      `@pytest.mark.parametrize('x', [${random.integer(9)}])`,
      `welcomelist_auth *@lists${random.integer(9)}.example.gov`,
      `@property.setter # ${random.integer(99)}`,
      `dig @ns${random.integer(9)}.example.com`,
      `curl -F profile=@portrait${random.integer(9)}.jpg`,
    ]),
  phone: (random) =>
    random.pick([
      `+2147483647`,
      `+${random.integer(99)}.${random.digits(6)}`,
      `2024-0${1 + random.integer(9)}-1${random.integer(10)} 10:${10 + random.integer(49)}:00`,
      `17${random.digits(8)}`,
      `16${random.digits(11)}`,
      `${random.digits(3)}-${random.digits(2)}-${random.digits(4)}`,
      `978-3-16-14841${random.integer(10)}-0`,
      `${random.integer(9)}.${random.digits(3)}.${random.digits(3)}.${random.integer(90)}`,
      `@@ -${random.digits(3)},7 +${random.digits(3)},9 @@`,
      `1 234 567 ${random.digits(3)} 12 ${random.digits(2)}`,
      `INV-${random.digits(4)}-${random.digits(6)}`,
      `x = ${random.digits(3)} - ${random.digits(3)} + ${random.digits(4)}`,
      `pages 212-${random.digits(3)}, 415-${random.digits(3)}`,
      `commit ${random.digits(7)}${random.pick(['a', 'f'])}${random.digits(4)}`,
      `| 100 | 200 | 3${random.digits(3)} |`,
      `v${random.integer(9)}.${random.digits(2)}.${random.digits(4)}`,
      `4 +${random.digits(3)} -${random.digits(3)}`,
      `身份证 11010119${random.digits(10)}`,
      `sha1 ${random.digits(8)}e${random.digits(6)}`,
      `QQ ${1 + random.integer(9)}${random.digits(8)}`,
      `0x${random.digits(8)} 0${random.digits(3)}`,
      `$1,212,555,${random.digits(3)}`,
      `Timestamp: 171067${random.digits(5)}`,
      `total 1451124${random.digits(4)}`,
      `"size": 1380013${random.digits(4)}`,
      `212 555 0123 4567 ${random.digits(2)}`,
      `Clause 252.227-7${random.digits(3)} (c) (1)`,
      `0069 0307 0${random.integer(9)}0${random.integer(9)}; 00CC`,
      `Rational(16666666667, 5${random.digits(10)})`,
      `- 15720318${random.digits(3)}*2**(S(2)/3)`,
      `G.order() == 19508${random.digits(6)}`,
      `vruntime=17815${random.digits(6)} [ns]`,
      `\\o{17777777777}`,
      `[]int64{${random.integer(99)}, 17179869184}`,
      `"memory": "17179869184"`,
      `z +6073641${random.digits(3)}.${random.integer(10)}`,
      `Decimal('+35236450.${random.integer(10)}')`,
      `projects/1930690${random.digits(4)}/operations`,
      `UNIX seconds: @1558303${random.digits(4)}`,
      `Unpacking libkmod2 (30+20221128-${random.integer(9)})`,
      `int(1902637${random.digits(4)}): 1, 3467: 1`,
    ]),
  card(random) {
    const wrong = (): string => {
      const digits = cardNumber(random);
      const last = Number(digits.at(-1));
      return digits.slice(0, -1) + String((last + 1 + random.integer(8)) % 10);
    };
    const luhn = (body: string): string => body + checkDigit(body);
    return random.pick([
      wrong(),
      wrong(),
      luhn(`17${random.digits(13)}`),
      luhn(`9${random.digits(14)}`),
      luhn(`1${random.digits(15)}`),
      luhn(`7${random.digits(12)}`),
      `0.${luhn(`4${random.digits(14)}`)}`,
      `id-${luhn(`4${random.digits(14)}`)}-x`,
      `${luhn(`4${random.digits(14)}`)}${random.pick(['a', 'f'])}${random.digits(3)}`,
      `4012 ${random.digits(2)} ${random.digits(3)} ${random.digits(2)} ${random.digits(3)} 881 1`,
      `${random.digits(1)} ${random.digits(2)} ${random.digits(3)} ${random.digits(2)} ${random.digits(3)} ${random.digits(4)} 12`,
      `2024-01-0${1 + random.integer(8)} 2024-02-0${1 + random.integer(8)}`,
      `978-3-16-148410-${random.integer(10)}`,
      luhn(`4${random.digits(10)}`),
      luhn(`34${random.digits(13)}`),
      `${random.digits(8)}-${random.digits(4)}-4${random.digits(3)}-${random.digits(4)}-${random.digits(12)}`,
      luhn(`35000${random.digits(9)}`),
      `0000000000000000`,
      `5280 5281 5282 5283 5284 ${5285 + random.integer(99)} 52${random.digits(2)}`,
      `51F3 51F4 3504 3506 5280 52${random.digits(2)} 52${random.digits(2)} 52${random.digits(2)}`,
      `x="1626 1732 1893 2071 ${luhn(`4${random.digits(14)}`)
        .replace(/(?=(?:\d{4})+$)/g, ' ')
        .trim()}"`,
      `- ${luhn(`4${random.digits(14)}`)}*t**14`,
      `mpf((0, ${luhn(`4${random.digits(14)}`)}, -53, 53))`,
      `[1, 4, 108, 27648, ${luhn(`4${random.digits(11)}`)}]`,
      `commit 4f${luhn(`5${random.digits(14)}`)}b`,
      `x86_64 ${random.digits(2)} ${random.digits(2)} ${random.digits(2)} ${random.digits(2)} ${random.digits(2)} ${random.digits(2)} ${random.digits(2)}`,
    ]);
  },
  ip: (random) =>
    random.pick([
      `B::C`,
      `DB::DB`,
      `a::b`,
      `std::cout << x${random.integer(9)}`,
      `Foo::Bar::Baz`,
      `items[1::2] + rows[::${1 + random.integer(8)}]`,
      `12:30:${10 + random.integer(49)}`,
      `version 1.${random.integer(20)}.${random.integer(20)}.${random.integer(20)}`,
      `v${random.integer(20)}.2.3.4`,
      `section 4.${random.integer(9)}.2.1`,
      `1.3.6.1.4.1.${random.digits(4)}`,
      `${256 + random.integer(700)}.${random.integer(999)}.1.1`,
      `01:23:45:67:89:ab`,
      `00:1${random.integer(10)}:22:33:44:55:66:77`,
      `AB:CD:EF:0${random.integer(10)}:12:34:56:78:9A:BC:DE:F0:11:22:33:44`,
      `Chrome/96.0.4664.${300 + random.integer(600)}`,
      `libssl3_3.0.11.${random.integer(9)}-1~deb12u2`,
      `1.2.3.4-rc${random.integer(9)}`,
      `bad::beef()`,
      `Add::Dead${random.integer(9)}`,
      `0x${random.digits(4)}:0x${random.digits(4)}`,
      `1.02.3.4`,
      `§ 1.2.3.${random.integer(9)}`,
      `${random.pick([...hex])}::${random.pick([...hex])}`,
      `::selection { color: red }`,
      `版本 3.${random.integer(9)}.1.2`,
      `1.2.3.4.${random.integer(9)}`,
      `As of 2.6.${random.integer(9)}.1, comments`,
      `<span class="section-number">9.${random.integer(9)}.1.6</span>`,
      `sections 4.4.${random.integer(9)}.4 and 8.12`,
      `dpkg (1.14.${random.integer(20)}.${random.integer(9)}) unstable; urgency=medium`,
      `* Bump Standards-Version to 3.${random.integer(10)}.1.0`,
      `What's new in at-spi2-core 1.91.${random.integer(20)}.1:`,
      `<li>7.${random.integer(9)}.1.1 <acronym>SHA256</acronym></li>`,
      `8.2.${random.integer(20)}.3. Dual-stack Servers`,
      `#define OID_X520_INITIALS "2.5.4.${random.integer(60)}"`,
      `facet [22.2.1.${random.integer(9)}].`,
      `inkscape:version="0.48.3.${random.integer(9)} r9886"`,
      `## pandoc 2.17.1.${random.integer(9)} (2022-01-31)`,
      `$Id: strftime.c,v 1.10.2.${random.integer(9)} 2005/11/04`,
      `// 23.3.4.${random.integer(9)} forward_list operations:`,
      `status of HTTP/2 (RFC 7540 8.1.2.${random.integer(9)})`,
      `upgrade from 4.0.11.${random.integer(9)} to 4.0.12.1`,
    ]),
};
