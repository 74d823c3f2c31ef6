import { parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';

export const secretsUsage = `Usage: node server/main.ts secrets rotate [--discard-unreadable]

Encrypts all stored secrets (API keys of models) with a new key and forgets the old one. Runs beside the service or while it is
stopped; interrupted, the next call goes on. The settings say which data folder or database is meant (TILTH_DATA_DIR,
TILTH_DATABASE_URL).

Without TILTH_SECRETS_KEY the new key is generated into the file secrets.key of the data folder. With it, put the new key first
(TILTH_SECRETS_KEY=NEW,OLD), start the service again, rotate, then leave the old one out.

  --discard-unreadable   Delete values that no known key decrypts; without it they keep anything from being changed
`;

export type SecretsCommand = { discardUnreadable: boolean };

/** Understands what follows `secrets`. */
export function parseSecretsCommand([command = '', ...args]: readonly string[]): SecretsCommand {
  if (command !== 'rotate')
    throw new CommandError(`there is no command secrets ${command}; secrets --help lists them`, 2);
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
