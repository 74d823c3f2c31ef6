const exitText = `Exit code: 0 done; 1 done, but files or the run failed; 2 wrong usage or not signed in; 3 refused by the service; 4 the service
cannot be reached, run the same command to resume; 130 Ctrl-C.
`;

const jsonText = '  --json           Print one JSON document on standard output, no progress\n';

export const cliUsage = `Usage: npm start -- cli COMMAND

Works with a local or remote Tilth service from a terminal or a script. Commands:

  login URL        Sign in with an API key
  ls [DATASET]     List the datasets, or the files of one
  upload …         Send files and folders to a dataset
  download …       Get the files of a dataset
  clean …          Clean a dataset with a template
  follow RUN       Follow a run until it ends
  logout           Forget the API key

COMMAND --help explains each. DATASET is the id or the name of a dataset.

The environment variables TILTH_URL and TILTH_API_KEY replace a login. When a rate limit is reached, the command waits and retries.
${exitText}`;

export const cliUsages: Readonly<Record<string, string>> = {
  login: `Usage: npm start -- cli login URL

Asks for an API key (created on the page API keys of the service; role EDITOR for uploads and cleaning, otherwise VIEWER), tries it, and
stores it with the address in the folder tilth of your configuration (~/.config/tilth), readable by you alone. The key is read from the
environment variable TILTH_API_KEY or from standard input, never from the command line, which others can see.

${jsonText}
${exitText}`,
  logout: `Usage: npm start -- cli logout

Removes the stored address and API key. The key itself stays valid until it is deleted on the page API keys.

${jsonText}
${exitText}`,
  ls: `Usage: npm start -- cli ls [DATASET] [--version N] [--prefix FOLDER]

Lists the datasets, or the files of one. In a pipe: one line each with tab-separated values and sizes in bytes.

  --version N      The files of this version (default: the current one)
  --prefix FOLDER  Only the files below this folder
${jsonText}
${exitText}`,
  upload: `Usage: npm start -- cli upload DIR|FILE… --dataset DATASET [--create] [--prefix FOLDER]

Uploads single files and the files of folders, with their relative paths. Files that the dataset already has with the same content are
skipped; files with different content are replaced, and older versions keep theirs. All chunks are sent with checksums. Symbolic links are
not followed. After Ctrl-C, a crash or a lost connection, run the same command to resume; if a file has changed since, complete files are
kept and the rest is sent again. At the end: files sent = stored + skipped + failed, each with its reason.

  --dataset DATASET  The dataset to upload to
  --create           Create a dataset with this name if there is none
  --prefix FOLDER    The folder of the dataset to upload to
${jsonText}
${exitText}`,
  download: `Usage: npm start -- cli download DATASET DIR [--version N] [--prefix FOLDER] [--overwrite]

Downloads the files of one version of a dataset into DIR and compares them with their checksums. Files that DIR already has with the same
content are skipped. After an interruption, run the same command to resume, even within files (parts are kept in DIR/.tilth-download).

  --version N      This version (default: the current one)
  --prefix FOLDER  Only the files below this folder
  --overwrite      Replace files in DIR that have different content; without it, they fail and are left unchanged
${jsonText}
${exitText}`,
  clean: `Usage: npm start -- cli clean --template TEMPLATE --dataset DATASET [--name NAME] [--target NAME] [--follow]

Creates a cleaning task from a template, given by id or name, and starts it. The result is a new dataset.

  --name NAME      Name of the task
  --target NAME    Name of the new dataset
  --follow         Follow the run until it ends
${jsonText}
${exitText}`,
  follow: `Usage: npm start -- cli follow RUN

Shows the progress of a run of any area until it ends. Ctrl-C stops following, not the run. Exit code 0 if it is COMPLETED, even if single
inputs failed; 1 if it is FAILED or STOPPED.

${jsonText}
${exitText}`,
};
