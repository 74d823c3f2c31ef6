import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eld } from 'eld/extrasmall';
import { detectLanguage, languages } from './language-detector.ts';

/** Short sentences, like those in chats, tables and logs. */
const sentences: Readonly<Record<string, readonly string[]>> = {
  en: [
    'Where did you put the keys?',
    'The server was restarted last night.',
    'Please send me the invoice by Friday.',
    'It rained all day, so we stayed at home.',
    'This option is ignored by older versions.',
    'Nobody knows why the build failed.',
  ],
  zh: [
    '你把钥匙放在哪里了？',
    '服务器昨晚重新启动了。',
    '请在星期五之前把发票发给我。',
    '今天下了一整天的雨。',
    '旧版本会忽略这个选项。',
    '這個檔案無法開啟，請稍後再試。',
  ],
  ja: [
    '鍵をどこに置きましたか。',
    'サーバーは昨夜再起動されました。',
    '金曜日までに請求書を送ってください。',
    '一日中雨が降っていました。',
    '古いバージョンではこのオプションは無視されます。',
    'ビルドが失敗した理由は誰も知りません。',
  ],
  ko: [
    '열쇠를 어디에 두었나요?',
    '어젯밤에 서버가 다시 시작되었습니다.',
    '금요일까지 송장을 보내 주세요.',
    '하루 종일 비가 왔습니다.',
    '이전 버전에서는 이 옵션이 무시됩니다.',
    '빌드가 왜 실패했는지 아무도 모릅니다.',
  ],
  de: [
    'Wo hast du die Schlüssel hingelegt?',
    'Der Server wurde gestern Nacht neu gestartet.',
    'Bitte schicken Sie mir die Rechnung bis Freitag.',
    'Es hat den ganzen Tag geregnet.',
    'Ältere Versionen übergehen diese Option.',
    'Niemand weiß, warum der Bau gescheitert ist.',
  ],
  fr: [
    'Où as-tu mis les clés ?',
    'Le serveur a été redémarré cette nuit.',
    "Merci de m'envoyer la facture avant vendredi.",
    'Il a plu toute la journée.',
    'Cette option est ignorée par les anciennes versions.',
    'Personne ne sait pourquoi la compilation a échoué.',
  ],
  es: [
    '¿Dónde has puesto las llaves?',
    'El servidor se reinició anoche.',
    'Por favor, envíeme la factura antes del viernes.',
    'Ha llovido durante todo el día.',
    'Las versiones antiguas no tienen en cuenta esta opción.',
    'Nadie sabe por qué ha fallado la compilación.',
  ],
  ru: [
    'Куда ты положил ключи?',
    'Сервер был перезапущен прошлой ночью.',
    'Пожалуйста, пришлите мне счёт до пятницы.',
    'Весь день шёл дождь.',
    'Старые версии не учитывают этот параметр.',
    'Никто не знает, почему сборка не удалась.',
  ],
};

test('the language of short sentences is told', (t) => {
  const wrong: string[] = [];
  let told = 0;
  let all = 0;
  for (const [language, texts] of Object.entries(sentences)) {
    for (const text of texts) {
      const found = detectLanguage(text);
      all += 1;
      if (found !== 'und') told += 1;
      if (found !== language && found !== 'und') wrong.push(`${text}: ${found}`);
    }
  }
  t.diagnostic(`${told} of ${all} told, ${wrong.length} wrong: ${wrong.join(' ')}`);
  assert.ok(told >= 0.95 * all, `${told} of ${all} told`);
  assert.ok(wrong.length <= 0.02 * all, wrong.join('\n'));
});

test('what is no language is undetermined', () => {
  for (const text of [
    '',
    ' \n',
    '4711',
    '2026-11-22 19:47:53',
    'https://example.org/a/b?c=d',
    'a@example.org',
    '!!!',
  ]) {
    assert.equal(detectLanguage(text), 'und', text);
  }
});

test('the languages are those of the detector', () => {
  assert.deepEqual(Object.values(eld.info().Languages).toSorted(), languages);
});

test('Indonesian is told as Malay, as the description says', () => {
  const text =
    'Pemerintah Indonesia mengumumkan bahwa harga bahan bakar minyak akan naik mulai bulan depan karena subsidi dikurangi.';
  assert.equal(detectLanguage(text), 'ms');
});
