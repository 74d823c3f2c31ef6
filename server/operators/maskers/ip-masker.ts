import { defineOperator } from '../operator.ts';
import { maskIpAddresses } from './ip-addresses.ts';
import { masker } from './masking.ts';

export const ipMasker = defineOperator(
  masker({
    id: 'ip-masker',
    version: '1.1.0',
    name: 'Mask IP addresses',
    description:
      'Puts a mark in place of addresses of the Internet protocol, version 4 and 6 (RFC 4291). Four numbers below 100 (1.2.3.4) may be a version: they count beside words and signs of networks only.',
    tag: 'IP',
    mask: maskIpAddresses,
    sameForm: (found) => found.toLowerCase(),
    examples: [
      {
        title: 'Version 4 and 6',
        params: {},
        input: 'from 192.168.0.17 and 2001:db8::8a2e:370:7334',
        output: 'from [IP] and [IP]',
      },
      { title: 'Stars', params: { mode: 'STARS' }, input: '192.168.0.17:80', output: '************:80' },
      { title: 'Removal', params: { mode: 'REMOVE' }, input: 'ping 10.0.0.1 now', output: 'ping  now' },
      { title: 'In Chinese text', params: {}, input: '服务器地址：203.0.113.7。', output: '服务器地址：[IP]。' },
      {
        title: 'Versions and sections stay',
        params: {},
        input: 'version 1.2.3.4, section 4.1.2.1, std::cout',
        output: 'version 1.2.3.4, section 4.1.2.1, std::cout',
      },
    ],
    chinese: {
      name: '遮盖 IP 地址',
      description:
        '用标记代替第 4 版和第 6 版的 IP 地址（RFC 4291）。四个都小于 100 的数（1.2.3.4）可能是版本号：只在网络用语或符号旁才算。',
      examples: {
        'Version 4 and 6': '第 4 版和第 6 版',
        Stars: '星号',
        Removal: '删除',
        'In Chinese text': '中文文本中',
        'Versions and sections stay': '版本号和章节号保留',
      },
    },
  }),
);
