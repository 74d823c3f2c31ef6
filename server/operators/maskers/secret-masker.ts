import { defineOperator } from '../operator.ts';
import { masker } from './masking.ts';
import { maskSecrets } from './secrets.ts';

export const secretMasker = defineOperator(
  masker({
    id: 'secret-masker',
    version: '1.2.0',
    name: 'Mask secrets',
    description:
      'Masks credentials: keys with an issuer prefix (AKIA…, ghp_…, sk-…, xoxb-…, AIza…, LTAI… and others), JSON Web Tokens, PEM private keys, passwords in URLs, and random values (by their entropy) after words such as api_key, token, password or 密码. Placeholders and variable references are kept.',
    tag: 'SECRET',
    mask: maskSecrets,
    examples: [
      {
        title: 'Keys with an issuer prefix',
        params: {},
        input: 'AKIAIOSFODNN7EXAMPLE and ghp_16C7e42F292c6912E7710c838347Ae178B4a',
        output: '[SECRET] and [SECRET]',
      },
      {
        title: 'After a word that names it',
        params: {},
        input: 'API_KEY="9f8e7d6c5b4a39281706f5e4d3c2b1a0"\npassword: Tr0ub4dor&3',
        output: 'API_KEY="[SECRET]"\npassword: [SECRET]',
      },
      {
        title: 'In Chinese text',
        params: {},
        input: '密码：Abc12345，请妥善保管',
        output: '密码：[SECRET]，请妥善保管',
      },
      {
        title: 'A private key',
        params: {},
        input: '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIB\n-----END EC PRIVATE KEY-----\n',
        output: '[SECRET]\n',
      },
      {
        title: 'A password in a URL',
        params: {},
        input: 'postgres://app:s3cr3t@db.example/app',
        output: 'postgres://app:[SECRET]@db.example/app',
      },
      {
        title: 'Quoted passwords with symbols',
        params: {},
        input: `SECRET_KEY='django-insecure-TIP+gJ@-L=r*$T0ct(x9'\nPASSWORD='x(y)z!9Kq' password: "a$b%c^d&e*1Z"`,
        output: `SECRET_KEY='[SECRET]'\nPASSWORD='[SECRET]' password: "[SECRET]"`,
      },
      {
        title: 'Options, tags and curl users',
        params: {},
        input:
          'mysql --password S3cr3tPass1; curl -s -u bob:hunter22 https://a.example <password>S3cr3tPass1</password>',
        output: 'mysql --password [SECRET]; curl -s -u bob:[SECRET] https://a.example <password>[SECRET]</password>',
      },
      {
        title: 'A truncated private key',
        params: {},
        input: '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx4UbaDzY5xjW6hc9jwN0mX33XpTDVW2q',
        output: '[SECRET]',
      },
      {
        title: 'Function calls are kept',
        params: {},
        input: 'credential = workloadIdentity.fromX509({ a: 1 }), password = "get_password1(user)"',
        output: 'credential = workloadIdentity.fromX509({ a: 1 }), password = "get_password1(user)"',
      },
      {
        title: 'Stars',
        params: { mode: 'STARS' },
        input: 'token = AKIAIOSFODNN7EXAMPLE',
        output: 'token = ********************',
      },
      {
        title: 'Placeholders and variables are kept',
        params: {},
        input: 'password = os.environ["PASS"], token: <your-token>, api_key=${API_KEY}',
        output: 'password = os.environ["PASS"], token: <your-token>, api_key=${API_KEY}',
      },
    ],
    chinese: {
      name: '遮盖密钥和口令',
      description:
        '用标记代替凭据：带有发行方标志的密钥（AKIA…、ghp_…、sk-…、xoxb-…、AIza…、LTAI… 等）、JSON Web Token、PEM 私钥、网址中的口令，以及 api_key、token、password、密码等词之后的随机值（按熵判断）。占位符和变量引用保留。',
      examples: {
        'Keys with an issuer prefix': '带有发行方标志的密钥',
        'After a word that names it': '在相应名称之后',
        'In Chinese text': '中文文本中',
        'A private key': '私钥',
        'A password in a URL': '网址中的口令',
        'Quoted passwords with symbols': '引号中带符号的口令',
        'Options, tags and curl users': '选项、标签和 curl 的用户',
        'A truncated private key': '不完整的私钥',
        'Function calls are kept': '函数调用保留',
        Stars: '星号',
        'Placeholders and variables are kept': '占位符和变量保留',
      },
    },
  }),
);
