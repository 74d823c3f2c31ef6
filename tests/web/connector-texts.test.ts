// Connectors and their forms in Chinese.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import i18next from 'i18next';
import { connectors } from '../../server/connectors/index.ts';
import type { Connector } from '../../web/api/schema.ts';
import { connectorTextsNamespace, localizeConnector } from '../../web/messages/connector-texts.ts';
import { connectorTexts } from '../../web/messages/zh/connector-texts.ts';

type Schema = { description?: string; properties?: Record<string, Schema>; anyOf?: Schema[]; const?: unknown };

/** The fields of a configuration and of its variants by name, without the constant that identifies a variant. */
function fieldsOf({ properties = {} }: Schema): Map<string, Schema> {
  const own = Object.entries(properties).filter(([, field]) => field.const === undefined);
  const inner = own.flatMap(([, { anyOf = [] }]) => anyOf.flatMap((variant) => [...fieldsOf(variant)]));
  return new Map([...own, ...inner]);
}

test('every connector has its Chinese name, description and fields, and nothing else has', () => {
  assert.deepEqual(Object.keys(connectorTexts).toSorted(), connectors.map(({ type }) => type).toSorted());
  for (const { type, config } of connectors) {
    const text = connectorTexts[type];
    const fields = fieldsOf(config);
    assert.match(text?.description ?? '', /\p{Script=Han}/u, type);
    assert.deepEqual(Object.keys(text?.fields ?? {}).toSorted(), [...fields.keys()].toSorted(), type);
    for (const [name, { title, help }] of Object.entries(text?.fields ?? {})) {
      assert.match(title, /\p{Script=Han}|^TLS$/u, `${type}.${name}`);
      if (fields.get(name)?.description !== undefined) assert.match(help ?? '', /\p{Script=Han}/u, `${type}.${name}`);
    }
  }
});

test('a connector shown in Chinese has its texts replaced and its rules kept, in variants as well', async () => {
  await i18next.init({ lng: 'en', resources: {} });
  i18next.addResourceBundle('zh', connectorTextsNamespace, connectorTexts);
  const found = connectors.find(({ type }) => type === 'http-api');
  assert.ok(found);
  const api = { ...found, configSchema: { ...found.config } } as unknown as Connector;
  const { name, configSchema } = localizeConnector(api, 'zh');
  assert.equal(name, connectorTexts['http-api']?.name);
  const properties = configSchema['properties'] as Record<string, Schema & { title?: string; maxLength?: number }>;
  assert.deepEqual([properties['url']?.title, properties['url']?.maxLength], ['网址', 4000]);
  const paging = properties['paging']?.anyOf?.[0]?.properties as Record<string, { title?: string }>;
  assert.equal(paging['pageParam']?.title, '页码参数');
  assert.equal(localizeConnector(api, 'en'), api);
});
