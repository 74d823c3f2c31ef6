const exitText = `Exit code: 0 done; 1 done, but files failed or the run did; 2 called wrongly or not signed in; 3 refused by the service; 4 the service
can not be reached, the same command continues; 130 Ctrl-C.
`;

const jsonText = '  --json           Print one JSON document on standard output, no progress\n';

export const cliUsage = `Usage: npm start -- cli COMMAND

Works with a Tilth service from a terminal or a script, on this machine or another one. Commands:

  login URL        Sign in with an API key
  ls [DATASET]     List the datasets, or the files of one
  upload …         Send files and folders to a dataset
  download …       Get the files of a dataset
  clean …          Clean a dataset with a template
  follow RUN       Follow a run until it ends
  logout           Forget the API key

COMMAND --help explains each. A dataset is named by its id or its name.

The environment variables TILTH_URL and TILTH_API_KEY take the place of a login. The rate limit of the service is waited for.
${exitText}`;

export const cliUsages: Readonly<Record<string, string>> = {
  login: `Usage: npm start -- cli login URL

Asks for an API key (made on the page API keys of the service; role EDITOR for uploads and cleaning, VIEWER for all else), tries it, and
stores it with the address in the folder tilth of your configuration (~/.config/tilth), readable by you alone. The key is read from the
environment variable TILTH_API_KEY or from standard input, never from the command line, which others can see.

${jsonText}
${exitText}`,
  logout: `Usage: npm start -- cli logout

Removes the stored address and API key. The key itself stays valid until it is deleted on the page API keys.

${jsonText}
${exitText}`,
  ls: `Usage: npm start -- cli ls [DATASET] [--version N] [--prefix FOLDER]

Lists the datasets, or the files of one. In a pipe: one line each with tabs between the values, sizes in bytes.

  --version N      The files of this version (default: the current one)
  --prefix FOLDER  Only the files below this folder
${jsonText}
${exitText}`,
  upload: `Usage: npm start -- cli upload DIR|FILE… --dataset DATASET [--create] [--prefix FOLDER]

Sends the files of folders, by their paths below them, and single files. Files that the dataset has with the same content are skipped;
those with another content are replaced, older versions keep theirs. All chunks are sent with their checksums. Symbolic links are not followed.
After Ctrl-C, a crash or a lost connection the same command continues where it was; if a file has changed since, what is complete is kept
and the rest sent anew. At the end: files sent = stored + skipped + failed, each with its reason.

  --dataset DATASET  The dataset that the files go to
  --create           Make a dataset of that name if there is none
  --prefix FOLDER    The folder of the dataset that they go to
${jsonText}
${exitText}`,
  download: `Usage: npm start -- cli download DATASET DIR [--version N] [--prefix FOLDER] [--overwrite]

Gets the files of one version of a dataset into DIR and compares them with their checksums. Files that are there with the same content are
skipped. After an interruption the same command continues, also within files (their parts are in DIR/.tilth-download).

  --version N      This version (default: the current one)
  --prefix FOLDER  Only the files below this folder
  --overwrite      Replace files in DIR that have another content; without it they fail and stay
${jsonText}
${exitText}`,
  clean: `Usage: npm start -- cli clean --template TEMPLATE --dataset DATASET [--name NAME] [--target NAME] [--follow]

Makes a cleaning task of a template, by its id or name, and starts it. The result is a new dataset.

  --name NAME      Name of the task
  --target NAME    Name of the new dataset
  --follow         Follow the run until it ends
${jsonText}
${exitText}`,
  follow: `Usage: npm start -- cli follow RUN

Shows the progress of a run, of any area, until it ends. Ctrl-C ends the following, not the run. Exit code 0 if it is COMPLETED, single inputs may
have failed; 1 if it is FAILED or STOPPED.

${jsonText}
${exitText}`,
};
