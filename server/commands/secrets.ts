import { rotateStoredSecrets } from '../stored-data.ts';
import type { Config } from '../config.ts';
import { nameOf, RotationError } from '../secrets/index.ts';
import { CommandError } from './command-error.ts';
import type { SecretsCommand } from './secrets-command.ts';
import { toCommandError } from './start-problem.ts';

/** `secrets rotate`: encrypts stored values with another key. */
export async function rotateSecretsKey(command: SecretsCommand, config: Config): Promise<void> {
  try {
    const rotation = await rotateStoredSecrets(config, command);
    const lines = [
      ...(rotation.resumed ? ['An earlier rotation was interrupted; this one finished it.'] : []),
      ...rotation.discarded.map((place) => `discarded ${nameOf(place)}`),
      `${rotation.encrypted} secrets were encrypted with key ${rotation.keyId}`,
      ...(rotation.oldKeysConfigured ? ['TILTH_SECRETS_KEY no longer needs its older keys'] : []),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  } catch (error) {
    if (!(error instanceof RotationError)) throw toCommandError(config, error);
    const places = error.unreadable.map((place) => `\n  ${nameOf(place)}`).join('');
    throw new CommandError(`${error.message}${places}`, 1, { cause: error });
  }
}
