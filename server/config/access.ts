import { isAbsolute } from 'node:path';
import { integer, list, onOff, optionalText, requireDestination } from './setting-types.ts';

/** Who may call, what may be called, and how often. */
export const accessSettings = {
  adminPassword: optionalText('TILTH_ADMIN_PASSWORD', {
    section: 'Access',
    type: 'text, 12 to 128 characters',
    sentence: 'Password of the user admin at the first start; unset: one is generated and printed once.',
    secret: true,
    check(text) {
      const length = [...text].length;
      if (length < 12 || length > 128) throw new Error('must have 12 to 128 characters');
    },
  }),
  jwtSecret: optionalText('TILTH_JWT_SECRET', {
    section: 'Access',
    type: 'text, at least 32 bytes',
    sentence:
      'Key that signs tokens; unset: one is generated, in the data folder, or encrypted in PostgreSQL for all nodes. If set, it must be the same on all nodes.',
    secret: true,
    check(text) {
      if (Buffer.byteLength(text) < 32) throw new Error('must have at least 32 bytes');
    },
  }),
  tokenTtlSeconds: integer('TILTH_TOKEN_TTL_SECONDS', 3600, {
    section: 'Access',
    sentence: 'Lifetime of a token in seconds.',
    min: 1,
    max: 30 * 24 * 60 * 60,
  }),

  secretsKey: optionalText('TILTH_SECRETS_KEY', {
    section: 'Access',
    type: 'keys of 64 hexadecimal digits, separated by commas',
    sentence:
      'Key that encrypts stored secrets (API keys of models); unset: one is generated in the data folder. Of several keys, the first encrypts and the others only decrypt. It must be the same on all nodes, and it is required with both PostgreSQL and an object store.',
    secret: true,
    check(text) {
      if (!text.split(',').every((key) => /^[\da-f]{64}$/i.test(key.trim())))
        throw new Error('must be keys of 64 hexadecimal digits (openssl rand -hex 32), separated by commas');
    },
  }),

  outgoingAllow: list('TILTH_OUTGOING_ALLOW', {
    section: 'Outgoing calls',
    type: 'hosts, addresses or networks, each with or without a port, separated by commas',
    check: requireDestination,
    sentence:
      'Non-public destinations that the service may call, such as a local model server: localhost:11434, 10.1.0.0/16, [fd00::7]:443.',
  }),

  collectionRoots: list('TILTH_COLLECTION_ROOTS', {
    section: 'Outgoing calls',
    type: 'absolute folders, separated by commas',
    check(text) {
      if (!isAbsolute(text)) throw new Error('must be absolute folders like /mnt/nas, separated by commas');
    },
    sentence:
      'Folders from which editors may collect files into datasets (connectors local-folder and sqlite), such as a mounted NAS; unset: none.',
  }),

  modelReplyRetentionDays: integer('TILTH_MODEL_REPLY_RETENTION_DAYS', 90, {
    section: 'Outgoing calls',
    sentence:
      'Days to keep a model reply after its last use, so that repeating a run costs nothing, and the vectors of a knowledge base after its settings changed; 0: keep all.',
    min: 0,
    max: 36_500,
  }),

  rateLimitPerMinute: integer('TILTH_RATE_LIMIT_PER_MINUTE', 100, {
    section: 'Rate limits',
    sentence:
      'API calls per credential (per address without one) in any 60 seconds; divided evenly among several nodes. 0: no limit.',
    min: 0,
    max: 1_000_000,
  }),
  rateLimitPerHour: integer('TILTH_RATE_LIMIT_PER_HOUR', 1000, {
    section: 'Rate limits',
    sentence:
      'API calls per credential (per address without one) in any 3,600 seconds, divided in the same way; 0: no limit.',
    min: 0,
    max: 1_000_000,
  }),
  cookieRateLimitPerMinute: integer('TILTH_COOKIE_RATE_LIMIT_PER_MINUTE', 1000, {
    section: 'Rate limits',
    sentence:
      'API calls per session of the web application in any 60 seconds, instead of the limits above; 0: no limit.',
    min: 0,
    max: 1_000_000,
  }),
  uploadChunkAllowance: onOff('TILTH_UPLOAD_CHUNK_ALLOWANCE', true, {
    section: 'Rate limits',
    sentence:
      'Whether the first totalFileNum + 2 × ceil(totalSize / 1 MiB) chunk calls of an upload do not count towards the limits.',
  }),
  hubFileAllowance: onOff('TILTH_HUB_FILE_ALLOWANCE', true, {
    section: 'Rate limits',
    sentence:
      'Whether the first 4 × files + 4 × ceil(bytes / 1 MiB) calls in an hour for the files of a version, by a client of the Hugging Face Hub with one credential, do not count towards the limits.',
  }),
} as const;
