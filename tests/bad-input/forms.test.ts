import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkParts, toForm, type FormPart } from '../contract/form-data.ts';
import { sharedService } from '../contract/service.ts';
import { ChunkResult } from '../contract/shapes.ts';

const shared = sharedService(import.meta.url);

const data = '/data-management';

test('multipart forms', async (t) => {
  const { admin } = await shared.open();
  const { id } = await admin.newDataset();
  const chunkPath = `${data}/datasets/${id}/files/upload/chunk`;
  const filesPath = `${data}/datasets/${id}/files/upload`;
  const reqId = await admin.newUpload(id, { totalFileNum: 1000, totalSize: 10_000_000 });
  let fileNo = 0;
  const fields = (fileName: string, bytes: string | Buffer = 'soil') => {
    fileNo += 1;
    return { reqId, fileNo, fileName, totalChunkNum: 1, chunkNo: 1, bytes };
  };
  const send = (path: string, body: Buffer, contentType: string) => admin.call('POST', path, { body, contentType });
  const stored = async (path: string) => {
    const file = (await admin.files(id)).get(path) ?? assert.fail(`${path} isn't listed`);
    return (await admin.download(id, file.id)).bytes.toString('latin1');
  };

  await t.test('content types that don’t fit the body', async () => {
    const { body, contentType } = toForm(chunkParts(fields('x.txt')), 'right');
    for (const wrong of [
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'multipart/form-data; boundary=wrong',
      `multipart/form-data; boundary="${'b'.repeat(5000)}"`,
      'multipart/form-data; charset=utf-8',
    ]) {
      const answer = await send(chunkPath, body, wrong);
      answer.fails(400, 'INVALID_PARAMETER');
    }
    (await send(chunkPath, body, 'multipart/mixed; boundary=right')).fails(415, 'UNSUPPORTED_MEDIA_TYPE');
    (await send(chunkPath, body, contentType.replace('right', '"right"'))).is(200, ChunkResult);
    (
      await send(chunkPath, toForm(chunkParts(fields('y.txt')), 'right').body, 'Multipart/Form-Data; Boundary=right')
    ).is(200, ChunkResult);
  });

  await t.test('bodies that are no form', async () => {
    const type = 'multipart/form-data; boundary=b';
    for (const body of [
      '',
      'x',
      '--b',
      '--b--',
      '--b--\r\n',
      '--b\r\n',
      '--b\r\n\r\n',
      '--b\r\n\r\nvalue\r\n--b--',
      '--b\r\nContent-Disposition: form-data\r\n\r\nvalue\r\n--b--',
      '--b\r\nContent-Disposition: form-data; name="reqId"\r\n\r\nvalue',
      '--b\r\nContent-Disposition: form-data; name="reqId\r\n\r\nvalue\r\n--b--',
      '--b\r\nContent-Disposition: attachment; name="reqId"\r\n\r\nvalue\r\n--b--',
      '--b\nContent-Disposition: form-data; name="reqId"\n\nvalue\n--b--',
      `--b\r\nContent-Disposition: form-data; name="${'n'.repeat(100_000)}"\r\n\r\nvalue\r\n--b--`,
      `--b\r\n${'X-Header: x\r\n'.repeat(10_000)}\r\nvalue\r\n--b--`,
      '{"reqId":"x"}',
    ]) {
      for (const path of [chunkPath, filesPath]) {
        const answer = await send(path, Buffer.from(body), type);
        assert.ok([400, 413].includes(answer.status), `${JSON.stringify(body.slice(0, 80))} → ${answer.status}`);
      }
    }
  });

  await t.test('missing fields are named, extra ones ignored', async () => {
    const extra: FormPart[] = [
      { name: 'surprise', value: 'x' },
      { name: '__proto__', value: 'x' },
      { name: 'constructor', value: 'x' },
      { name: 'toString', value: 'x' },
      { name: '', value: 'x' },
    ];
    const parts = chunkParts(fields('extra.txt'));
    (await admin.call('POST', chunkPath, { form: [...extra, ...parts, ...extra] })).is(200, ChunkResult);
    assert.equal(await stored('extra.txt'), 'soil');
    (await admin.call('POST', chunkPath, { form: extra })).fails(400, 'INVALID_PARAMETER');
  });

  await t.test('thousands of fields, a field of a megabyte', async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => ({ name: `f${index}`, value: 'x' }));
    const answer = await admin.call('POST', chunkPath, { form: [...many, ...chunkParts(fields('many.txt'))] });
    assert.ok([200, 400, 413].includes(answer.status), String(answer.status));
    const long = chunkParts({ ...fields('x'), fileName: 'x'.repeat(1_000_000) });
    const tooLong = await admin.call('POST', chunkPath, { form: long });
    assert.ok([400, 413].includes(tooLong.status), String(tooLong.status));
    const other = await admin.call('POST', chunkPath, {
      form: [{ name: 'other', value: 'x'.repeat(5_000_000) }, ...chunkParts(fields('o.txt'))],
    });
    assert.ok([200, 400, 413].includes(other.status), String(other.status));
  });

  await t.test('a field given twice', async () => {
    for (const name of ['reqId', 'fileNo', 'fileName', 'totalChunkNum', 'chunkNo']) {
      const parts = chunkParts(fields('twice.txt'));
      const answer = await admin.call('POST', chunkPath, { form: [...parts, { name, value: '2' }] });
      assert.ok([200, 400, 404, 409].includes(answer.status), `${name} twice → ${answer.status}`);
    }
    const two = chunkParts(fields('two-files.txt'));
    const answer = await admin.call('POST', chunkPath, {
      form: [...two, { name: 'file', value: 'other', fileName: 'b' }],
    });
    answer.fails(400, 'INVALID_PARAMETER', 'file');
  });

  await t.test('a text where the file should be, a file where a text should be', async () => {
    const order = ['reqId', 'fileNo', 'fileName', 'totalChunkNum', 'chunkNo'] as const;
    const withText = [...chunkParts(fields('text.txt'), order), { name: 'file', value: 'plain' }];
    const answer = await admin.call('POST', chunkPath, { form: withText });
    assert.ok([200, 400].includes(answer.status), String(answer.status));
    const parts = chunkParts(fields('odd.txt')).map((part) =>
      part.name === 'reqId' ? { ...part, fileName: 'r.txt' } : part,
    );
    const odd = await admin.call('POST', chunkPath, { form: parts });
    assert.ok([200, 400].includes(odd.status), String(odd.status));
  });

  await t.test('invalid UTF-8 and NUL in fields and names', async () => {
    const bad = Buffer.from([0x61, 0xff, 0xfe, 0x62]);
    for (const value of [bad, Buffer.from([0xc0, 0xae]), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('a\u0000b')]) {
      const parts = chunkParts(fields('x')).map((part) => (part.name === 'fileName' ? { ...part, value } : part));
      (await admin.call('POST', chunkPath, { form: parts })).fails(400, 'INVALID_PARAMETER', 'fileName');
      const ids = chunkParts(fields('x')).map((part) => (part.name === 'reqId' ? { ...part, value } : part));
      (await admin.call('POST', chunkPath, { form: ids })).fails(400, 'INVALID_PARAMETER', 'reqId');
    }
    const [head, tail] = ['--b\r\nContent-Disposition: form-data; name="files"; filename="', '"\r\n\r\nx\r\n--b--\r\n'];
    const raw = Buffer.concat([Buffer.from(head), bad, Buffer.from(tail)]);
    (await send(filesPath, raw, 'multipart/form-data; boundary=b')).fails(400, 'INVALID_PARAMETER');
  });

  await t.test('content that looks like the form’s own framing', async () => {
    for (const content of [
      '\r\n',
      '\r\n--',
      '\r\n--bound',
      '--bound\r\n',
      '\r\n--boundar\r\n--bounda',
      '\r\n\r\n\r\n',
      '\r\n--boundarx--\r\n',
      '-'.repeat(1000),
      '\r'.repeat(999),
      '\r\n--boundar'.repeat(5000),
    ]) {
      const path = `frame-${fileNo}.bin`;
      const { body, contentType } = toForm(chunkParts(fields(path, content)), 'boundary');
      (await send(chunkPath, body, contentType)).is(200, ChunkResult);
      assert.equal(await stored(path), content, JSON.stringify(content.slice(0, 40)));
    }
  });

  await t.test('a preamble, an epilogue and headers in other spellings', async () => {
    const { body } = toForm(chunkParts(fields('spelled.txt')), 'b');
    const text = body
      .toString()
      .replaceAll('Content-Disposition: form-data; name=', 'content-DISPOSITION:form-data;   name=');
    const framed = Buffer.from(`This is a preamble.\r\n${text}And an epilogue`);
    const answer = await send(chunkPath, framed, 'multipart/form-data; boundary=b');
    assert.ok([200, 400].includes(answer.status), String(answer.status));
    if (answer.status === 200) assert.equal(await stored('spelled.txt'), 'soil');
  });

  await t.test('names in a header can’t add headers', async () => {
    for (const name of ['a%0d%0aSet-Cookie: x=1.txt', 'a"; filename="b.txt', 'x.txt"; name="reqId', "x';y.txt"]) {
      const answer = await admin.call('POST', filesPath, { form: [{ name: 'files', value: 'x', fileName: name }] });
      assert.ok([201, 400].includes(answer.status), `${name} → ${answer.status}`);
    }
    for (const file of (await admin.files(id)).values()) {
      const answer = await admin.download(id, file.id);
      assert.equal(answer.headers['set-cookie'], undefined);
      assert.doesNotMatch(answer.header('Content-Disposition'), /[\r\n]/);
    }
  });

  await t.test('a declared content type can’t harm', async () => {
    for (const contentType of [
      'text/html',
      'image/svg+xml',
      'text/html; charset=\u00ff',
      'x'.repeat(5000),
      'a b c',
      'text/html\u0001',
    ]) {
      const path = `type-${fileNo}.html`;
      fileNo += 1;
      const form = [{ name: 'files', value: '<script>1</script>', fileName: path, contentType }];
      const answer = await admin.call('POST', filesPath, { form });
      assert.ok([201, 400].includes(answer.status), `${contentType.slice(0, 40)} → ${answer.status}`);
      if (answer.status !== 201) continue;
      const download = await admin.download(id, (await admin.files(id)).get(path)?.id ?? '');
      assert.equal(download.status, 200);
      assert.match(download.header('Content-Type'), /^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/);
    }
  });

  await t.test('a form that never ends, then nothing of it is there', async () => {
    const { body, contentType } = toForm(chunkParts(fields('torn.txt', 'x'.repeat(100_000))));
    (await send(chunkPath, body.subarray(0, 90_000), contentType)).fails(400, 'INVALID_PARAMETER');
    assert.ok(!(await admin.files(id)).has('torn.txt'));
  });
});

