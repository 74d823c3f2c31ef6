import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sized } from '../../../../tests/support/long-tests.ts';
import { seededRandom } from '../../../../tests/support/seeded-random.ts';
import { encodeText } from '../../../tables/encoder.ts';
import { collectUndeclaredNames } from './name-encodings.ts';
import type { NameEncoding } from './name-languages.ts';
import { isSingleBytePage, singleBytePages } from './single-byte-pages.ts';

/** Words of names in a language, and the encodings in which systems of that language write zips. */
type Vocabulary = { language: string; encodings: readonly NameEncoding[]; words: string };

const vocabularies: readonly Vocabulary[] = [
  {
    language: 'zh-TW',
    encodings: ['big5'],
    words:
      '新增資料夾 測試資料 說明 許功蓋 會議紀錄 報表 圖片 備份 合約 財務 專案計畫 照片 客戶名單 繁體中文 問題 臺北 成績單 功能',
  },
  {
    language: 'zh-CN',
    encodings: ['gb18030'],
    words:
      '新建文件夹 测试数据 说明 用户手册 会议记录 报表 图片 备份 合同 财务 项目计划 照片 客户名单 简体中文 问题 北京 成绩单 训练集',
  },
  {
    language: 'ja-JP',
    encodings: ['shift_jis'],
    words:
      '新しいフォルダー テスト 説明書 表示ソース 会議録 報告書 画像 バックアップ 契約 予算 データ 写真 お客様 日本語 問題 東京 議事録 はじめに',
  },
  {
    language: 'ko-KR',
    encodings: ['euc-kr'],
    words:
      '새폴더 시험자료 설명서 사용자 회의록 보고서 그림 백업 계약서 예산 데이터 사진 고객명단 한국어 문제 서울 성적표 안내문',
  },
  {
    language: 'ru-RU',
    encodings: ['ibm866', 'windows-1251', 'koi8-r'],
    words:
      'Новая папка Тест Инструкция Отчёт Протокол картинки Архив Договор Бюджет данные Фото Клиенты вопросы Москва Сводка письмо',
  },
  {
    language: 'uk-UA',
    encodings: ['windows-1251', 'koi8-u'],
    words: 'Нова тека Звіт Договір рахунок Світлини Київ довідка питання Список навчальні дані Протокол зустрічі Їжа',
  },
  {
    language: 'bg-BG',
    encodings: ['windows-1251'],
    words: 'Нова папка Отчет Договор снимки София въпроси Списък бюджет Доклад писмо',
  },
  {
    language: 'el-GR',
    encodings: ['cp737', 'windows-1253'],
    words: 'Νέος φάκελος Έκθεση δεδομένα εικόνες Αθήνα Σύμβαση ερωτήσεις Προϋπολογισμός φωτογραφίες Πρακτικά',
  },
  {
    language: 'he-IL',
    encodings: ['cp862', 'windows-1255'],
    words: 'תיקייה חדשה דוח נתונים תמונות ירושלים חוזה שאלות תקציב רשימה מכתב',
  },
  {
    language: 'ar-EG',
    encodings: ['cp720', 'windows-1256'],
    words: 'مجلد جديد تقرير بيانات صور القاهرة عقد أسئلة ميزانية قائمة رسالة',
  },
  {
    language: 'th-TH',
    encodings: ['windows-874'],
    words: 'โฟลเดอร์ใหม่ รายงาน ข้อมูล รูปภาพ กรุงเทพ สัญญา คำถาม งบประมาณ รายชื่อ จดหมาย',
  },
  {
    language: 'tr-TR',
    encodings: ['cp857', 'windows-1254'],
    words:
      'Yeni klasör Sözleşme görüntüler İstanbul değişiklik Bütçe çalışma Ağustos fotoğraflar kullanıcı Şirket dağıtım',
  },
  {
    language: 'pl-PL',
    encodings: ['cp852', 'windows-1250'],
    words: 'Zdjęcia umowa zażółć Łódź święto pieniądze Sprawozdanie zespołu źródła Kraków książka mąż ćwiczenia',
  },
  {
    language: 'cs-CZ',
    encodings: ['cp852', 'windows-1250'],
    words: 'Nová složka Smlouva příloha žluťoučký kůň účetnictví Zápis schůze řešení Plzeň děti Český',
  },
  {
    language: 'hu-HU',
    encodings: ['cp852', 'windows-1250'],
    words: 'Új mappa Szerződés képek jelentés őszi könyv költségvetés Győr kérdések tűz árvíz',
  },
  {
    language: 'de-DE',
    encodings: ['cp437', 'cp850', 'windows-1252'],
    words: 'Neuer Ordner Übersicht Größe Verträge Müller Straße Prüfung März Bücher Köln Änderung schön',
  },
  {
    language: 'fr-FR',
    encodings: ['cp850', 'windows-1252'],
    words: 'Résumé été élève façade Noël reçu dépôt à côté forêt modèle Éditions hôtel naïve',
  },
  {
    language: 'es-ES',
    encodings: ['cp850', 'windows-1252'],
    words: 'Año mañana informe público añadir canción niños gestión Málaga página último español',
  },
  {
    language: 'pt-BR',
    encodings: ['cp850', 'windows-1252'],
    words: 'São Paulo relatório ações informação câmera três não avaliação João código versão',
  },
  {
    language: 'sv-SE',
    encodings: ['cp850', 'windows-1252'],
    words: 'Ångström översikt räkning möte Göteborg förslag bilder från år sjö',
  },
  {
    language: 'da-DK',
    encodings: ['cp850', 'windows-1252'],
    words: 'Øresund årsrapport billeder fra sommerhus København møde ændring Ærø brød',
  },
];
const endings = ['.txt', '.csv', '.pdf', '.docx', '.jsonl', '.jpg', ''];

