import { defineSentences } from '../sentence-catalogue.ts';

/** The log of a run, and why it failed. */
export const runSentences = defineSentences('runs', {
  STARTED: 'Started',
  WENT_ON: 'Going on from the last checkpoint',
  COMPLETED: 'Completed',
  STOPPED: 'Stopped',
  RUN_STRANDED:
    'Waiting: its work lies in a data folder that no running service uses. Start a service on that folder, or stop the run and execute the task again',
  EXECUTED_BY_SCHEDULE: 'Executed by its schedule of {time}',
  SCHEDULE_CAME_MEANWHILE: "The schedule's time {time} came while this run was going on, and was left out",
  SCHEDULE_LEFT_OUT: 'The run of {time} was left out: {why}',
  STILL_GOING_ON: 'the one before was still going on',
  PUBLISHED_STEP:
    'Step {step}, {operator} {version}: published code with the digest {digest}, in the lane {lane} of the sandbox',
  MODEL_FAILS_ON:
    '{times} calls of models in a row failed; the last one: {why}. Nothing is lost: resume the run when the model works again',
  MODEL_USED: 'Model {model}: {calls} {calls|call|calls}, {input} tokens of questions, {output} tokens of replies',
  MODEL_USED_FOR:
    'Model {model}: {calls} {calls|call|calls}, {input} tokens of questions, {output} tokens of replies, for {cost}',
  REPLIES_STORED: 'Step {step}: {count} {count|question was|questions were} answered by stored replies, at no cost',
  REPLIES_UNUSABLE:
    'Step {step}: {count} {count|reply|replies} of the model could not be used; a new run asks again for their samples',
  PREVIEW_ASKED_ENOUGH: 'a preview makes at most {limit} model calls',
  REPLY_NOT_STORED: 'the reply of the model is not stored, and viewing a sample makes no model calls',
  PLANNED: 'Planned {shards} {shards|shard|shards} over {bytes} {bytes|byte|bytes}',
  NO_INPUT:
    'No file is input: the dataset is empty, or no file matches the prefix, the types and the exclusions of the task',
  ARROW_AS_JSON_LINES:
    'The rows of Arrow files are written as JSON Lines, in files named .jsonl behind their extension: {files} {files|file|files}',
  BZIP2_AS_GZIP:
    'What was compressed as bzip2 is written as gzip, because no maintained library writes bzip2: {files} {files|file|files}',
  STEP_COMPARED: 'Step {step}, {operator}, compared {samples} {samples|sample|samples} and leaves {dropped} out',
  REFERENCE_READ: 'Step {step}, {operator}, compares with {samples} {samples|sample|samples} of {dataset}',
  REFERENCE_UNREAD:
    'Step {step}, {operator}: {unread} of {samples} {samples|sample|samples} of {dataset} can not be read and {unread|is|are} not compared with',
  REFERENCE_SAMPLE_UNREAD: '{dataset}, {place}, can not be read: {why}',
  REFERENCE_NOTE: 'While {dataset} was read: {note}',
  REFERENCE_SKIPPED:
    'Step {step}, {operator}: {files} {files|file|files} of {dataset} {files|is|are} not text and not compared with',
  REFERENCE_EMPTY:
    'Step {step}, {operator}, can not compare with {dataset}: it holds no samples, or no file is in the folder that the step names',
  REFERENCE_UNREADABLE:
    'Step {step}, {operator}, can not compare with {dataset}: none of its {samples} {samples|sample|samples} can be read ({why})',
  REFERENCE_DELETED: 'The dataset {id}, which a step compares with, was deleted',
  REFERENCES_TOO_LARGE:
    'The datasets that the step compares with have more than {limit} different runs of words; name fewer datasets or a folder of them',
  STEP_COULD_NOT_COMPARE: 'Step {step} could not compare the samples: {why}',
  TOO_MANY_FOLDERS:
    '{column} has more than {limit} values: files can not have a folder for each; choose another column',
  STEP_NOTE: 'Step {step}, {operator}: {note}',
  SHARD_NOTE: 'Shard {shard}: {note}',
  DUPLICATES_CROWDED:
    '{times} {times|time|times} a sample was not remembered for comparison, as {limit} with other signatures and the same key were; some of its duplicates may stay',
  WORKER_LOST: 'A worker was lost at sample {sample} of its shard: {why}',
  WORKERS_LOST: 'Workers were lost again and again over {files}: {why}',
  DRAWING_SAMPLES: 'drawing samples: {why}',
  READING_SAMPLE: 'reading the sample: {why}',
  READING_OR_STEPS: 'reading the sample or one of its steps: {why}',
  PROCESS_LOST: 'the process of its worker was lost ({why})',
  STORE_AWAY: 'Waiting for the object store: {why}',
  DATABASE_AWAY: 'The database was away, so that the run could not go on',
  PROCESS_ENDED:
    'The service ended without notice {times} times while this run was under way; look into its log and at the input, then resume the run',
  PROCESS_ENDED_AT:
    'The service ended without notice {times} times while this run was under way, last at {position}; look into its log and at that input, then resume the run',
  AT_COMPARISON: 'the comparison of step {step}',
  AT_REFERENCE_SHARD: 'shard {shard} ({paths}) of another dataset',
  AT_SHARD: 'shard {shard} ({paths})',
  LEASE_EXPIRED:
    'The process that drove the run has not been heard of for the time of its lease; another one drives it now',
  CLUSTER_AWAY: 'Waiting for the cluster, which can not be reached: {why}',
  CLUSTER_REFUSES: 'Waiting for the cluster, which refuses to drive the run: {why}',
  CLUSTER_NO_ANSWER: 'no answer within {seconds} s',
  CLUSTER_WITHOUT_JOBS: 'it has no API of jobs: 404',
  CLUSTER_NO_JSON: 'its answer is no JSON; is this the address of the head?',
  CLUSTER_ACCEPTED: 'The cluster has accepted the run',
  CLUSTER_KNOWS_NO_JOB: 'the cluster knows nothing of its job, as after a restart of its head',
  DRIVER_FAILED: 'The job of the run on the cluster ended before it began to work: {why}',
  DRIVER_LOST: 'The driver of the run on the cluster was lost; another one goes on from the last checkpoint: {why}',
  WORK_LOST: 'Work was lost on the cluster and is done again: {what}: {why}',
  WORK_PUT_OFF: 'Work could not be done on the cluster yet and is tried again: {what}: {why}',
  ON_NODE: '{why} (on the node {node} of the cluster)',
  NO_DISK_SPACE: '{why}; free some space there and resume the run',
  NO_ROOM_IN_CLUSTER:
    'Waiting for a node of the cluster with room for the work, which takes {cpus} CPU, {memory} MiB of memory and {gpus} GPU',
  CLUSTER_SILENT:
    'Nothing has come back from the cluster for {seconds} s: the work may take long, nodes may be at other work, or a worker may hang',
  WAITS_FOR_WORKER: 'A worker: other runs have them all',
  WAITS_FOR_TURN: 'Its turn: the service has not begun with it',
  AT_WORK: 'At work: phase {phase}, {samples} {samples|sample|samples} in it, {progress} % in all',
  WAITING: 'Waits for: {what}',
  CLUSTER_WORKS: 'The cluster works on the run again',
  HANDED_OVER: 'A driver for it is started on the cluster',
  WORK_GIVEN_UP: 'Work was lost on the cluster {times} times and is not tried again: {what}: {why}',
  NODES_LOST: 'Nodes of the cluster were lost {times} times over the same work: {why}',
  BYTES_MOVED: 'Stored bytes were moved again and again while they were read; resume the run',
  OTHER_RELEASE: 'The workers of the cluster are of another release than the service: update them together',
  OPERATOR_OVER_MEMORY: '{operator}: it needed more than {limit} MiB of memory',
  OPERATOR_OVER_TIME: '{operator}: it did not finish within {seconds} s',
  OPERATOR_OVER_CPU_TIME: '{operator}: it did not finish within {seconds} s of CPU time',
  OPERATOR_THREAD_ENDED: '{operator}: its thread ended with code {exitCode}',
  OPERATOR_PROCESS_SILENT: '{operator}: its process gave no sign of life for {seconds} s',
  OPERATOR_PROCESS_ENDED: '{operator}: its process ended with {how}',
  OVER_MEMORY: 'it needed more than {limit} MiB of memory',
  OVER_TIME: 'it did not finish within {seconds} s',
  OVER_CPU_TIME: 'it did not finish within {seconds} s of CPU time',
  THREAD_ENDED: 'its thread ended with code {exitCode}',
  WORKER_PROCESS_SILENT: 'its process gave no sign of life for {seconds} s',
  WORKER_PROCESS_ENDED: 'its process ended with {how}',
  THREAD_NOT_STARTED: 'its thread did not start',
  RENAMED_RESULTS:
    '{count} {count|result was renamed, because another result has its name|results were renamed, because other results have their names}: {renames}',
  NO_OPERATOR: 'There is no operator {operator}',
  OTHER_VERSION: 'The run wants {operator} {wanted}, this service has {installed}',
  OPERATOR_UNDECLARED: 'The operator wrote {part}, which it does not declare',
  OPERATOR_OTHER_KIND: 'The operator answered with {part} of another kind',
  OPERATOR_NO_ANSWER: 'The operator answered with neither a sample nor a verdict',
  TASK_DELETED: 'The task was deleted',
  SOURCE_DELETED: 'The source dataset was deleted',
  TARGET_DELETED: 'The target dataset was deleted',
  FORMER_NOT_OF_TASK: 'it is not a run of this task',
  FORMER_NOT_COMPLETED: 'it is {status}, not COMPLETED',
  FORMER_SUPERSEDED: 'run {number} completed later, and the target contains its result',
  FORMER_NOTHING_FAILED: 'none of its samples failed',
  FORMER_OTHER_SOURCE: 'the task now reads another dataset',
  FORMER_OTHER_TARGET: 'its target was deleted or is no longer the target of the task',
  FORMER_KEPT: 'onError was KEEP, so the target already contains its failed samples',
  FORMER_DELETED: 'The run whose failed samples are to be processed was deleted',
  FORMER_TOO_OLD:
    'The run was made by an earlier version, which did not record where its failed rows are; execute the task over all of its input',
  FORMER_FILES_GONE:
    'The source no longer has all files in which samples failed (file {file}); execute the task over all of its input',
  FORMER_ROWS_MOVED:
    '{path}: {missing} of {all} failed rows do not begin where they did in the run before, perhaps because input.encoding was changed; execute the task over all of its input',
  FORMER_NO_TABLE: "{path} can't be read as a table any more: {why}; correct the task's input",
  COMPARED_ALONE:
    'Steps over the whole set compare the failed samples with each other only, not with the samples that the target holds',
  FILE_UNREADABLE: "{path} can't be read: {why}",
  FILE_UNWRITABLE: "{path} can't be written: {why}",
  TYPES_NOT_KEPT:
    'Types of columns that {format} rows do not keep, in {files} {files|file|files} with {rows} {rows|row|rows}, the first of which is {path}: {changes}',
  LONG_NUMBERS_ROUNDED:
    'Whole numbers beyond 9007199254740991 became floating-point numbers, which may have other digits: their columns hold numbers of more than 64 bits or fractions; values by column: {counts}',
  NON_FINITE_AS_NULL: 'NaN and infinities, which JSON lacks, became null; values by column: {columns}',
  TYPES_LOST: '{path}: the Parquet writer lacks types of its columns: {changes}',
  NOT_JOINED: '{path} was not joined',
  PROFILE_DOES_NOT_RECONCILE: 'The profile does not reconcile: {done} of {shards} shards, {samples} samples',
  UNLIKE_TYPES: 'Columns that hold values of unlike types, or have them inside, hold these as JSON text: {columns}',
  NOT_PARQUET: "The result can't be written as Parquet: {why}; choose JSON Lines as the output",
  COLUMN_WITHOUT_NAME: 'a column has no name',
  COLUMNS_DIFFER_IN_CASE: 'the columns {other} and {column} differ only in case',
  PARQUET_ROWS_DIFFER: '{rows} rows were written as Parquet, {expected} expected',
  COLUMNS_ADDED: '{path}: columns added to the Parquet file: {columns}',
  COLUMNS_OF_ONE_NAME:
    '{path}: the steps wrote columns that are one to readers of Parquet, which do not tell upper from lower case: {columns}; name them alike',
  ROWS_DIFFER: '{path}: {rows} rows were written, {expected} expected',
  SAMPLES_DIFFER:
    '{paths}: {found} samples where there were {known} when the run began: the stored bytes were damaged or mended since; start a new run',
  INPUT_PURGED: '{paths}: erased from all versions by a purge after the run began; start a new run',
  RUN_DOES_NOT_RECONCILE: 'The run does not reconcile and nothing of it was written; it does not hold that: {what}',
  RUN_STORAGE_FULL: 'The storage is full; free some space and resume the run',
  RUN_BROKE: "The service failed while it worked on this run; its log has the cause under the run's id",
  OTHER_REASONS: 'other reasons',
});
