import { defineOperator } from '../operator.ts';
import { masker } from './masking.ts';
import { maskEmails } from './email-addresses.ts';

export const emailMasker = defineOperator(
  masker({
    id: 'email-masker',
    version: '1.2.0',
    name: 'Mask e-mail addresses',
    description:
      'Masks e-mail addresses (RFC 5322) of all scripts (RFC 6531), also with quoted names and address literals. File names (icon@2x.png), packages (left-pad@1.3.0) and repositories (git@host:team/project) are kept.',
    tag: 'EMAIL',
    mask: maskEmails,
    sameForm: (found) => found.toLowerCase(),
    examples: [
      { title: 'A tag', params: {}, input: 'Write to jane.doe@example.org.', output: 'Write to [EMAIL].' },
      {
        title: 'In Chinese text',
        params: {},
        input: '请发邮件至zhang.wei@163.com咨询',
        output: '请发邮件至[EMAIL]咨询',
      },
      {
        title: 'Next to symbols, in other scripts',
        params: {},
        input: '_jane@example.org_, a@b.co--, 张三@163.com, 用户@例子.广告, jane＠example.com',
        output: '_[EMAIL]_, [EMAIL]--, [EMAIL], [EMAIL], [EMAIL]',
      },
      {
        title: 'Names and domains of all scripts',
        params: {},
        input: 'jörg@example.com, info@кремль.рф, x@ไทย.ไทย, "john doe"@example.com, postmaster@[192.0.2.1]',
        output: '[EMAIL], [EMAIL], [EMAIL], [EMAIL], [EMAIL]',
      },
      {
        title: 'Encoded and hidden characters',
        params: {},
        input: 'jane&#64;example.com, jane%40example.com, ja\u200bne@exam\u00adple.com',
        output: '[EMAIL], [EMAIL], [EMAIL]',
      },
      { title: 'Stars', params: { mode: 'STARS' }, input: 'a.b@c.example!', output: '*************!' },
      {
        title: 'A keyed hash',
        params: { mode: 'HASH', key: 'my key' },
        input: 'Jane@example.org, jane@example.org, john@example.org',
        output: '[EMAIL:fmlbdcfkohhjhdlm], [EMAIL:fmlbdcfkohhjhdlm], [EMAIL:fphmcpahdoamlgif]',
      },
      { title: 'Removal', params: { mode: 'REMOVE' }, input: 'Jane <jane@example.org>', output: 'Jane <>' },
      {
        title: 'Lookalikes are kept',
        params: {},
        input: 'icon@2x.png, x@1.2.3, ssh://git@github.com/a',
        output: 'icon@2x.png, x@1.2.3, ssh://git@github.com/a',
      },
    ],
    chinese: {
      name: '遮盖电子邮件地址',
      description:
        '用标记代替各种文字的电子邮件地址（RFC 5322、RFC 6531），包括带引号的名称和 IP 地址形式的域。文件名（icon@2x.png）、软件包（left-pad@1.3.0）和仓库地址（git@host:team/project）保留。',
      examples: {
        'A tag': '标签',
        'In Chinese text': '中文文本中',
        'Next to symbols, in other scripts': '在标记旁、其他文字中',
        'Names and domains of all scripts': '各种文字的名称和域名',
        'Encoded and hidden characters': '编码和不可见的字符',
        Stars: '星号',
        'A keyed hash': '带密钥的散列',
        Removal: '删除',
        'Lookalikes are kept': '只是相似的保留',
      },
    },
  }),
);
