export type { SecretPlace } from './encryption.ts';
export { rotateKeys, RotationError, type Rotation } from './key-rotation.ts';
export { createSettingKeyRing, KeyFileError, openFileKeyRing, secretsKeyFile, type KeyRing } from './key-ring.ts';
export { isUnmistakable, redact, redactAll } from './redaction.ts';
export { createSecrets, ForeignKeyError, nameOf, type Secrets } from './secrets.ts';
