import { defineOperator } from '../operator.ts';
import { maskIpAddresses } from './ip-addresses.ts';
import { masker } from './masking.ts';

export const ipMasker = defineOperator(
  masker({
    id: 'ip-masker',
    version: '1.2.0',
    name: 'Mask IP addresses',
    description:
      'Masks IPv4 and IPv6 addresses (RFC 4291). Four numbers below 100 (1.2.3.4) may be a version number and are masked only next to network terms or symbols.',
    tag: 'IP',
    mask: maskIpAddresses,
    sameForm: (found) => found.toLowerCase(),
    examples: [
      {
        title: 'IPv4 and IPv6',
        params: {},
        input: 'from 192.168.0.17 and 2001:db8::8a2e:370:7334',
        output: 'from [IP] and [IP]',
      },
      { title: 'Stars', params: { mode: 'STARS' }, input: '192.168.0.17:80', output: '************:80' },
      { title: 'Removal', params: { mode: 'REMOVE' }, input: 'ping 10.0.0.1 now', output: 'ping  now' },
      { title: 'In Chinese text', params: {}, input: '服务器地址：203.0.113.7。', output: '服务器地址：[IP]。' },
      {
        title: 'Version and section numbers are kept',
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
        'IPv4 and IPv6': '第 4 版和第 6 版',
        Stars: '星号',
        Removal: '删除',
        'In Chinese text': '中文文本中',
        'Version and section numbers are kept': '版本号和章节号保留',
      },
    },
  }),
);
