// What a run makes of rows in other encodings, and of what is none in the encoding of its file.
import { testTables } from '../../../../tests/support/table-work.ts';
import { encodeText } from '../../../tables/encoder.ts';

const bom = '\ufeff';

testTables([
  [
    'a line in another encoding',
    't.csv',
    Buffer.concat([Buffer.from('id,text\n1,高é高é高é\n2,'), Buffer.from([0xe9, 0x0a]), Buffer.from('3,é\n')]),
    {
      bytes: Buffer.concat([Buffer.from('id,text\n1,高é高é高é\n2,'), Buffer.from([0xe9, 0x0a]), Buffer.from('3,é\n')]),
      rows: [
        ['KEPT', null],
        ['FAILED', 'INVALID_ENCODING: the row is not valid UTF-8'],
        ['KEPT', null],
      ],
    },
  ],
  [
    'GB18030',
    't.csv',
    Buffer.from(
      'aa2c74657874 0a31 2ccafdbeddd7bcb1b8b7fecef10a 322c6368616e6765cafdbeddb0d1cec4bcfe0a'
        .replace(/ /g, '')
        .replace(/^aa/, '6e'),
      'hex',
    ),
    {
      bytes: Buffer.from(
        encodeText('n,text\n1,数据准备服务\n2,"a ""new""\nvalue, é; 高数据把文件"\n', 'gb18030') ?? [],
      ),
      rows: [
        ['KEPT', null],
        ['CHANGED', null],
      ],
    },
  ],
  [
    'JSON lines that are not UTF-8, whatever else they look like',
    't.jsonl',
    Buffer.from('{"text":"déjà vu","n":1.0}\n{"text":"drop"}\n{"text":"a"}\n', 'latin1'),
    {
      bytes: Buffer.from('{"text":"déjà vu","n":1.0}\n{"text":"a"}\n', 'latin1'),
      rows: [
        ['FAILED', 'INVALID_ENCODING: the line is not valid UTF-8'],
        ['DROPPED', 'as it was told'],
        ['KEPT', null],
      ],
    },
  ],
  [
    'JSON lines in an encoding that was named',
    't.jsonl',
    Buffer.from('{"text":"déjà vu","n":1.0}\n{"text":"drop"}\n{"text":"asplité","n":"\xdf"}\n', 'latin1'),
    {
      bytes: Buffer.from('{"text":"déjà vu","n":1.0}\n{"text":"a","n":"\xdf"}\n{"text":"é","n":"\xdf"}\n', 'latin1'),
      rows: [
        ['KEPT', null],
        ['DROPPED', 'as it was told'],
        ['CHANGED', null],
      ],
      encoding: 'windows-1252',
    },
  ],
  [
    'numbers that are none in JSON',
    't.jsonl',
    '{"text":"change NaN","n":NaN}\n{"n": [-Infinity, Infinity],"text":"a"}\n{"text":NaN}\n{"text":"a","n":1Infinity}\n{"n":[NaN ],"text":"split"}\n',
    {
      bytes:
        '{"text":"a \\"new\\"\\nvalue, é; 高 NaN","n":NaN}\n{"n": [-Infinity, Infinity],"text":"a"}\n{"text":NaN}\n{"text":"a","n":1Infinity}\n{"n":[NaN ],"text":""}\n{"n":[NaN ],"text":""}\n',
      rows: [
        ['CHANGED', null],
        ['KEPT', null],
        ['FAILED', '"text" is not a string'],
        [
          'FAILED',
          "the line is not JSON: Expected ',' or '}' after property value in JSON at position 17 (line 1 column 18)",
        ],
        ['CHANGED', null],
      ],
    },
  ],
  [
    'characters that its encoding lacks in a new text',
    't.csv',
    Buffer.from('n,text\n1,déjà vu très français\n2,changed déjà vu\n3,à splitÿ\n', 'latin1'),
    {
      bytes: Buffer.from('n,text\n1,déjà vu très français\n2,changed déjà vu\n3,à \n3,ÿ\n', 'latin1'),
      rows: [
        ['KEPT', null],
        ['FAILED', 'the file is in WINDOWS-1252, which has no 高 (U+9AD8) of the new text; convert it to UTF-8'],
        ['CHANGED', null],
      ],
    },
  ],
  [
    'rows of another encoding than its first ones',
    't.csv',
    Buffer.concat([
      Buffer.from('n,text\n1,drop déjà vu très français, déjà\n2,à split là\n'.replace(', déjà', ''), 'latin1'),
      Buffer.from('3,数据清洗\n4,a\n'),
    ]),
    {
      bytes: Buffer.concat([Buffer.from('n,text\n2,à \n2, là\n', 'latin1'), Buffer.from('3,数据清洗\n4,a\n')]),
      rows: [
        ['DROPPED', 'as it was told'],
        ['CHANGED', null],
        ['FAILED', 'INVALID_ENCODING: the file was taken for WINDOWS-1252, and this row is UTF-8; set input.encoding'],
        ['KEPT', null],
      ],
    },
  ],
  [
    'UTF-16 that is cut off',
    't.jsonl',
    Buffer.from(`${bom}{"text":"a"}\n{"text":"b"}\n`, 'utf16le').subarray(0, -1),
    {
      bytes: Buffer.from(`${bom}{"text":"a"}\n`, 'utf16le'),
      rows: [
        ['KEPT', null],
        ['FAILED', 'INVALID_ENCODING: the line is not valid UTF-16LE'],
      ],
    },
  ],
]);