function encode(text: string, encoding: NameEncoding): Buffer {
  if (!isSingleBytePage(encoding)) {
    const bytes = encodeText(text, encoding);
    assert.ok(bytes !== undefined, `${text} in ${encoding}`);
    return Buffer.from(bytes);
  }
  const upper = singleBytePages[encoding];
  return Buffer.from(
    [...text].map((character) => {
      const at = upper.indexOf(character);
      assert.ok(character < '\u0080' || at !== -1, `${character} in ${encoding}`);
      return at === -1 ? character.charCodeAt(0) : at + 0x80;
    }),
  );
}

type NameSet = { language: string; encoding: NameEncoding; kind: string; names: string[] };

/** Sets of one short name, one long name, a few and many names, for each encoding of each language. */
function nameSets(seed: number): NameSet[] {
  const { integer, pick } = seededRandom(seed);
  const sets: NameSet[] = [];
  for (const { language, encodings, words: text } of vocabularies) {
    const words = text.split(' ');
    const beyondAscii = words.filter((word) => /[^\0-\x7f]/.test(word));
    const nameOf = (count: number): string => {
      const parts = [pick(beyondAscii), ...Array.from({ length: count - 1 }, () => pick(words))];
      const number = integer(10) < 3 ? ` ${integer(2030)}` : '';
      return `${parts.join(pick([' ', '_', '-', ' ']))}${number}${pick(endings)}`;
    };
    for (const encoding of encodings)
      for (const [kind, names] of [
        ['one short', [nameOf(1)]],
        ['one long', [nameOf(4)]],
        ['a few', Array.from({ length: 4 }, () => nameOf(1 + integer(2)))],
        ['many', Array.from({ length: 30 }, () => `${pick(beyondAscii)}/${nameOf(1 + integer(3))}`)],
      ] as const)
        sets.push({ language, encoding, kind, names: [...names] });
  }
  return sets;
}

/** Whether all names are read as they were written. */
function isRight({ encoding, names }: NameSet, languages?: readonly string[]): boolean {
  const raws = names.map((name) => encode(name, encoding));
  const collected = collectUndeclaredNames();
  for (const raw of raws) collected.add(raw);
  const { decode } = collected.reading(undefined, languages);
  return raws.every((raw, index) => decode(raw) === names[index]);
}

test('names of 21 languages in 35 encodings are read as they were written', () => {
  const wrong: string[] = [];
  let hinted = 0;
  let count = 0;
  for (const set of Array.from({ length: sized(1, 8) }, (_seed, index) => index + 1).flatMap(nameSets)) {
    count += 1;
    if (isRight(set, [set.language, 'en'])) hinted += 1;
    if (!isRight(set)) wrong.push(`${set.language} ${set.encoding} ${set.kind}: ${set.names[0]}`);
  }
  const ofMany = wrong.filter((line) => line.includes(' many: '));
  assert.deepEqual(ofMany, [], 'many names leave no doubt');
  assert.ok(wrong.length <= count * 0.03, `${wrong.length} of ${count}:\n${wrong.join('\n')}`);
  assert.ok(hinted >= count * 0.99, `${count - hinted} of ${count} wrong with the language of the reader`);
});

test('the bytes of a wrong guess refuse no file: a second byte may be that of a backslash', () => {
  // In Big5 and Shift_JIS, 0x5C ends a character: 許功蓋, 表示ソ.
  for (const [encoding, names] of [
    ['big5', ['許功蓋.txt', '功能.txt', '閱讀蓋.csv']],
    ['shift_jis', ['表.txt', 'ソ.txt', '予算表/申請.csv']],
    ['gb18030', ['用户.txt', '臺灣繁體.txt']],
  ] as const)
    for (const language of ['de', 'ja', 'zh-TW', 'zh-CN', 'ru', 'ko']) {
      const collected = collectUndeclaredNames();
      const raws = names.map((name) => encode(name, encoding));
      for (const raw of raws) collected.add(raw);
      const { decode, receipt } = collected.reading(undefined, [language]);
      for (const raw of raws) assert.doesNotMatch(decode(raw) ?? '\\', /[\\\p{Cc}\ufffd]/u, `${encoding} ${language}`);
      assert.equal(receipt?.guessed, true);
    }
});

test('the language of the reader decides between equals, and many names outweigh it', () => {
  const raws = (names: readonly string[], encoding: NameEncoding) => names.map((name) => encode(name, encoding));
  const read = (given: readonly Buffer[], languages: readonly string[]) => {
    const collected = collectUndeclaredNames();
    for (const raw of given) collected.add(raw);
    return collected.reading(undefined, languages).receipt?.encoding;
  };
  assert.equal(read(raws(['kůň.jpg'], 'cp852'), ['cs-CZ']), 'cp852');
  assert.equal(read(raws(['Бюджет.txt'], 'windows-1251'), ['de', 'ru']), 'windows-1251');
  const chinese = raws(['新建文件夹/测试数据.txt', '用户手册/说明.pdf', '会议记录/训练集.csv'], 'gb18030');
  for (const language of ['ja', 'ko', 'zh-TW', 'ru', 'de'])
    assert.equal(read(chinese, [language]), 'gb18030', language);
});
