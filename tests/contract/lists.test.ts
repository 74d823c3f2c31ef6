// Pages, orders and filters of all lists.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from './service.ts';
import { CleaningTask } from './cleaning-shapes.ts';
import { AnyJson, Enveloped, File, ListedDataset, PageOf, Version } from './shapes.ts';

const data = '/data-management';

test('lists', async (t) => {
  const { admin, openApi } = await startService(t);
  const dataset = await admin.newDataset({ name: 'alpha' });
  await admin.newDataset({ name: 'beta', type: 'IMAGE' });
  await admin.newDataset({ name: 'gamma' });
  await admin.putFiles(dataset.id, { 'b/2.txt': '22', 'a.txt': 'a', 'b/1.txt': '1', 'c.md': 'ccc' });
  const source = {
    name: 'task',
    sourceDatasetId: dataset.id,
    steps: [{ operatorId: 'whitespace-normalizer', params: {} }],
  };
  const task = (await admin.post('/data-cleaning/tasks', source)).is(201, Enveloped(CleaningTask)).data;

  const lists: [path: string, total: number][] = [
    [`${data}/datasets`, 3],
    [`${data}/datasets/${dataset.id}/files`, 4],
    [`${data}/datasets/${dataset.id}/versions`, 2],
    ['/data-cleaning/tasks', 1],
    [`/data-cleaning/tasks/${task.id}/runs`, 0],
  ];
  for (const [path, total] of lists) {
    const isWrapped = !path.startsWith(data);
    const pageOf = async (query: string) => {
      const answer = await admin.get(`${path}?${query}`);
      return isWrapped ? answer.is(200, Enveloped(PageOf(AnyJson))).data : answer.is(200, PageOf(AnyJson));
    };

    await t.test(`GET ${path}: page and size`, async () => {
      for (const [query, field] of [
        ['page=-1', 'page'],
        ['page=x', 'page'],
        ['page=1.5', 'page'],
        ['page=1e2', 'page'],
        ['page=0x1', 'page'],
        ['page=', 'page'],
        ['page=%00', 'page'],
        ['page=NaN', 'page'],
        ['size=0', 'size'],
        ['size=-5', 'size'],
        ['size=1001', 'size'],
        ['size=99999999999999999999', 'size'],
        ['size=ten', 'size'],
        ['size=1.0', 'size'],
        ['size=', 'size'],
        ['size=1&size=2', 'size'],
      ]) {
        (await admin.get(`${path}?${query}`)).fails(400, 'INVALID_PARAMETER', String(field));
      }
      const whole = await pageOf('');
      assert.deepEqual([whole.page, whole.size, whole.totalElements], [0, 20, total]);
      assert.equal(whole.content.length, total);
      assert.deepEqual([whole.totalPages, whole.first, whole.last], [Math.ceil(total / 20), true, true]);
      assert.equal((await pageOf('size=1000')).size, 1000);
      const beyond = await pageOf('page=7&size=2');
      assert.deepEqual(
        { ...beyond },
        {
          content: [],
          page: 7,
          size: 2,
          totalElements: total,
          totalPages: Math.ceil(total / 2),
          first: false,
          last: true,
        },
      );
      const far = await pageOf('page=9007199254740991&size=1000').catch(() => undefined);
      if (far !== undefined) assert.deepEqual([far.content, far.last], [[], true]);
    });

    await t.test(`GET ${path}: pages of one make up the list`, async () => {
      const one: unknown[] = [];
      for (let page = 0; page < total; page += 1) {
        const { content, first, last, totalPages } = await pageOf(`page=${page}&size=1`);
        assert.deepEqual([first, last, totalPages], [page === 0, page === total - 1, total]);
        one.push(...content);
      }
      assert.deepEqual(one, (await pageOf('size=1000')).content);
    });

    // A list without a documented sort field ignores `sort` like any unknown parameter.
    const { parameters } = openApi.find('GET', `/api/v1${path}`) ?? assert.fail(`${path} isn't documented`);
    if (path.endsWith('/runs') && !parameters.some(({ name }) => name === 'sort')) continue;

    await t.test(`GET ${path}: an unknown sort is refused`, async () => {
      for (const sort of ['surprise,asc', 'id;drop,asc', 'name,sideways', ',asc', 'toString,asc', '__proto__,asc']) {
        (await admin.get(`${path}?sort=${encodeURIComponent(sort)}`)).fails(400, 'INVALID_PARAMETER', 'sort');
      }
    });
  }

  await t.test('default orders: datasets newest first, files by path', async () => {
    const datasets = (await admin.get(`${data}/datasets`)).is(200, PageOf(ListedDataset)).content;
    assert.deepEqual(
      datasets.map(({ name }) => name),
      ['gamma', 'beta', 'alpha'],
    );
    assert.deepEqual([...(await admin.files(dataset.id)).keys()], ['a.txt', 'b/1.txt', 'b/2.txt', 'c.md']);
  });

  await t.test('documented sorts work in both directions', async () => {
    const namesBy = async (sort: string) =>
      (await admin.get(`${data}/datasets?sort=${sort}`)).is(200, PageOf(ListedDataset)).content.map(({ name }) => name);
    assert.deepEqual(await namesBy('name,asc'), ['alpha', 'beta', 'gamma']);
    assert.deepEqual(await namesBy('name,desc'), ['gamma', 'beta', 'alpha']);
    assert.deepEqual(await namesBy('createdAt,asc'), ['alpha', 'beta', 'gamma']);
    const sizes = async (sort: string) =>
      (await admin.get(`${data}/datasets/${dataset.id}/files?sort=${sort}`))
        .is(200, PageOf(File))
        .content.map(({ fileSize }) => fileSize);
    assert.deepEqual(await sizes('fileSize,desc'), [3, 2, 1, 1]);
    assert.deepEqual(await sizes('fileSize,asc'), [1, 1, 2, 3]);
  });

  await t.test('unknown filters are refused', async () => {
    for (const query of ['status=GONE', 'status=active', 'type=PLANT', 'status=']) {
      (await admin.get(`${data}/datasets?${query}`)).fails(400, 'INVALID_PARAMETER', query.split('=')[0] ?? '');
    }
    (await admin.get(`${data}/datasets/${dataset.id}/files?status=GONE`)).fails(400, 'INVALID_PARAMETER', 'status');
  });

  await t.test('an empty list has no page and is first and last', async () => {
    const empty = await admin.newDataset();
    const page = (await admin.get(`${data}/datasets/${empty.id}/files`)).is(200, PageOf(File));
    assert.deepEqual(
      { ...page },
      {
        content: [],
        page: 0,
        size: 20,
        totalElements: 0,
        totalPages: 0,
        first: true,
        last: true,
      },
    );
    assert.ok((await admin.get(`${data}/datasets/${empty.id}/versions`)).is(200, PageOf(Version)).totalElements <= 1);
  });
});