test('downloads of what a browser would run', async () => {
  const { admin } = await shared.open();
  const { id } = await admin.newDataset();
  const script = '<script>fetch("/api/v1/auth/me")</script>';
  for (const name of [
    'page.html',
    'page.HTM',
    'image.svg',
    'code.js',
    'feed.xml',
    'page.xhtml',
    'none',
    'frame.mhtml',
    'doc.pdf',
    'app.wasm',
  ]) {
    const [file] = await admin.putFiles(id, { [name]: script });
    for (const headers of [{}, { Range: 'bytes=0-9' }, { Accept: 'text/html' }]) {
      const answer = await admin.download(id, file?.id ?? '', headers);
      assert.match(answer.header('Content-Disposition'), /^attachment\b/, name);
      assert.equal(answer.header('X-Content-Type-Options'), 'nosniff');
      assert.match(answer.header('Content-Security-Policy'), /sandbox/);
    }
  }
});

test('errors that show what was sent are not run either', async () => {
  const { admin } = await shared.open();
  const path = `${data}/datasets/${encodeURIComponent('<script>alert(1)</script>')}`;
  for (const answer of [
    await admin.get(path),
    await admin.get(`/nothing/${encodeURIComponent('<img src=x onerror=alert(1)>')}`),
  ]) {
    assert.match(answer.header('Content-Type'), /^application\/json/);
    assert.equal(answer.header('X-Content-Type-Options'), 'nosniff');
  }
});
