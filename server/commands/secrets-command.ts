import { parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';

export const secretsUsage = `Usage: npm start -- secrets rotate [--discard-unreadable]

Encrypts all stored secrets (API keys of models) with a new key and drops the old one. The service may be running or stopped. If
interrupted, run the command again. The settings TILTH_DATA_DIR and TILTH_DATABASE_URL name the data folder or database.

Without TILTH_SECRETS_KEY, the new key is generated in the file secrets.key of the data folder. With it, put the new key first
(TILTH_SECRETS_KEY=NEW,OLD), restart the service, rotate, then remove the old key.

  --discard-unreadable   Delete values that no known key can decrypt; without this option, such a value stops the rotation
`;

export type SecretsCommand = { discardUnreadable: boolean };

/** Parses the arguments of `secrets`. */
export function parseSecretsCommand([command = '', ...args]: readonly string[]): SecretsCommand {
  if (command !== 'rotate')
    throw new CommandError(`unknown command secrets ${command}; secrets --help lists the commands`, 2);
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { 'discard-unreadable': { type: 'boolean', default: false } },
    });
    return { discardUnreadable: values['discard-unreadable'] };
  } catch (error) {
    throw new CommandError(`${(error as Error).message}; see secrets --help`, 2, { cause: error });
  }
}
