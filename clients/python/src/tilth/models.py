# Made from the OpenAPI document by `npm run docs`; do not edit.
"""The types of what the API takes and answers; fields have the names that they have in JSON."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

ArchiveFormat = Literal["tar", "zip"]
ArchiveStatus = Literal["PROCESSING", "UNPACKED", "ERROR", "NOT_AN_ARCHIVE"]
ChunkingStrategy = Literal["RECURSIVE", "FIXED", "SENTENCE", "MARKDOWN", "PARAGRAPH", "CUSTOM_SEPARATOR"]
ChunkingUnit = Literal["CHARACTERS", "TOKENS"]
CleaningTemplateSort = Literal["name,asc", "name,desc", "createdAt,asc", "createdAt,desc", "updatedAt,asc", "updatedAt,desc"]
ClusterState = Literal["NONE", "REACHABLE", "AWAY", "REFUSING"]
CollectionConflictPolicy = Literal["REPLACE", "RENAME", "ERROR"]
CollectionVerdict = Literal["KEPT", "DROPPED", "FAILED"]
ComparedVerdict = Literal["KEPT", "CHANGED", "DROPPED", "FAILED", "SKIPPED"]
Compression = Literal["gzip", "zstd", "bzip2"]
ConditionOperator = Literal["EQ", "NE", "IN", "LT", "LE", "GT", "GE", "EXISTS", "CONTAINS"]
ConflictPolicy = Literal["REPLACE", "RENAME", "ERROR"]
ContentKind = Literal["TABLE", "TEXT", "DOCUMENT", "IMAGE", "OTHER"]
ContentStatisticsState = Literal["COUNTING", "READY"]
Croissant = Dict[str, Any]
DatasetFileSort = Literal["filePath,asc", "filePath,desc", "fileSize,asc", "fileSize,desc", "fileType,asc", "fileType,desc", "status,asc", "status,desc", "uploadTime,asc", "uploadTime,desc", "updatedAt,asc", "updatedAt,desc"]
DatasetSort = Literal["name,asc", "name,desc", "createdAt,asc", "createdAt,desc", "updatedAt,asc", "updatedAt,desc", "fileCount,asc", "fileCount,desc", "totalSize,asc", "totalSize,desc"]
DatasetStatus = Literal["DRAFT", "ACTIVE", "INACTIVE", "PROCESSING", "ARCHIVED", "PUBLISHED", "DEPRECATED"]
DatasetTypeCode = Literal["TEXT", "IMAGE", "AUDIO", "VIDEO", "MULTIMODAL"]
DatasetTypeOfTarget = Literal["TEXT", "IMAGE", "AUDIO", "VIDEO", "MULTIMODAL"]
DatasetVersionSort = Literal["version,asc", "version,desc"]
DelimitedLineEnd = Literal["\n", "\r"]
DiskState = Literal["LOW", "FULL"]
EncodingCertainty = Literal["CERTAIN", "LIKELY", "UNSURE", "GIVEN"]
EvaluatedIndex = Literal["CURRENT", "NEXT"]
FileIndexState = Literal["READY", "BUILDING"]
FilePreviewForm = Literal["JSONL", "CSV", "TSV", "TEXT"]
FileSearchIndexState = Literal["READY", "BUILDING", "NONE"]
FileStatus = Literal["COMPLETED", "PROCESSING", "ERROR"]
ImageAspect = Literal["TALL", "PORTRAIT", "SQUARE", "LANDSCAPE", "WIDE"]
InputKind = Literal["TABLE", "TEXT", "DOCUMENT", "MEDIA", "COMPRESSED", "UNSUPPORTED"]
KeptMethod = Literal["COUNTED", "PREDICTION_INTERVAL"]
KnowledgeBaseSort = Literal["name,asc", "name,desc", "createdAt,asc", "createdAt,desc"]
KnowledgeBaseStatus = Literal["READY", "BUILDING"]
LineageDirection = Literal["BOTH", "UP", "DOWN"]
LineageEdgeKind = Literal["READ", "COMPARED", "WROTE", "USED", "INDEXED", "BECAME"]
LineageNodeKind = Literal["DATASET_VERSION", "RUN", "QUERY", "OPERATOR", "MODEL", "TEMPLATE", "CONNECTOR", "KNOWLEDGE_BASE"]
LineageRootKind = Literal["OPERATOR", "MODEL", "KNOWLEDGE_BASE"]
LogLevel = Literal["INFO", "WARN", "ERROR"]
MeasureScale = Literal["COUNT", "SHARE", "VALUE"]
MeasuredSamples = Literal["DOCUMENTS", "PICTURES"]
ModelKind = Literal["CHAT", "EMBEDDING", "RERANKER"]
ModelProvider = Literal["openai-compatible", "builtin"]
NodeState = Literal["STARTING", "SERVING", "DRAINING", "SILENT"]
OnError = Literal["SET_ASIDE", "KEEP", "DROP"]
OperatorKind = Literal["MAPPER", "FILTER", "DEDUPLICATOR", "SPLITTER", "SELECTOR"]
OperatorModality = Literal["TEXT", "IMAGE", "AUDIO", "VIDEO", "ANY"]
OperatorSort = Literal["name,asc", "name,desc", "id,asc", "id,desc", "rating,asc", "rating,desc", "usageCount,asc", "usageCount,desc", "speed,asc", "speed,desc", "createdAt,asc", "createdAt,desc"]
OperatorSource = Literal["BUILT_IN", "PUBLISHED"]
OperatorStatus = Literal["PUBLISHED", "APPROVED", "DISABLED"]
OutputFormat = Literal["SOURCE", "PARQUET", "JSONL", "JSONL_ZST"]
PackageCheckName = Literal["ARCHIVE", "MANIFEST", "FILES", "SIGNATURE", "NUMBER", "EXAMPLES", "FACTS"]
PackageCheckState = Literal["PASSED", "REFUSED", "NOT_REACHED"]
PageKind = Literal["page", "slide", "sheet"]
QueryConflictPolicy = Literal["REPLACE", "RENAME", "ERROR"]
QueryFormat = Literal["CSV", "JSONL", "PARQUET"]
RagDocumentRebuildStatus = Literal["PENDING", "COMPLETED", "FAILED"]
RagDocumentSort = Literal["name,asc", "name,desc", "fileSize,asc", "fileSize,desc", "status,asc", "status,desc", "chunkCount,asc", "chunkCount,desc", "createdAt,asc", "createdAt,desc"]
RagDocumentStatus = Literal["PENDING", "PROCESSING", "COMPLETED", "PARTIAL", "FAILED"]
ReadinessStatus = Literal["ready", "degraded"]
RebuildStatus = Literal["BUILDING", "READY", "FAILED"]
RebuildSwitch = Literal["AUTOMATIC", "MANUAL"]
ReplyMending = Literal["CODE_FENCE", "TEXT_AROUND", "TRAILING_COMMA", "COMMENT", "LINE_END_IN_STRING", "QUOTES", "SYNTAX", "LIST_OF_ONE", "JSON_IN_STRING"]
Role = Literal["VIEWER", "EDITOR", "ADMIN"]
RowChangeKind = Literal["ADDED", "REMOVED", "CHANGED"]
RunSort = Literal["createdAt,asc", "createdAt,desc"]
RunStatus = Literal["QUEUED", "RUNNING", "COMPLETED", "FAILED", "STOPPED"]
SamplePart = Literal["text", "fields", "columns", "messages", "media", "scores"]
SandboxLane = Literal["SAFE", "FAST"]
SearchMode = Literal["HYBRID", "VECTOR", "KEYWORD"]
SentenceParams = Dict[str, Any]
SettableDatasetStatus = Literal["DRAFT", "ACTIVE", "INACTIVE", "ARCHIVED", "PUBLISHED", "DEPRECATED"]
SyncMode = Literal["ONCE", "SCHEDULED"]
SynthesisCodeLanguage = Literal["JSON", "JAVASCRIPT", "TYPESCRIPT", "PYTHON"]
SynthesisColumnKind = Literal["SAMPLER", "EXPRESSION", "MODEL", "JUDGE", "VALIDATOR"]
SynthesisForecastBasis = Literal["PRESET", "EXPERIENCE"]
SynthesisFormat = Literal["RAW", "ALPACA", "SHAREGPT", "MESSAGES"]
SynthesisReview = Literal["ACCEPTED", "REJECTED"]
SynthesisReviewFilter = Literal["ACCEPTED", "REJECTED", "NONE"]
SynthesisRole = Literal["system", "user", "assistant"]
SynthesisSampler = Literal["CATEGORY", "NUMBER", "DATE", "ROW"]
SynthesisTemplateLanguage = Literal["en", "zh"]
SynthesisTemplateSort = Literal["name,asc", "name,desc", "createdAt,asc", "createdAt,desc", "updatedAt,asc", "updatedAt,desc"]
SynthesisTemplateType = Literal["QA_PAIRS", "INSTRUCTION", "COT", "DIALOGUE", "AUGMENTATION", "CLASSIFICATION", "PREFERENCE", "CUSTOM"]
SynthesisVerdict = Literal["KEPT", "DROPPED", "FAILED"]
TableQuotes = Literal["DOUBLED", "BACKSLASH", "NONE"]
TaskSort = Literal["name,asc", "name,desc", "createdAt,asc", "createdAt,desc", "updatedAt,asc", "updatedAt,desc"]
TaskStatus = Literal["PENDING", "RUNNING", "COMPLETED", "FAILED", "STOPPED"]
ThresholdDirection = Literal["min", "max"]
TrialVerdict = Literal["KEPT", "CHANGED", "DROPPED", "FAILED"]
UnpackPlace = Literal["PREFIX", "FOLDER"]
Verdict = Literal["KEPT", "CHANGED", "DROPPED", "FAILED", "SKIPPED"]
VersionFileChangeKind = Literal["ADDED", "CHANGED", "MOVED", "REMOVED"]


class ApiKey(TypedDict):
    id: str
    name: str
    # First characters of the key
    prefix: str
    # Null: the role of the owner
    role: Optional[Role]
    expiresAt: Optional[str]
    createdAt: str


class ArchiveAnswer(TypedDict):
    # Entries stored
    files: int
    bytes: int
    # Entries not stored
    failed: int
    # The first entries not stored, with reasons
    failures: List[Refusal]
    # Entries that replaced a file; older versions keep its content
    replaced: int
    # The first 100: paths of replaced files
    replacedPaths: List[str]
    # Entries renamed because their name was in use
    renamed: int
    # The first 100
    renames: List[RenamedEntry]
    # Entries overwritten by a later entry of the same path; not counted in files
    overwritten: int
    # The first 100: paths that came more than once
    overwrittenPaths: List[str]
    # Empty folders created; not counted in files
    folders: int
    # Encoding used for names that are not declared as Unicode; null if there are none
    nameEncoding: Optional[str]
    # Entries whose names were decoded with a guessed encoding; set nameEncoding if they are wrong
    guessedNames: int
    # Inconsistencies of the archive that did not prevent reading its entries
    warnings: List[str]
    # Code and values of each of `warnings`, in the same order
    warningSentences: List[Optional[Sentence]]


class ArchiveReceipt(TypedDict):
    fileNo: int
    filePath: str
    status: ArchiveStatus
    # Entries stored
    files: int
    bytes: int
    # Entries not stored
    refused: int
    # The first entries not stored, with reasons
    refusals: List[Refusal]
    # Entries that replaced a file; older versions keep its content
    replaced: int
    # The first 100: paths of replaced files
    replacedPaths: List[str]
    # Entries renamed because their name was in use
    renamed: int
    # The first 100
    renames: List[RenamedEntry]
    # Entries overwritten by a later entry of the same path; not counted in files
    overwritten: int
    # The first 100: paths that came more than once
    overwrittenPaths: List[str]
    # Empty folders created; not counted in files
    folders: int
    # Encoding used for names that are not declared as Unicode; null if there are none
    nameEncoding: Optional[str]
    # Entries whose names were decoded with a guessed encoding; set nameEncoding if they are wrong
    guessedNames: int
    # Inconsistencies of the archive that did not prevent reading its entries
    warnings: List[str]
    # Code and values of each of `warnings`, in the same order
    warningSentences: List[Optional[Sentence]]
    error: Optional[str]
    # Code of `error`, listed in docs/errors.md; null for texts without a code
    errorCode: Optional[str]
    errorParams: Optional[SentenceParams]


class _ChunkAnswerRequired(TypedDict):
    # Opaque ID
    reqId: str
    fileNo: int
    fileName: str
    chunkNo: int
    totalChunkNum: int
    # Received chunks of this file, including this one
    receivedChunks: int
    fileCompleted: bool
    # All announced files are complete
    uploadCompleted: bool


class ChunkAnswer(_ChunkAnswerRequired, total=False):
    file: DatasetFile
    warnings: List[str]


class _ChunkFormRequired(TypedDict):
    # Request ID returned by pre-upload
    reqId: str
    # Number of the file within the upload
    fileNo: int
    # Name or relative path of the file
    fileName: str
    # Number of chunks of the file
    totalChunkNum: int
    # Current chunk, starting from 1
    chunkNo: int
    # Bytes of the chunk, at most 64 MiB
    file: bytes


class ChunkForm(_ChunkFormRequired, total=False):
    # Checksum of the chunk: CRC-32, MD5, SHA-1 or SHA-256 by its length (8, 32, 40, 64)
    checkSumHex: str


class _ChunkingRequired(TypedDict):
    # RECURSIVE: as much as fits, cut between blocks, lines, sentences, words; MARKDOWN: the same within each
    # section; PARAGRAPH: one each; SENTENCE: whole sentences; FIXED: windows of equal size; CUSTOM_SEPARATOR: at
    # `separators`
    strategy: ChunkingStrategy
    # Largest chunk; tables and blocks of code may be up to four times as large
    size: int
    # What a chunk repeats of the one before
    overlap: int
    # Code points, or tokens of o200k_base
    unit: ChunkingUnit


class Chunking(_ChunkingRequired, total=False):
    separators: List[str]


class _ChunkingPreviewRequired(TypedDict):
    chunking: NewChunking


class ChunkingPreview(_ChunkingPreviewRequired, total=False):
    text: str
    # Opaque ID
    documentId: str


class ChunkingPreviewResult(TypedDict):
    chunks: List[PreviewedChunk]
    # Total number; only the first 500 are returned
    totalChunks: int


class Citation(TypedDict):
    # Number used in brackets in the answer
    number: int
    chunkId: str
    # Opaque ID
    documentId: str
    documentName: str
    page: Optional[int]
    start: int
    end: int


class CleaningInput(TypedDict):
    # Folder to read; empty: all
    prefix: str
    # Extensions to read; empty: all
    fileTypes: List[str]
    # Patterns of file paths to exclude
    exclude: List[str]
    # Text column of all tables; null: detected in each table
    textField: Optional[str]
    # Text columns by file path; the first matching rule applies and takes precedence over `textField`
    textFields: List[TextFieldsRule]
    # Conditions that rows must meet to be part of the input
    where: List[RowCondition]
    # Encoding of text files and tables without a byte order mark; null: detected in each file
    encoding: Optional[str]


class CleaningInspection(TypedDict):
    # Source version that was inspected
    sourceVersion: int
    # With several sources, the folder of each; the first source comes first
    folders: List[str]
    # All selected files by type
    fileTypes: List[InputFileType]
    # The first 100 tables of each source, by path
    tables: List[InputTable]
    # Further tables, which were not inspected
    uncheckedTables: int
    # Those of the first 200 texts and documents that cannot be read or whose encoding is a guess
    texts: List[InputText]
    # Further texts and documents, which were not inspected
    uncheckedTexts: int


class _CleaningInspectionRequestRequired(TypedDict):
    # Opaque ID
    sourceDatasetId: str


class CleaningInspectionRequest(_CleaningInspectionRequestRequired, total=False):
    # Default: the current version at the start of each run
    sourceVersion: int
    # With `moreSources`, the folder of the first source, like their `folder`
    sourceFolder: str
    # Further datasets to read, each once. The files of each source, including the first, are then in a separate
    # folder, during the run and in the result: `web/a.jsonl`. Patterns of `input` apply to these paths;
    # `input.prefix` applies to the first source. Set weights by folder in the step `mix-selector`
    moreSources: List[NewCleaningSource]
    input: NewCleaningInput


class CleaningOutput(TypedDict):
    format: OutputFormat
    # Target size of a file; null for SOURCE
    shardBytes: Optional[int]
    # Column whose values become the folders of the rows; null: none
    folderBy: Optional[str]


class CleaningPreview(TypedDict):
    # Source version that was read
    sourceVersion: int
    samples: List[SampleTrace]
    # Effect of each step on these samples. Unreadable samples reach no step; skipped files are not among them
    steps: List[PreviewStepCounts]
    # Other datasets that steps compared these samples with
    compared: List[ComparedDataset]
    asked: ModelsAsked
    drawn: DrawnSamples
    # Files too large to verify in a preview; a run verifies them first
    uncheckedFiles: List[str]


class _CleaningPreviewRequestRequired(TypedDict):
    # Opaque ID
    sourceDatasetId: str


class CleaningPreviewRequest(_CleaningPreviewRequestRequired, total=False):
    # Default: the current version at the start of each run
    sourceVersion: int
    # With `moreSources`, the folder of the first source, like their `folder`
    sourceFolder: str
    # Further datasets to read, each once. The files of each source, including the first, are then in a separate
    # folder, during the run and in the result: `web/a.jsonl`. Patterns of `input` apply to these paths;
    # `input.prefix` applies to the first source. Set weights by folder in the step `mix-selector`
    moreSources: List[NewCleaningSource]
    steps: List[NewCleaningStep]
    # Template to use instead of `steps`
    templateId: str
    input: NewCleaningInput
    # Number of samples to show; at most 100 without `sample`
    limit: int
    sample: PreviewSampling


class CleaningProfile(TypedDict):
    # Source version that was read
    sourceVersion: int
    # Samples that were read, failed ones included
    sampled: int
    # Samples of the input; an estimate if `drawn.isExact` is false
    total: int
    # Samples that could not be read, or that an operator failed on
    failed: int
    # Files and rows that are not part of the input
    skipped: int
    # Texts that were measured; a row may have several
    texts: int
    drawn: DrawnSamples
    # Every score that an installed operator computes for a text, before any step
    scores: List[ProfileScore]
    # Languages of texts, most frequent first
    languages: List[ProfileShare]
    # Samples in text files and tables by the encoding of their file
    encodings: List[ProfileShare]
    duplicates: ProfileDuplicates


class _CleaningProfileRequestRequired(TypedDict):
    # Opaque ID
    sourceDatasetId: str


class CleaningProfileRequest(_CleaningProfileRequestRequired, total=False):
    # Default: the current version at the start of each run
    sourceVersion: int
    # With `moreSources`, the folder of the first source, like their `folder`
    sourceFolder: str
    # Further datasets to read, each once. The files of each source, including the first, are then in a separate
    # folder, during the run and in the result: `web/a.jsonl`. Patterns of `input` apply to these paths;
    # `input.prefix` applies to the first source. Set weights by folder in the step `mix-selector`
    moreSources: List[NewCleaningSource]
    input: NewCleaningInput
    sample: ProfileSampling


class _CleaningProfileRunRequired(TypedDict):
    run: Run
    # Opaque ID
    sourceDatasetId: str
    sourceVersion: int
    input: CleaningInput


class CleaningProfileRun(_CleaningProfileRunRequired, total=False):
    profile: CleaningProfile


class CleaningSource(TypedDict):
    # Opaque ID
    datasetId: str
    datasetName: str
    # Null: the current version at the start of each run
    version: Optional[int]
    # Folder of it to read; empty: all
    prefix: str
    # Folder of its files during the run and in the result
    folder: str


class _CleaningStepRequired(TypedDict):
    operatorId: str
    version: str
    params: Dict[str, Any]


class CleaningStep(_CleaningStepRequired, total=False):
    # For a published operator: SHA-256 of its package
    digest: str


class CleaningTask(TypedDict):
    # Opaque ID
    id: str
    name: str
    description: str
    # When the task runs automatically
    schedule: Optional[Schedule]
    # Status of the latest run; PENDING before the first
    status: TaskStatus
    # 0 to 100
    progress: float
    counts: Counts
    startedAt: Optional[str]
    finishedAt: Optional[str]
    # Why the latest run failed
    error: Optional[str]
    # Code of `error`, listed in docs/errors.md; null for texts without a code
    errorCode: Optional[str]
    errorParams: Optional[SentenceParams]
    lastRunId: Optional[str]
    createdAt: str
    createdBy: str
    updatedAt: str
    updatedBy: str
    # Opaque ID
    sourceDatasetId: str
    sourceDatasetName: str
    # Null: the current version at the start of each run
    sourceVersion: Optional[int]
    # Folder of the files of the source during the run; null if there is only one source
    sourceFolder: Optional[str]
    # Further datasets that a run reads
    moreSources: List[CleaningSource]
    # Null until a run has created the dataset
    targetDatasetId: Optional[str]
    targetDatasetName: str
    steps: List[CleaningStep]
    input: CleaningInput
    onError: OnError
    output: CleaningOutput
    # Steps whose published operator is uninstalled, disabled or deleted; the task cannot be executed until it is
    # available again or the step is changed
    missingOperators: List[MissingOperator]
    warnings: List[str]


class CleaningTaskChanges(TypedDict, total=False):
    name: str
    description: str
    # Runs the task automatically; null removes the schedule. One run makes up for all missed times; times during a
    # run are skipped
    schedule: Optional[NewSchedule]
    # Opaque ID
    sourceDatasetId: str
    # Default: the current version at the start of each run
    sourceVersion: int
    # With `moreSources`, the folder of the first source, like their `folder`
    sourceFolder: str
    # Further datasets to read, each once. The files of each source, including the first, are then in a separate
    # folder, during the run and in the result: `web/a.jsonl`. Patterns of `input` apply to these paths;
    # `input.prefix` applies to the first source. Set weights by folder in the step `mix-selector`
    moreSources: List[NewCleaningSource]
    # Name of the new dataset; default: the source's name with (cleaned)
    targetDatasetName: str
    # Opaque ID
    targetDatasetId: str
    steps: List[NewCleaningStep]
    # Template to use instead of `steps`
    templateId: str
    input: NewCleaningInput
    output: NewCleaningOutput
    # How to handle a failed sample: `SET_ASIDE` (the default): it is not written to the target, but its original
    # bytes are stored with the run; `KEEP`: it is written with its original bytes if the format allows, otherwise
    # set aside; `DROP`: only its entry in the ledger is kept
    onError: OnError


class CleaningTaskPage(TypedDict):
    content: List[CleaningTask]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class CleaningTemplate(TypedDict):
    # Opaque ID
    id: str
    name: str
    description: str
    steps: List[CleaningTemplateStep]
    # Built in: cannot be changed or deleted
    builtIn: bool
    createdAt: str
    createdBy: str
    updatedAt: str
    updatedBy: str


class CleaningTemplateChanges(TypedDict, total=False):
    # Unique, not case-sensitive
    name: str
    description: str
    steps: List[NewCleaningStep]


class CleaningTemplatePage(TypedDict):
    content: List[CleaningTemplate]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class _CleaningTemplateStepRequired(TypedDict):
    operatorId: str
    params: Dict[str, Any]


class CleaningTemplateStep(_CleaningTemplateStepRequired, total=False):
    # Default: the installed version
    version: str


class Cluster(TypedDict):
    # Head of the Ray cluster that drives runs (`TILTH_RAY_URL`); null without one
    address: Optional[str]
    # NONE: the nodes drive the runs. REFUSING: the cluster responds with errors, for example because of a wrong
    # token
    state: ClusterState
    # Why it cannot be used
    problem: Optional[str]
    # Runs of this installation that it drives
    runs: int
    # Runs that it may drive at a time (`TILTH_RAY_RUNS`)
    maxRuns: Optional[int]


class CollectionExecution(TypedDict, total=False):
    # Resume the latest run, which failed or was stopped, instead of starting over
    resume: bool
    # Ignore what earlier runs fetched and fetch everything again
    fromStart: bool


class CollectionItem(TypedDict):
    # URL, path, object key, or rows of a table
    name: str
    verdict: CollectionVerdict
    # Why it was dropped or failed
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts without a code
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]
    # Path in the dataset
    path: Optional[str]
    # Number of inputs that it counts as: the rows of a file of rows, otherwise 1
    inputs: int
    sizeBytes: Optional[int]
    fetchedAt: str
    # Metadata from the source
    evidence: Optional[Dict[str, Any]]


class CollectionItemPage(TypedDict):
    content: List[CollectionItem]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class CollectionSource(TypedDict):
    # Type of the connector
    type: str
    # The connector's configuration. Secret fields are null; `hasSecret` beside them says whether any is stored
    config: Dict[str, Any]
    # Secret fields that have a value
    storedSecrets: List[str]


class CollectionState(TypedDict):
    # URL, path, object key, or table
    name: str
    # Path in the dataset when it was fetched
    path: str
    sizeBytes: int
    fetchedAt: str
    # The source's validators of the content
    stamp: Any
    # Where the next run continues in a table
    position: Any


class CollectionStatePage(TypedDict):
    content: List[CollectionState]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class CollectionTask(TypedDict):
    # Opaque ID
    id: str
    name: str
    description: str
    # When the task runs automatically
    schedule: Optional[Schedule]
    # Status of the latest run; PENDING before the first
    status: TaskStatus
    # 0 to 100
    progress: float
    counts: Counts
    startedAt: Optional[str]
    finishedAt: Optional[str]
    # Why the latest run failed
    error: Optional[str]
    # Code of `error`, listed in docs/errors.md; null for texts without a code
    errorCode: Optional[str]
    errorParams: Optional[SentenceParams]
    lastRunId: Optional[str]
    createdAt: str
    createdBy: str
    updatedAt: str
    updatedBy: str
    connector: CollectionSource
    # Null until a run has created the dataset
    targetDatasetId: Optional[str]
    targetDatasetName: str
    targetDatasetType: DatasetTypeOfTarget
    # Folder of the dataset for collected files; empty: the root
    prefix: str
    onConflict: CollectionConflictPolicy
    syncMode: SyncMode
    # Whether runs fetch only what has changed since the previous run
    incremental: bool


class CollectionTaskChanges(TypedDict, total=False):
    name: str
    description: str
    # Runs the task automatically; null removes the schedule. One run makes up for all missed times; times during a
    # run are skipped
    schedule: Optional[NewSchedule]
    connector: NewCollectionSource
    # Opaque ID
    targetDatasetId: str
    # Name of a new dataset; default: the name of the task
    targetDatasetName: str
    # Type of a new dataset; default: TEXT
    targetDatasetType: DatasetTypeOfTarget
    prefix: str
    # If a path is already used by a file that this task did not collect: replace the file (default; older versions
    # keep it), use another name, or let the item fail
    onConflict: CollectionConflictPolicy
    # SCHEDULED requires a schedule; default: SCHEDULED if there is one
    syncMode: SyncMode
    # Default: true if the connector supports it
    incremental: bool


class CollectionTaskPage(TypedDict):
    content: List[CollectionTask]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class _ColumnFiguresRequired(TypedDict):
    name: str
    # BOOLEAN, BIGINT, HUGEINT, DOUBLE, VARCHAR, DATE, TIMESTAMP, lists `T[]`, `STRUCT(…)`, JSON for lists or
    # objects among other values, or a type of Parquet
    type: str
    # Readable rows without a value
    nulls: int
    # Number of distinct values
    distinct: int
    # As text; truncated if long
    min: Optional[str]
    max: Optional[str]
    # Rows whose value is NaN; min, max and mean ignore them, and mean also ignores infinities
    nan: int
    mean: Optional[float]
    # Histogram of numbers, or of text lengths in characters
    histogram: List[ColumnHistogramBin]
    # Lengths of texts in characters
    lengths: Optional[ColumnLengths]
    # The most frequent values, compared by their first 200 characters
    top: List[ColumnValue]


class ColumnFigures(_ColumnFiguresRequired, total=False):
    # VARCHAR with numbers or booleans among its texts: filtered, sorted and queried as text
    isMixed: Literal[True]
    # Some of its fractions have more digits than a double. Rows, version comparisons and counts of distinct values
    # use all digits; SQL, order conditions and paths use doubles
    hasDigits: Literal[True]
    # Some of its texts contain lone surrogates. Rows and version comparisons keep them; SQL, searches, conditions
    # and statistics use U+FFFD in their place
    hasHalves: Literal[True]
    # Name of the column in the header if it is a duplicate or empty: the second `a` is `a_2`, an empty one
    # `column_2`
    given: str


ColumnHistogramBin = TypedDict("ColumnHistogramBin", {
    "from": "float",
    "to": "float",
    "count": "int",
})


class ColumnLengths(TypedDict):
    min: int
    mean: float
    max: int


class ColumnValue(TypedDict):
    value: str
    count: int


class ComparedDataset(TypedDict):
    # From 0
    step: int
    datasetId: str
    # Its name
    dataset: str
    version: Optional[int]
    # Samples that were compared with
    samples: int
    # Whether these are all; a preview reads only the first ones, a run all
    isWhole: bool


ComparedSample = TypedDict("ComparedSample", {
    "filePath": "str",
    "row": "Optional[int]",
    "from": "OperatorOutcome",
    "to": "OperatorOutcome",
})


class Connector(TypedDict):
    type: str
    name: str
    description: str
    # JSON Schema of the configuration; secret fields are writeOnly
    configSchema: Dict[str, Any]
    secretFields: List[str]
    # Whether later runs can fetch only what has changed
    incremental: bool


class ConnectorPage(TypedDict):
    content: List[Connector]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class _ConnectorTestRequired(TypedDict):
    # By the connector's `configSchema`. When a task is changed, a missing or null secret field keeps its value; an
    # empty one removes it
    config: Dict[str, Any]


class ConnectorTest(_ConnectorTestRequired, total=False):
    # Task whose stored secrets are used for secret fields that are not given
    taskId: str


class ConnectorTestResult(TypedDict):
    ok: bool
    # What was found, or why the source cannot be reached
    message: str
    # Code of `message`, listed in docs/errors.md; null for texts without a code
    messageCode: Optional[str]
    messageParams: Optional[SentenceParams]
    sample: List[Dict[str, Any]]


class ContentAspect(TypedDict):
    aspect: ImageAspect
    count: int


class ContentColumn(TypedDict):
    name: str
    type: str
    # Tables that have it with this type; a sheet is a table
    files: int
    # Their readable rows
    rows: int
    # Rows without a value
    nulls: int
    # Estimated number of distinct values; null if several tables have the column
    distinct: Optional[int]
    # Tables whose texts are counted from this column, or from a path into it
    textFiles: int


class ContentDistribution(TypedDict):
    # Sum of all values
    total: float
    mean: Optional[float]
    # The lowest and highest are exact, the others within 1 %; null without values
    quantiles: Optional[ContentQuantiles]
    # Contiguous; `to` is exclusive. Bins of large values are wider
    histogram: List[ContentHistogramBin]


ContentHistogramBin = TypedDict("ContentHistogramBin", {
    "from": "float",
    "to": "float",
    "count": "int",
})


class ContentImageFormat(TypedDict):
    format: str
    count: int


class ContentImages(TypedDict):
    images: int
    formats: List[ContentImageFormat]
    # The most frequent ones
    resolutions: List[ContentResolution]
    # Pictures of other resolutions
    otherResolutions: int
    width: ContentDistribution
    height: ContentDistribution
    # Width by height: below 0.5, below 0.95, to 1.05, to 2, above
    aspects: List[ContentAspect]


class ContentKindCount(TypedDict):
    kind: ContentKind
    files: int
    sizeBytes: int


class ContentLanguage(TypedDict):
    language: str
    count: int


class ContentQuantiles(TypedDict):
    p0: float
    p5: float
    p25: float
    p50: float
    p75: float
    p95: float
    p100: float


class ContentResolution(TypedDict):
    width: int
    height: int
    count: int


class ContentStatistics(TypedDict):
    # The version that is counted
    version: int
    state: ContentStatisticsState
    # Files of the version
    total: int
    # Files processed so far, including those that cannot be counted
    counted: int
    # Null until all files are counted
    contents: Optional[DatasetContents]


class ContentTables(TypedDict):
    rows: int
    # Unreadable rows
    unreadable: int
    columns: List[ContentColumn]
    # Columns beyond 1,000
    omittedColumns: int


class ContentTextField(TypedDict):
    # A column, or a path into rows: `messages[*].content`
    field: str
    # Whether a task uses it by default. If not, several columns or paths may contain the text and a task must name
    # one; this one has the most text in the first rows
    isDetected: bool
    # Tables whose texts are counted from this field; a sheet is a table
    tables: int


class ContentTexts(TypedDict):
    # Number of texts: text files, documents, and the texts of one field of each table
    texts: int
    # Empty texts and rows without text
    empty: int
    # Exact duplicates of an earlier text in the same file
    repeated: int
    # The most frequent fields that contain the texts of tables
    fields: List[ContentTextField]
    # Tables whose texts are in other fields
    otherTables: int
    characters: ContentDistribution
    tokens: ContentDistribution
    # ISO 639-1 code, `und` if it cannot be determined; as detected by the operator `language-filter`
    languages: List[ContentLanguage]


Counts = TypedDict("Counts", {
    "in": "int",
    "kept": "int",
    "changed": "int",
    "dropped": "int",
    "failed": "int",
    "emitted": "int",
})


class CreatedApiKey(TypedDict):
    id: str
    name: str
    # First characters of the key
    prefix: str
    # Null: the role of the owner
    role: Optional[Role]
    expiresAt: Optional[str]
    createdAt: str
    # Shown only once
    key: str


class DataManagementError(TypedDict):
    # Identifier
    error: str
    # What is wrong
    message: str
    errorParams: SentenceParams
    timestamp: str
    path: str


class Dataset(TypedDict):
    # Opaque ID
    id: str
    name: str
    description: str
    type: DatasetTypeSummary
    status: DatasetStatus
    # By name
    tags: List[DatasetTag]
    # Files of the current version
    fileCount: int
    # Files of the current version with status ERROR
    errorCount: int
    # Bytes of the files of the current version
    totalSize: int
    # Percentage of files that are COMPLETED, two decimals; 0 when empty
    completionRate: float
    # Current version: 1 for a new dataset, plus 1 for each commit
    version: int
    # Where the data comes from
    dataSource: Optional[str]
    # Intended destination of the data
    targetLocation: Optional[str]
    # Licence: an SPDX identifier, a URL or free text
    license: Optional[str]
    # How to cite it
    citation: Optional[str]
    createdAt: str
    # User name
    createdBy: str
    updatedAt: str
    # User name
    updatedBy: str


class DatasetCard(TypedDict):
    # Opaque ID
    id: str
    name: str
    description: str
    version: int
    versionName: Optional[str]
    createdAt: str
    createdBy: str
    updatedAt: str
    # Licence of the dataset, or else the one that its README names
    license: Optional[str]
    citation: Optional[str]
    tags: List[str]
    fileCount: int
    totalSize: int
    # README.md at the root of the version, or another spelling of it
    readme: Optional[DatasetReadme]
    # Files grouped by their paths; empty if no path indicates a split
    splits: List[DatasetCardSplit]
    # Tables of at most 50 files, in path order
    tables: List[DatasetCardTable]
    # Number of tables; beyond the first 50 files, a workbook counts as one
    tableCount: int


class _DatasetCardColumnRequired(TypedDict):
    name: str
    type: str


class DatasetCardColumn(_DatasetCardColumnRequired, total=False):
    # Name in the header if it is a duplicate or empty; such a column is not a Croissant field
    given: str


class DatasetCardSplit(TypedDict):
    # train, validation, test, or a word in the path that means one of them
    name: str
    files: int
    bytes: int


class _DatasetCardTableRequired(TypedDict):
    # Opaque ID
    fileId: str
    path: str
    columns: List[DatasetCardColumn]
    # Null until its index is ready
    rows: Optional[int]
    # Why its columns are not known
    problem: Optional[str]


class DatasetCardTable(_DatasetCardTableRequired, total=False):
    # Sheet of a workbook; each is a table
    sheet: str


class DatasetChanges(TypedDict, total=False):
    # Surrounding whitespace is removed
    name: str
    description: str
    # Tag names without commas; unknown tags are created
    tags: List[str]
    # An SPDX identifier such as CC-BY-4.0, a URL or free text; null: none
    license: Optional[str]
    # How to cite it, as text or BibTeX; null: none
    citation: Optional[str]
    # An ARCHIVED dataset accepts no files
    status: SettableDatasetStatus


class DatasetContents(TypedDict):
    # For OTHER files, only number and size are counted
    kinds: List[ContentKindCount]
    repeatedFiles: RepeatedFiles
    # Null without texts
    texts: Optional[ContentTexts]
    # Null without tables
    table: Optional[ContentTables]
    # Null without pictures
    images: Optional[ContentImages]
    failed: UncountedFiles


class DatasetFile(TypedDict):
    # Opaque ID
    id: str
    # Last segment of the path
    fileName: str
    # Name as sent by the client
    originalName: str
    # Lower-case extension without the dot; '' if there is none
    fileType: str
    # Bytes
    fileSize: int
    status: FileStatus
    # Path in the dataset, with / between segments
    filePath: str
    uploadTime: str
    # User name
    uploadedBy: str
    # SHA-256 of the content, lower-case hex; null until computed
    sha256: Optional[str]
    # Media type
    contentType: str
    # Reason, if the status is ERROR
    error: Optional[str]
    # Code of `error`, listed in docs/errors.md; null for texts without a code
    errorCode: Optional[str]
    errorParams: Optional[SentenceParams]
    updatedAt: str
    origin: Optional[FileOrigin]


class DatasetFileChanges(TypedDict, total=False):
    # New name in the same folder
    fileName: str
    # New path in the dataset
    filePath: str


class _DatasetFilePageRequired(TypedDict):
    content: List[DatasetFile]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class DatasetFilePage(_DatasetFilePageRequired, total=False):
    # With directories=true: the folders on this page. Folders come before files; size and totalElements count both.
    directories: List[Folder]


class DatasetLineage(TypedDict):
    # Id of the requested node
    root: str
    nodes: List[LineageNode]
    edges: List[LineageEdge]
    # Whether `depth` or `limit` cut off part of the graph
    truncated: bool


class DatasetPage(TypedDict):
    content: List[Dataset]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class _DatasetQueryRequired(TypedDict):
    # One SELECT, DESCRIBE or SUMMARIZE in the DuckDB dialect, or a PIVOT that lists its values (`ON lang IN (…)`)
    # or an UNPIVOT; no EXPLAIN. Tables are files of the dataset: `files."PATH"`, or a short name if it is unique,
    # such as `train` for `data/train.jsonl`. A sheet is addressed below its workbook: `files."book.xlsx/Sheet 1"`;
    # the workbook itself stands for its first visible sheet
    sql: str


class DatasetQuery(_DatasetQueryRequired, total=False):
    # Number of rows to skip; default 0
    offset: int
    # Maximum number of rows to return; default 1,000
    limit: int
    # Longer values are cut; default 10,000
    maxCellCharacters: int
    # Chosen by the caller; used to cancel the query
    queryId: str


class DatasetReadme(TypedDict):
    # Opaque ID
    fileId: str
    path: str
    # Without the YAML block at the beginning
    text: str
    # Longer than 256 KiB: only the beginning
    cut: bool


class DatasetStatistics(TypedDict):
    totalFiles: int
    completedFiles: int
    # Bytes
    totalSize: int
    # Percentage, two decimals
    completionRate: float
    # Files by type
    fileTypeDistribution: Dict[str, int]
    statusDistribution: FileStatusCounts


class _DatasetTableRequired(TypedDict):
    # Opaque ID
    fileId: str
    filePath: str
    # Bytes
    fileSize: int
    # Names that a query can use, the quoted path first; a short name that needs quotes is given without them
    names: List[str]
    # Null until its index is built, when the table is first used
    rows: Optional[int]
    # By their names in SQL; null until the index is built
    columns: Optional[List[FileRowColumn]]


class DatasetTable(_DatasetTableRequired, total=False):
    # Name of the sheet, if the file is a workbook; each sheet is a table
    sheet: str
    # Whether the sheet is hidden in its workbook
    isHidden: bool


class DatasetTables(TypedDict):
    version: int
    tables: List[DatasetTable]


class DatasetTag(TypedDict):
    # Opaque ID
    id: str
    name: str
    # Colour as #RRGGBB
    color: str


class DatasetType(TypedDict):
    # Code of a dataset type
    code: DatasetTypeCode
    # Display name
    name: str
    description: str
    # Intended file extensions, without a dot; files of any kind can be stored
    supportedFormats: List[str]
    # Name in the icon set of the web application
    icon: str


class DatasetTypeSummary(TypedDict):
    # Code of a dataset type
    code: DatasetTypeCode
    # Display name
    name: str
    # Intended file extensions
    supportedFormats: List[str]


class DatasetVersion(TypedDict):
    # 1 is the empty dataset
    version: int
    name: Optional[str]
    # Whether the name means something else as a revision (a number, `vN`, `main`, 40 hex digits): the version is
    # reached by its number alone. New names can't be reserved ones
    nameIsReserved: bool
    message: Optional[str]
    # Code of `message`, listed in docs/errors.md; null for texts without a code
    messageCode: Optional[str]
    messageParams: Optional[SentenceParams]
    # Request ID of the upload that created this version
    uploadId: Optional[str]
    # Whether an upload is still adding files. The version becomes final when the upload ends, something else is
    # committed, a run or a ZIP download reads it, or it is named
    open: bool
    # Added or changed files
    filesAdded: int
    # Removed or changed files
    filesEnded: int
    # Files of the dataset at this version
    fileCount: int
    # Total size of these files
    totalSize: int
    createdAt: str
    # Username; for a run, of the user who started it
    createdBy: str
    # The run that created the version; null if a user did
    run: Optional[VersionRun]


class DatasetVersionPage(TypedDict):
    content: List[DatasetVersion]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class DelimitedDialect(TypedDict):
    delimiter: str
    # Also if a CR precedes it
    lineEnd: DelimitedLineEnd
    # Whether quotes enclose cells; otherwise they are ordinary characters
    hasQuotes: bool
    # Whether a line `sep=…` precedes the header
    hasSeparatorLine: bool
    # Whether backslashes escape quotes within quotes, too
    hasEscapes: bool
    # Whether a CR alone ends rows, beside `lineEnd`
    endsAtReturns: bool
    # Beginnings of the lines above the header that are not part of the table: titles, comments, `sep=…`
    above: List[str]
    # The header
    columns: List[str]


class Directory(TypedDict):
    path: str
    # Last segment of the path
    name: str
    createdAt: str


class DiskShortage(TypedDict):
    """
    Only if disk space is low
    """

    state: DiskState
    freeBytes: int
    message: str


class DocumentReceipt(TypedDict):
    # Detected from the content
    format: str
    title: Optional[str]
    pageKind: Optional[PageKind]
    # Pages, slides or sheets; null if the format has none
    pagesIn: Optional[int]
    # Pages with text
    pagesOut: Optional[int]
    # Code points of the text
    characters: int
    tables: int
    # Pictures and charts, which are not part of the text
    images: int
    warnings: List[str]
    # Code and values of each of `warnings`, in the same order
    warningSentences: List[Optional[Sentence]]
    # What is neither text nor table of the result
    leftOut: List[LeftOut]
    replaced: ReplacedCharacters


DrawnSamples = TypedDict("DrawnSamples", {
    "seed": "int",
    "from": "int",
    "total": "int",
    "isExact": "bool",
})


class EvaluatedIntervals(TypedDict):
    # 95 % interval by bootstrap
    recall: List[float]
    # 95 % interval by bootstrap
    mrr: List[float]
    # 95 % interval by bootstrap
    ndcg: List[float]


class EvaluatedSearch(TypedDict):
    settings: EvaluatedSettings
    # Mean over the questions, 0 to 1
    recall: float
    # Mean over the questions, 0 to 1
    mrr: float
    # Mean over the questions, 0 to 1
    ndcg: float
    intervals: EvaluatedIntervals


class EvaluatedSettings(TypedDict, total=False):
    # NEXT: the rebuilt index, which must be READY; default CURRENT
    index: EvaluatedIndex
    # Default: HYBRID
    mode: SearchMode
    # The k of the metrics; default 10
    topK: int
    weights: SearchWeights
    # Excludes hits with a lower `score`. VECTOR: the cosine similarity, 0 if it is negative. KEYWORD: b / (b + 5)
    # of the BM25 score b. HYBRID: (w₁ · 61 / (60 + rank by vector) + w₂ · 61 / (60 + rank by keyword)) / (w₁ + w₂),
    # ranks from 1; a list without the hit adds nothing. With `rerank`: the score of that model
    minScore: float
    rerank: SearchRerank


class ExaminedPackage(TypedDict):
    id: str
    version: str
    name: str
    description: str
    author: str
    licence: str
    modality: OperatorModality
    kind: OperatorKind
    categories: List[str]
    capabilities: List[str]
    models: List[str]
    changes: Optional[str]
    # Number of examples
    examples: int
    digest: str


class Execution(TypedDict, total=False):
    # Resume the latest run, which failed or was stopped, instead of starting over
    resume: bool
    # The task's latest completed run: only its failed samples are processed, with the current steps and settings of
    # the task. They are read from the same version of the source; `in` counts only them. The results are added to
    # the target in a separate folder, `reprocessed/run-<number of that run>/` with the paths of the source
    # (`reprocessed-<end of the task id>/…` in a target that the task did not create); all other files of the target
    # stay unchanged. The next run over the whole source removes these folders. Deduplication compares the samples
    # of this run only with each other. For a run with `onError` `KEEP`, only samples that were set aside are
    # processed: the others are in the target. 409 `FAILED_OF_REFUSED` if nothing failed, or if samples could be
    # lost or duplicated: a run completed later, or the source or target is no longer that of the run
    failedOf: str


class FileColumns(TypedDict):
    columns: List[ColumnFigures]
    rows: int
    # Readable rows with the same values as an earlier row
    duplicates: int
    # Unreadable rows
    unreadable: int
    # Columns beyond 1,000, which have no statistics
    omittedColumns: int


class _FileDeletionRequired(TypedDict):
    fileIds: List[str]


class FileDeletion(_FileDeletionRequired, total=False):
    # Erase the content from all versions instead of only creating a version without the files
    purge: bool


class FileDeletionResult(TypedDict):
    # Version of the dataset that no longer has the files
    version: int
    # Deleted files
    deleted: int
    # IDs that match no file in the dataset
    notFound: List[str]


class _FileOriginRequired(TypedDict):
    # Type of the connector
    connector: str
    # URL, key, path or query at the source
    name: str
    # Opaque ID
    taskId: str
    # Opaque ID
    runId: str
    fetchedAt: str


class FileOrigin(_FileOriginRequired, total=False):
    """
    Where the content was collected from; null for an upload
    """

    # Metadata from the source: validators, robots.txt, reservations
    evidence: Dict[str, Any]


class _FileOutcomeRequired(TypedDict):
    fileNo: int
    fileName: str
    fileCompleted: bool


class FileOutcome(_FileOutcomeRequired, total=False):
    file: DatasetFile
    error: FileRefusal


class FilePreview(TypedDict):
    # Layout of `text`. The rows of Parquet files and JSON arrays are JSONL; documents are TEXT
    form: Optional[FilePreviewForm]
    # Encoding in which the content was read; null for Parquet and documents
    encoding: Optional[str]
    # If incomplete, may end within a line or row
    text: Optional[str]
    # How a run reads a CSV or TSV file, judging by its beginning; null for other formats
    dialect: Optional[DelimitedDialect]
    # Whether `text` is the whole content
    isWhole: bool
    receipt: Optional[DocumentReceipt]
    # Why there is no text, or no more text
    problem: Optional[str]
    # Code of `problem`, listed in docs/errors.md; null for texts without a code
    problemCode: Optional[str]
    problemParams: Optional[SentenceParams]


class FileRefusal(TypedDict):
    """
    Why this file was refused; other files are not affected
    """

    # Identifier, such as FILE_ALREADY_EXISTS
    error: str
    message: str


class FileRow(TypedDict):
    # Number in the file, from 1, as in the ledger of a run
    row: int
    # First line of the row, from 1; in a sheet its row number; null in Parquet
    line: Optional[int]
    # By column; integers beyond 2^53 as strings, CSV and TSV cells as strings. Null if the row cannot be read
    values: Optional[Dict[str, Any]]
    # Columns whose value was truncated
    cut: List[str]
    # Why the row cannot be read
    problem: Optional[str]
    # Code of `problem`, listed in docs/errors.md; null for texts without a code
    problemCode: Optional[str]
    problemParams: Optional[SentenceParams]
    # Text of the row, if it cannot be read
    text: Optional[str]


class _FileRowColumnRequired(TypedDict):
    name: str
    # BOOLEAN, BIGINT, HUGEINT, DOUBLE, VARCHAR, DATE, TIMESTAMP, lists `T[]`, `STRUCT(…)`, JSON for lists or
    # objects among other values, or a type of Parquet
    type: str


class FileRowColumn(_FileRowColumnRequired, total=False):
    # VARCHAR with numbers or booleans among its texts: filtered, sorted and queried as text
    isMixed: Literal[True]
    # Some of its fractions have more digits than a double. Rows, version comparisons and counts of distinct values
    # use all digits; SQL, order conditions and paths use doubles
    hasDigits: Literal[True]
    # Some of its texts contain lone surrogates. Rows and version comparisons keep them; SQL, searches, conditions
    # and statistics use U+FFFD in their place
    hasHalves: Literal[True]
    # Name of the column in the header if it is a duplicate or empty: the second `a` is `a_2`, an empty one
    # `column_2`
    given: str


class _FileRowsRequired(TypedDict):
    offset: int
    # Until the index is ready, only the columns of the first rows
    columns: List[FileRowColumn]
    # At most `limit` rows; fewer if they are long: then the next page begins at `offset` plus their number
    content: List[FileRow]
    # Number of matching rows; null until known: if counting takes long, it continues in the background
    total: Optional[int]
    # Unreadable rows of the table; null until known
    unreadable: Optional[int]
    # Columns beyond 1,000, which are shown but cannot be searched
    omittedColumns: int
    # Types, totals, search and sort require the index, which is built when a table is first viewed
    index: FileIndexState
    # READY: searches read only the parts of the table that may contain matches. BUILDING: until the index is ready,
    # they read the whole table. NONE: they read the whole table, because it is small or the index could not be
    # built
    searchIndex: FileSearchIndexState


class FileRows(_FileRowsRequired, total=False):
    # Progress of building the index, in percent
    indexProgress: int
    text: FileRowsText
    workbook: SheetReceipt


class FileRowsText(TypedDict):
    """
    How the bytes of a text-based table are read; available with the index
    """

    # Name in the Encoding Standard, such as utf-8
    encoding: str
    # Whether all bytes are valid in the encoding; otherwise it was guessed
    isCertain: bool
    # Delimiter of CSV and TSV
    delimiter: Optional[str]
    # How CSV and TSV write a quote within quotes: doubled, or after a backslash. NONE: quotes are ordinary
    # characters
    quotes: Optional[TableQuotes]
    # Whether a CR alone ends rows, too
    endsAtReturns: bool
    # Beginnings of the lines above the header that are not part of the table: titles, comments, `sep=…`
    above: List[str]


class FileStatusCounts(TypedDict):
    """
    Files by status
    """

    COMPLETED: int
    PROCESSING: int
    ERROR: int


class _FilesFormRequired(TypedDict):
    files: List[bytes]


class FilesForm(_FilesFormRequired, total=False):
    # Folder of the dataset for the files
    prefix: str
    # If a file exists: REPLACE it (older versions keep its content), RENAME the new file to the next free name, or
    # ERROR with 409 FILE_ALREADY_EXISTS
    onConflict: ConflictPolicy


class Folder(TypedDict):
    path: str
    # Last segment of the path
    name: str
    # Number of files at any depth below
    fileCount: int
    # Total size of these files
    totalSize: int


class GeneratedQuestions(TypedDict, total=False):
    # Default 50
    count: int
    # A model of the kind CHAT; default builtin:cloze
    model: str


class Highlight(TypedDict):
    start: int
    end: int


HistogramBin = TypedDict("HistogramBin", {
    "from": "float",
    "to": "float",
    "count": "int",
})


class IncompleteFile(TypedDict):
    fileNo: int
    fileName: str
    totalChunkNum: int
    # Size of every chunk except the last, once known
    chunkSize: Optional[int]
    receivedChunks: int
    receivedBytes: int
    # The first 1,000 missing chunks, as ranges
    missingChunks: List[NumberRange]


class InputFileType(TypedDict):
    # Extension; empty for files without one
    fileType: str
    # TABLE: its rows are samples. TEXT: one text, if its bytes are text. DOCUMENT: converted to text. MEDIA:
    # skipped unless a step processes media. COMPRESSED: gzip, Zstandard or bzip2; `tables` and `texts` show its
    # content. UNSUPPORTED: each file is a failed sample
    kind: InputKind
    files: int
    sizeBytes: int


class InputTable(TypedDict):
    # With several sources, includes the folder of its source
    filePath: str
    sizeBytes: int
    # Detected from the first bytes, or set by `input.encoding`
    encoding: Optional[str]
    # Certainty of the encoding; GIVEN: set by `input.encoding`
    certainty: Optional[EncodingCertainty]
    # Why the file cannot be read, judging by its first bytes
    problem: Optional[str]
    # Code of `problem`, listed in docs/errors.md; null for texts without a code
    problemCode: Optional[str]
    problemParams: Optional[SentenceParams]
    # Columns and paths that hold text, from the first rows
    columns: List[TextColumn]
    # The text column that is detected if `input` names none
    guess: Optional[str]
    # Text columns that a task with this `input` reads; null: the task must name one or is refused, unless the table
    # is empty
    fields: Optional[List[str]]
    # Whether it has no rows, so that no column needs to be chosen; always false for Parquet files
    isEmpty: bool
    # Whether `input.exclude` excludes it
    isExcluded: bool


class InputText(TypedDict):
    filePath: str
    sizeBytes: int
    # Detected from the first bytes, or set by `input.encoding`
    encoding: Optional[str]
    # Certainty of the encoding; GIVEN: set by `input.encoding`
    certainty: Optional[EncodingCertainty]
    # Why the file cannot be read, judging by its first bytes
    problem: Optional[str]
    # Code of `problem`, listed in docs/errors.md; null for texts without a code
    problemCode: Optional[str]
    problemParams: Optional[SentenceParams]


class KeptBounds(TypedDict):
    """
    How many samples would be kept; all are equal if the number is certain
    """

    atLeast: int
    atMost: int
    # Assumes that deduplication decides as in the run and that unknown samples pass later steps at the same rate as
    # known ones
    estimate: int
    likely: LikelyKept
    # COUNTED: the number is certain. PREDICTION_INTERVAL: normal approximation of the binomial prediction interval,
    # widened by the share of duplicates
    method: KeptMethod


class KnowledgeBase(TypedDict):
    # Opaque ID
    id: str
    name: str
    description: str
    embeddingModel: str
    chunking: Chunking
    # BUILDING: either a new index is being built, and until the switch everything else refers to the current one;
    # or chunks missing from the current one are being added, and searches return 503 until that is done
    status: KnowledgeBaseStatus
    # The index that is being built with other settings
    rebuild: Optional[KnowledgeBaseRebuild]
    documentCount: int
    # Chunks that searches find
    chunkCount: int
    documentsByStatus: Dict[str, int]
    hybridWeights: SearchWeights
    createdAt: str
    createdBy: str
    updatedAt: str


class KnowledgeBaseChanges(TypedDict, total=False):
    name: str
    description: str
    # Id of a model of the kind EMBEDDING; default builtin:hash-512
    embeddingModel: str
    chunking: NewChunking
    # When searches switch to the index with the changed model or chunking: as soon as it is complete (default), or
    # on request
    switch: RebuildSwitch


class KnowledgeBasePage(TypedDict):
    content: List[KnowledgeBase]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class KnowledgeBaseRebuild(TypedDict):
    embeddingModel: str
    chunking: Chunking
    switch: RebuildSwitch
    # READY: complete and waiting for `POST …/rebuild/switch`; FAILED: repeat the same PUT to resume
    status: RebuildStatus
    documents: RebuiltDocuments
    chunkCount: int
    startedAt: str
    # Why it failed, or why it is waiting although it should switch automatically
    cause: Optional[str]
    # Code of `cause`, listed in docs/errors.md; null for texts without a code
    causeCode: Optional[str]
    causeParams: Optional[SentenceParams]


class LedgerEntry(TypedDict):
    sampleId: str
    # In a run with several sources, includes the folder of its source
    filePath: str
    # Dataset that contains the file
    sourceDatasetId: str
    # Data row of a table from 1, not counting the header; null for a document
    row: Optional[int]
    # Line of the file, from 1, where the row begins; null in formats without lines
    line: Optional[int]
    verdict: Verdict
    # Operator that dropped it or failed
    operatorId: Optional[str]
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts without a code
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]
    # Field of the affected text, if the row has several
    field: Optional[str]
    scores: List[StepScore]
    # Unreadable line of a table: its first 10,000 characters in a list, its first 1 MiB for a single sample
    rawText: Optional[str]
    receipt: Optional[DocumentReceipt]
    # The longest parts of the text at a step that also occur in the datasets that the step compares with
    matches: List[LedgerMatch]


class LedgerEntryPage(TypedDict):
    content: List[LedgerEntry]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool
    # Samples whose texts were not searched, because time ran out or the source is gone; they may also match
    unsearched: int


class LedgerGroup(TypedDict):
    verdict: Verdict
    # Step that dropped the samples or failed on them, from 0
    step: Optional[int]
    operatorId: Optional[str]
    # Null if there is no reason or it has no code
    reasonCode: Optional[str]
    # The text of this code, with `{name}` for its values
    reason: Optional[str]
    count: int


class LedgerMatch(TypedDict):
    step: int
    # Where it begins in the text, in UTF-16 units
    start: int
    # Where it ends
    end: int
    # Its first 300 UTF-16 units
    text: str
    # Name and version of the other dataset
    dataset: str
    path: str
    # Data row of a table from 1
    row: Optional[int]
    # Line of the file from 1
    line: Optional[int]


class LedgerSample(TypedDict):
    sampleId: str
    # In a run with several sources, includes the folder of its source
    filePath: str
    # Dataset that contains the file
    sourceDatasetId: str
    # Data row of a table from 1, not counting the header; null for a document
    row: Optional[int]
    # Line of the file, from 1, where the row begins; null in formats without lines
    line: Optional[int]
    verdict: Verdict
    # Operator that dropped it or failed
    operatorId: Optional[str]
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts without a code
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]
    # Field of the affected text, if the row has several
    field: Optional[str]
    scores: List[StepScore]
    # Unreadable line of a table: its first 10,000 characters in a list, its first 1 MiB for a single sample
    rawText: Optional[str]
    receipt: Optional[DocumentReceipt]
    # The longest parts of the text at a step that also occur in the datasets that the step compares with
    matches: List[LedgerMatch]
    # The file of the source dataset
    fileId: str
    # The version of the source dataset that the run read
    version: int
    # Effect of each step, recomputed from the source version of the run
    steps: List[StepTrace]
    # The resulting text
    texts: List[PreviewText]
    # Referenced by steps and results
    pictures: List[PreviewPicture]
    # Why the steps could not be recomputed; otherwise null
    traceProblem: Optional[str]
    # Code of `traceProblem`, listed in docs/errors.md; null for texts without a code
    traceProblemCode: Optional[str]
    traceProblemParams: Optional[SentenceParams]


class LedgerSummary(TypedDict):
    counts: Counts
    # For a run with several sources, the counts of each; they add up to `counts`
    sources: List[SourceSummary]
    steps: List[StepSummary]
    # All samples by verdict, step and reason, the largest group first
    groups: List[LedgerGroup]


class LeftOut(TypedDict):
    # PICTURE, CHART, COMMENT, ATTACHMENT, PAGE_WITHOUT_TEXT and others
    kind: str
    # How many; characters of DELETED_TEXT and LETTERS
    count: int
    # Number of the page, slide or sheet, if it is known
    page: Optional[int]


LikelyKept = TypedDict("LikelyKept", {
    "from": "int",
    "to": "int",
})


LineageCounts = TypedDict("LineageCounts", {
    "in": "int",
    "kept": "int",
    "changed": "int",
    "dropped": "int",
    "failed": "int",
    "emitted": "int",
})


LineageEdge = TypedDict("LineageEdge", {
    "from": "str",
    "to": "str",
    "kind": "LineageEdgeKind",
})


class _LineageNodeRequired(TypedDict):
    # Unique in the graph
    id: str
    kind: LineageNodeKind
    # Display name; null if the object was deleted
    name: Optional[str]
    # Whether the object was deleted; the node shows only that it existed
    hidden: bool
    # Id of the dataset, run, query, operator, model, template or knowledge base
    refId: str
    # Version of the dataset, the operator or the template
    version: Optional[str]


class LineageNode(_LineageNodeRequired, total=False):
    # Digest of the package of a published operator
    digest: str
    run: LineageRun
    query: LineageSqlQuery
    # Number of documents in the knowledge base from the versions shown
    documents: int


class LineageRun(TypedDict):
    # URL prefix of its area
    area: str
    # Opaque ID
    taskId: str
    # Number of the run within its task; 0 if no longer known
    number: int
    # Whether the run still exists, with its log and ledger
    stored: bool
    steps: List[LineageStep]
    counts: LineageCounts
    createdBy: str
    startedAt: str
    finishedAt: str


class LineageSqlQuery(TypedDict):
    # The SQL statement, truncated if long
    sql: str
    createdBy: str
    createdAt: str


class LineageStep(TypedDict):
    operatorId: str
    version: str
    # Digest of the package of a published operator
    digest: Optional[str]
    # All parameters
    params: Dict[str, Any]


class ListedCleaningProfile(TypedDict):
    run: Run
    # Opaque ID
    sourceDatasetId: str
    sourceVersion: int
    input: CleaningInput


class ListedCleaningProfilePage(TypedDict):
    content: List[ListedCleaningProfile]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class ListedRun(TypedDict):
    # Opaque ID
    id: str
    # URL prefix of its area
    area: str
    # Opaque ID
    taskId: str
    # Number within its task, from 1
    number: int
    status: RunStatus
    # Current phase, in the area's words
    phase: Optional[str]
    # Samples that the current phase has processed; a comparing phase counts none as kept or dropped yet
    phaseSamples: int
    # 0 to 100
    progress: float
    counts: Counts
    # Inputs that the task does not process; not counted
    skipped: int
    # Most frequent reasons for failed inputs, which add up to `counts.failed`: reasons that differ only in numbers
    # are one entry with … in their place, and the rest is `other reasons`
    failures: List[RunFailure]
    createdAt: str
    createdBy: str
    startedAt: Optional[str]
    finishedAt: Optional[str]
    # Why the run failed
    error: Optional[str]
    # Code of `error`, listed in docs/errors.md; null for texts without a code
    errorCode: Optional[str]
    errorParams: Optional[SentenceParams]
    # What a QUEUED run waits for: its turn, or a worker, which it may also do later
    waitingFor: Optional[str]
    # Code of `waitingFor`, listed in docs/errors.md; null for texts without a code
    waitingForCode: Optional[str]
    waitingForParams: Optional[SentenceParams]
    # Run that it resumes
    resumedFrom: Optional[str]
    # Run whose failed samples it processes; null: the whole input
    failedOf: Optional[str]
    # Name of the task, or of the document that it processes
    taskName: Optional[str]
    # The knowledge base, for runs that process a document or build an index
    within: Optional[RunPlace]


class ListedRunPage(TypedDict):
    content: List[ListedRun]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class LogLine(TypedDict):
    # Consecutive, from 1
    seq: int
    time: str
    level: LogLevel
    message: str
    # Code of `message`, listed in docs/errors.md; null for texts without a code
    messageCode: Optional[str]
    messageParams: Optional[SentenceParams]


class LogLinePage(TypedDict):
    content: List[LogLine]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class Login(TypedDict):
    # JSON web token for Authorization: Bearer
    token: str
    # Lifetime in seconds
    expiresIn: int


class _LoginRequestRequired(TypedDict):
    username: str
    password: str


class LoginRequest(_LoginRequestRequired, total=False):
    # Also set the session cookie of the web application
    cookie: bool


class Me(TypedDict):
    id: str
    username: str
    role: Role


class MissingOperator(TypedDict):
    # Index of the step, from 0
    step: int
    operatorId: str
    version: str


class Model(TypedDict):
    # Opaque ID
    id: str
    name: str
    kind: ModelKind
    provider: ModelProvider
    baseUrl: Optional[str]
    # Name of the model at the provider
    model: str
    # Always null: it is never shown
    apiKey: Optional[str]
    # Whether an API key is stored
    hasSecret: bool
    prices: Optional[ModelPrices]
    limits: ModelLimits
    # Built in: cannot be changed or deleted
    builtIn: bool
    createdAt: Optional[str]
    createdBy: Optional[str]
    updatedAt: Optional[str]
    updatedBy: Optional[str]


class ModelCaps(TypedDict, total=False):
    """
    An omitted cap does not limit; 0 forbids calls of the model
    """

    maxCalls: int
    maxTokens: int
    maxCost: float


class ModelChanges(TypedDict, total=False):
    # 1 to 100 characters
    name: str
    kind: ModelKind
    provider: ModelProvider
    # Base URL of an openai-compatible API, such as https://api.openai.com/v1
    baseUrl: Optional[str]
    # Name of the model at the provider, 1 to 200 characters
    model: str
    # At most 4,000 characters, visible ASCII; missing or null: unchanged, empty: removed. Required again when
    # baseUrl moves to another origin
    apiKey: Optional[str]
    prices: Optional[ModelPrices]
    limits: ModelLimits


class ModelLimits(TypedDict, total=False):
    # Maximum concurrent calls across all runs and processes (64)
    concurrency: int
    # Maximum tokens of a reply, unless a call sets it (1,024)
    maxOutputTokens: int
    # Maximum seconds of a call (120)
    timeoutSeconds: int
    # Texts per embedding call (64)
    batchSize: int
    perDay: ModelCaps
    total: ModelCaps


class ModelPage(TypedDict):
    content: List[Model]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class ModelPrices(TypedDict):
    # Price of a million input tokens
    input: float
    # Price of a million output tokens
    output: float


class ModelTest(TypedDict):
    ok: bool
    # The result in words
    message: str
    # Code of `message`, listed in docs/errors.md; null for texts without a code
    messageCode: Optional[str]
    messageParams: Optional[SentenceParams]
    tookMs: int


class ModelUsage(TypedDict):
    totals: ModelUsageFigures
    days: List[ModelUsageOfDay]
    runs: List[ModelUsageOfRun]


class ModelUsageFigures(TypedDict):
    # Attempts sent, whether answered or not
    calls: int
    inputTokens: int
    outputTokens: int
    # According to the model's prices
    cost: float
    # Calls that the provider may bill but for which it reported no tokens (missing in the response, connection
    # lost, or aborted by the caller): not in tokens and cost, and charged to budgets at their maximum
    unreportedCalls: int


class ModelUsageOfDay(TypedDict):
    # UTC, newest first
    day: str
    # Attempts sent, whether answered or not
    calls: int
    inputTokens: int
    outputTokens: int
    # According to the model's prices
    cost: float
    # Calls that the provider may bill but for which it reported no tokens (missing in the response, connection
    # lost, or aborted by the caller): not in tokens and cost, and charged to budgets at their maximum
    unreportedCalls: int


class ModelUsageOfRun(TypedDict):
    runId: str
    # Attempts sent, whether answered or not
    calls: int
    inputTokens: int
    outputTokens: int
    # According to the model's prices
    cost: float
    # Calls that the provider may bill but for which it reported no tokens (missing in the response, connection
    # lost, or aborted by the caller): not in tokens and cost, and charged to budgets at their maximum
    unreportedCalls: int


class ModelsAsked(TypedDict):
    """
    Null if no step calls models
    """

    # Calls made
    calls: int
    # Replies served from the store at no cost
    known: int
    inputTokens: int
    outputTokens: int
    # According to the prices of the models; null if tokens were not reported
    cost: Optional[float]


class _NewApiKeyRequired(TypedDict):
    name: str


class NewApiKey(_NewApiKeyRequired, total=False):
    role: Role
    # ISO 8601 time in the future
    expiresAt: str


class NewChunking(TypedDict, total=False):
    # RECURSIVE: as much as fits, cut between blocks, lines, sentences, words; MARKDOWN: the same within each
    # section; PARAGRAPH: one each; SENTENCE: whole sentences; FIXED: windows of equal size; CUSTOM_SEPARATOR: at
    # `separators`
    strategy: ChunkingStrategy
    # Largest chunk; tables and blocks of code may be up to four times as large
    size: int
    # What a chunk repeats of the one before
    overlap: int
    # Code points, or tokens of o200k_base
    unit: ChunkingUnit
    separators: List[str]


class NewCleaningInput(TypedDict, total=False):
    # Folder to read
    prefix: str
    # Extensions to read
    fileTypes: List[str]
    # Patterns of file paths to exclude, written as in `textFields`
    exclude: List[str]
    # Text column of all tables, or a path to it; default: in each table the column text, otherwise its only string
    # column. Paths read nested values of JSON Lines and Parquet: `doc.text`, `messages[*].content` (all items),
    # `messages[role=assistant].content` (items with this value), `["a.b"].text` (a name with a dot). A column with
    # exactly this name takes precedence. Rows without the value fail; null items of a list have no text and stay
    # unchanged. If messages have their content in parts, `messages[*].content` selects the texts of their text
    # parts
    textField: str
    # Text columns by file path; the first matching rule applies and takes precedence over `textField`
    textFields: List[NewTextFieldsRule]
    # Conditions that table rows must all meet. Other rows are skipped: they are not in `counts.in` or in the
    # target, but counted in `skipped` and listed in the ledger with the reason `WHERE`. Documents have no columns
    # and are checked as rows without values. Missing values and null meet only `NE`, `EXISTS` false and `EQ` null.
    # If a path yields several values, one must meet the condition; for `NE`, all must
    where: List[NewRowCondition]
    # Encoding of all text files and tables without a byte order mark, by a name of the WHATWG Encoding Standard
    # (`utf-8`, `gb18030`, `shift_jis`, `windows-1251` …); default: detected for each file; JSON Lines are UTF-8
    encoding: str


class _NewCleaningOutputRequired(TypedDict):
    # `SOURCE` (the default): paths and formats of the source. `PARQUET`, `JSONL`, `JSONL_ZST`: all rows in files of
    # that format, laid out for `load_dataset` (`data/train-00000-of-00012.parquet`). The result has the columns of
    # all files; a column that a file lacks is null (PARQUET) or missing. Documents become rows `{text, path}`; CSV
    # cells are strings; of Parquet files, all columns are written, with dates, times and binary as strings and NaN
    # as null
    format: OutputFormat


class NewCleaningOutput(_NewCleaningOutputRequired, total=False):
    # Target size of a file, counted as uncompressed JSON Lines; default: 256 MiB
    shardBytes: int
    # Column whose values, at most 200, become the folders of the rows: with the column of `split-writer`,
    # `train/00000-of-00003.jsonl`, `validation/…`, `test/…`, as `load_dataset` reads them. Rows without a value are
    # in `none/`. Not allowed with `SOURCE`
    folderBy: str


class _NewCleaningSourceRequired(TypedDict):
    # Opaque ID
    datasetId: str


class NewCleaningSource(_NewCleaningSourceRequired, total=False):
    # Default: the current version at the start of each run
    version: int
    # Folder of it to read
    prefix: str
    # A single name; default: the name of the dataset, adapted if it is not a valid folder name
    folder: str


class _NewCleaningStepRequired(TypedDict):
    operatorId: str


class NewCleaningStep(_NewCleaningStepRequired, total=False):
    # The installed version
    version: str
    # According to the operator's schema; defaults are filled in
    params: Dict[str, Any]


class _NewCleaningTaskRequired(TypedDict):
    name: str
    # Opaque ID
    sourceDatasetId: str


class NewCleaningTask(_NewCleaningTaskRequired, total=False):
    description: str
    # Runs the task automatically; null removes the schedule. One run makes up for all missed times; times during a
    # run are skipped
    schedule: Optional[NewSchedule]
    # Default: the current version at the start of each run
    sourceVersion: int
    # With `moreSources`, the folder of the first source, like their `folder`
    sourceFolder: str
    # Further datasets to read, each once. The files of each source, including the first, are then in a separate
    # folder, during the run and in the result: `web/a.jsonl`. Patterns of `input` apply to these paths;
    # `input.prefix` applies to the first source. Set weights by folder in the step `mix-selector`
    moreSources: List[NewCleaningSource]
    # Name of the new dataset; default: the source's name with (cleaned)
    targetDatasetName: str
    # Opaque ID
    targetDatasetId: str
    steps: List[NewCleaningStep]
    # Template to use instead of `steps`
    templateId: str
    input: NewCleaningInput
    output: NewCleaningOutput
    # How to handle a failed sample: `SET_ASIDE` (the default): it is not written to the target, but its original
    # bytes are stored with the run; `KEEP`: it is written with its original bytes if the format allows, otherwise
    # set aside; `DROP`: only its entry in the ledger is kept
    onError: OnError


class _NewCleaningTemplateRequired(TypedDict):
    # Unique, not case-sensitive
    name: str
    steps: List[NewCleaningStep]


class NewCleaningTemplate(_NewCleaningTemplateRequired, total=False):
    description: str


class NewCollectionSource(TypedDict):
    # Type of a connector
    type: str
    # By the connector's `configSchema`. When a task is changed, a missing or null secret field keeps its value; an
    # empty one removes it
    config: Dict[str, Any]


class _NewCollectionTaskRequired(TypedDict):
    name: str
    connector: NewCollectionSource


class NewCollectionTask(_NewCollectionTaskRequired, total=False):
    description: str
    # Runs the task automatically; null removes the schedule. One run makes up for all missed times; times during a
    # run are skipped
    schedule: Optional[NewSchedule]
    # Opaque ID
    targetDatasetId: str
    # Name of a new dataset; default: the name of the task
    targetDatasetName: str
    # Type of a new dataset; default: TEXT
    targetDatasetType: DatasetTypeOfTarget
    prefix: str
    # If a path is already used by a file that this task did not collect: replace the file (default; older versions
    # keep it), use another name, or let the item fail
    onConflict: CollectionConflictPolicy
    # SCHEDULED requires a schedule; default: SCHEDULED if there is one
    syncMode: SyncMode
    # Default: true if the connector supports it
    incremental: bool


class _NewDatasetRequired(TypedDict):
    # Surrounding whitespace is removed
    name: str
    # Code of a dataset type
    type: DatasetTypeCode


class NewDataset(_NewDatasetRequired, total=False):
    description: str
    # Tag names without commas; unknown tags are created
    tags: List[str]
    # Where the data comes from
    dataSource: str
    # Intended destination of the data
    targetLocation: str
    # An SPDX identifier such as CC-BY-4.0, a URL or free text; null: none
    license: Optional[str]
    # How to cite it, as text or BibTeX; null: none
    citation: Optional[str]


class _NewDirectoryRequired(TypedDict):
    # One segment of a path
    directoryName: str


class NewDirectory(_NewDirectoryRequired, total=False):
    # Parent folder; default: the root
    parentPrefix: str


class _NewKnowledgeBaseRequired(TypedDict):
    name: str


class NewKnowledgeBase(_NewKnowledgeBaseRequired, total=False):
    description: str
    # Id of a model of the kind EMBEDDING; default builtin:hash-512
    embeddingModel: str
    chunking: NewChunking


class _NewModelRequired(TypedDict):
    # 1 to 100 characters
    name: str
    kind: ModelKind
    # Name of the model at the provider, 1 to 200 characters
    model: str


class NewModel(_NewModelRequired, total=False):
    # builtin: a local ONNX model; its model is onnx:FOLDER, a folder in models/ of the data directory
    provider: ModelProvider
    # Base URL of an openai-compatible API, such as https://api.openai.com/v1
    baseUrl: Optional[str]
    # At most 4,000 characters, visible ASCII; missing or null: unchanged, empty: removed. Required again when
    # baseUrl moves to another origin
    apiKey: Optional[str]
    prices: Optional[ModelPrices]
    limits: ModelLimits


class _NewOperatorRequired(TypedDict):
    # The content of operator.json
    manifest: Dict[str, Any]
    # One ES module without imports
    source: str


class NewOperator(_NewOperatorRequired, total=False):
    # Markdown; default: title and summary
    readme: str


class NewOperatorRating(TypedDict):
    stars: int


class NewPublisherKey(TypedDict):
    name: str
    # Ed25519, in PEM
    publicKey: str


class _NewRowConditionRequired(TypedDict):
    # Column, or path into the row
    field: str
    op: ConditionOperator


class NewRowCondition(_NewRowConditionRequired, total=False):
    # String, number, boolean or null; a list of them for `IN`; a string or number for `LT`, `LE`, `GT`, `GE`; true
    # (default) or false for `EXISTS`
    value: Any


class _NewScheduleRequired(TypedDict):
    # Five fields: minute, hour, day of the month, month, day of the week. Interpreted as by Debian cron: if a day
    # field begins with `*`, a day must match both day fields (`0 0 1 * */1` is the first of the month); otherwise
    # one is enough (`0 0 1 * MON` is the first and every Monday). When clocks go forward, times that do not exist
    # run once, right after the gap; when clocks go back, times that occur twice run once. If the minute or hour
    # begins with `*`, the schedule follows the clock instead: missing times are skipped, repeated times run twice.
    cron: str


class NewSchedule(_NewScheduleRequired, total=False):
    # IANA name, such as Europe/Berlin; default: UTC
    timezone: str


class NewSynthesisExport(TypedDict, total=False):
    # Default: the format of the task
    format: SynthesisFormat
    # Default: as the task says
    provenance: bool


class NewSynthesisInput(TypedDict, total=False):
    # Folder of the source; default: the whole source
    prefix: str
    # Extensions; default: all
    fileTypes: List[str]
    # Column used as `text` in rows; default: `text`, otherwise the only one with text
    textField: str


class _NewSynthesisPreviewRequired(TypedDict):
    # Opaque ID
    sourceDatasetId: str


class NewSynthesisPreview(_NewSynthesisPreviewRequired, total=False):
    sourceVersion: int
    # Samples
    limit: int
    # Id of a model of the kind CHAT; without it, no model is called
    model: str
    # Values of the template variables by name
    variables: Dict[str, str]
    input: NewSynthesisInput
    chunking: NewChunking
    # Version of the template; default: the latest
    version: int
    changes: SynthesisTemplateChanges


class _NewSynthesisTaskRequired(TypedDict):
    name: str
    # Opaque ID
    templateId: str
    # Opaque ID
    sourceDatasetId: str
    # Id of a model of the kind CHAT, or builtin:cloze
    model: str


class NewSynthesisTask(_NewSynthesisTaskRequired, total=False):
    description: str
    # Runs the task automatically; null removes the schedule. One run makes up for all missed times; times during a
    # run are skipped
    schedule: Optional[NewSchedule]
    # Default: the latest version
    templateVersion: int
    # Values of the template variables by name
    variables: Dict[str, str]
    # Default: the latest
    sourceVersion: Optional[int]
    input: NewSynthesisInput
    chunking: NewChunking
    # Records per sample, one call each
    perSample: int
    # Maximum number of samples; only the first ones are used
    maxSamples: Optional[int]
    checks: SynthesisChecks
    judge: Optional[SynthesisJudge]
    # Format of the result; default: RAW
    format: SynthesisFormat
    # Whether each record in the result has `_source`: its record, file, row or chunk, model and template
    provenance: bool
    budget: SynthesisBudget
    # Opaque ID
    targetDatasetId: str
    # Name of a new dataset; default: "<source> (synthetic)"
    targetDatasetName: str
    # false: the task is created but not executed
    autoStart: bool


class _NewSynthesisTemplateRequired(TypedDict):
    # Unique, not case-sensitive
    name: str
    type: SynthesisTemplateType


class NewSynthesisTemplate(_NewSynthesisTemplateRequired, total=False):
    description: str
    # Language of the prompt
    language: Optional[SynthesisTemplateLanguage]
    systemPrompt: Optional[str]
    prompt: str
    # Replaces `prompt`; cycles, unknown names and duplicate names are refused
    columns: Optional[List[SynthesisColumn]]
    variables: List[SynthesisVariable]
    # JSON Schema of a record, an object; each reply is checked against it. Keywords: type, properties, required,
    # items, enum, const, anyOf, additionalProperties, minLength, maxLength, minimum, maximum, minItems, maxItems,
    # pattern (RE2), $ref to own $defs, title, description. Without it, the record is `{"text": the reply}`
    outputSchema: Optional[Dict[str, Any]]
    parameters: SynthesisParameters
    checks: SynthesisChecks


class _NewTagRequired(TypedDict):
    # Without commas; unique, not case-sensitive
    name: str


class NewTag(_NewTagRequired, total=False):
    # Colour as #RRGGBB
    color: str
    description: str


class _NewTextFieldsRuleRequired(TypedDict):
    # Pattern of file paths: `*` any characters of a name, `**` any folders, `?` one character; a pattern without a
    # slash is matched against the file name
    files: str


class NewTextFieldsRule(_NewTextFieldsRuleRequired, total=False):
    # The only column or path
    field: str
    # Several columns or paths. Each text of a row goes through all steps: the row is dropped if any text is
    # dropped, fails if any fails, and counts as changed if any changes. Deduplication compares all texts of a row
    # as one
    fields: List[str]


class NewUser(TypedDict):
    # Letters, digits or . _ @ + -; unique, not case-sensitive
    username: str
    password: str
    role: Role


class Node(TypedDict):
    # Opaque ID
    id: str
    # Release of the service
    version: str
    # Address that it listens on; empty while it starts
    address: str
    # DRAINING: it is about to stop. SILENT: it has not reported to the database for 10 seconds
    state: NodeState
    startedAt: str
    seenAt: str
    # Runs that it is working on
    runs: int
    # Whether it is the node that sent this response
    isSelf: bool


class NodePage(TypedDict):
    content: List[Node]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


NumberRange = TypedDict("NumberRange", {
    "from": "int",
    "to": "int",
})


class Operator(TypedDict):
    # Opaque ID
    id: str
    name: str
    version: str
    description: str
    author: str
    modality: OperatorModality
    kind: OperatorKind
    categories: List[str]
    # Parts of a sample that it reads
    reads: List[SamplePart]
    # Parts of a sample that it may change
    writes: List[SamplePart]
    # JSON Schema of the parameters
    paramsSchema: Dict[str, Any]
    # Parameters that are compared with the score of a sample; other values can be tried on a completed run
    thresholds: List[OperatorThreshold]
    # What it may access beyond the sample; none for a pure operator
    capabilities: List[str]
    source: OperatorSource
    # An operator without capabilities can be used once PUBLISHED; DISABLED: no task can use it
    status: OperatorStatus
    # Only installed operators can be used in tasks
    installed: bool
    # SHA-256 that identifies this version, lower-case hex
    digest: str
    # Whether it must compare all samples before deciding on any
    wholeSet: bool
    # Markdown
    readme: str
    examples: List[OperatorExample]
    # Examples of an operator over the whole set
    setExamples: List[OperatorSetExample]
    licence: str
    # The models that it requests; included in the approval by an administrator
    models: List[str]
    signature: OperatorSignature
    # A PNG as a data URL
    icon: Optional[str]
    # What is new in this version
    changes: Optional[str]
    metrics: OperatorMetrics
    rating: OperatorRating
    yourRating: Optional[int]
    latestVersion: str
    # Cleaning tasks that use it
    usageCount: int
    createdAt: Optional[str]
    createdBy: Optional[str]


class OperatorComparison(TypedDict):
    # All samples drawn: same + verdictChanged + textChanged + unreadable
    compared: int
    same: int
    # Rows and files that could not be read and reached neither version
    unreadable: int
    verdictChanged: int
    # Samples with the same verdict but different texts
    textChanged: int
    # Samples too long to compare beyond the beginning
    comparedInPart: int
    # Samples that differ, at most 100
    samples: List[ComparedSample]


_OperatorComparisonRequestRequired = TypedDict("_OperatorComparisonRequestRequired", {
    "from": "str",
    "to": "str",
    "sourceDatasetId": "str",
})


class OperatorComparisonRequest(_OperatorComparisonRequestRequired, total=False):
    # Default: the defaults of each version
    params: Dict[str, Any]
    # Number of random samples; default 50
    limit: int
    # The same seed draws the same samples
    seed: int


class OperatorExamination(TypedDict):
    # Whether publishing this package would succeed
    accepted: bool
    # In the order of publishing; ends with the first that fails
    checks: List[OperatorPackageCheck]
    package: ExaminedPackage
    # The newest version published under this id
    latestVersion: Optional[str]
    signature: OperatorSignature
    metrics: OperatorMetrics


class OperatorExample(TypedDict):
    title: str
    params: Dict[str, Any]
    # Texts of the dataset that it compares with
    references: List[str]
    input: str
    # Resulting texts; none if the sample is dropped
    output: List[str]
    # Reason of the drop
    dropped: Optional[str]
    # Code of `dropped`, listed in docs/errors.md; null for texts without a code
    droppedCode: Optional[str]
    droppedParams: Optional[SentenceParams]


class OperatorFacet(TypedDict):
    value: str
    count: int


class OperatorFacets(TypedDict):
    categories: List[OperatorFacet]
    authors: List[OperatorFacet]
    capabilities: List[OperatorFacet]
    kinds: List[OperatorFacet]
    modalities: List[OperatorFacet]


class OperatorMetrics(TypedDict):
    # For documents of about 2,000 characters
    samplesPerSecond: float
    peakMemoryBytes: int
    # Whether two runs, the second in a different order, gave the same results
    deterministic: bool
    # The sandbox lane in which it was measured
    lane: SandboxLane


class OperatorOutcome(TypedDict):
    verdict: ComparedVerdict
    # Long texts are truncated
    texts: List[str]
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts without a code
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]


class OperatorPackage(TypedDict):
    file: bytes


class OperatorPackageCheck(TypedDict):
    # ARCHIVE: it can be unpacked and follows the rules; MANIFEST: operator.json; FILES: code, README and icon;
    # SIGNATURE: operator.sig, if present; NUMBER: the id and version are available; EXAMPLES: they pass in the
    # sandbox; FACTS: speed, memory and determinism were measured
    check: PackageCheckName
    state: PackageCheckState
    problem: Optional[str]
    # Code of `problem`, listed in docs/errors.md; null for texts without a code
    problemCode: Optional[str]
    problemParams: Optional[SentenceParams]


class OperatorPage(TypedDict):
    content: List[Operator]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class OperatorRating(TypedDict):
    average: Optional[float]
    count: int
    # Number of ratings with one star, two, … five
    distribution: List[int]


class OperatorSetExample(TypedDict):
    title: str
    params: Dict[str, Any]
    inputs: List[str]
    # One per input
    outputs: List[OperatorSetOutput]


class OperatorSetOutput(TypedDict):
    # Null if the sample is dropped
    text: Optional[str]
    # Reason of the drop
    dropped: Optional[str]


class OperatorSignature(TypedDict):
    # Whether it was created with a publisher key registered here
    verified: bool
    # The name of that key
    publisher: Optional[str]


class OperatorSpeed(TypedDict):
    operatorId: str
    version: str
    unit: MeasuredSamples
    # On one core; null if it could not be measured
    samplesPerSecond: Optional[float]
    # Why it could not be measured
    reason: Optional[str]
    # Still being measured; try again in a few seconds
    pending: bool


class OperatorSpeeds(TypedDict):
    speeds: List[OperatorSpeed]


class OperatorThreshold(TypedDict):
    param: str
    # A sample is kept if its score is at least (min) or at most (max) this value
    direction: ThresholdDirection


class OperatorTrial(TypedDict):
    # One per sample, in the same order
    results: List[OperatorTrialResult]
    # Other datasets that the samples were compared with
    compared: List[TrialDataset]
    asked: ModelsAsked
    # Time from request to result in milliseconds
    tookMs: float


class _OperatorTrialRequestRequired(TypedDict):
    samples: List[OperatorTrialSample]


class OperatorTrialRequest(_OperatorTrialRequestRequired, total=False):
    # Default: the installed version
    version: str
    # Default: the defaults of the operator
    params: Dict[str, Any]


class OperatorTrialResult(TypedDict):
    verdict: TrialVerdict
    # Resulting texts: none if the sample was dropped or failed, several if it was split
    texts: List[str]
    # Whether any of these texts was truncated
    truncated: bool
    # The score on which the operator decided
    score: Optional[float]
    # Reason of the drop or failure
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts without a code
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]


class OperatorTrialSample(TypedDict):
    # For a column operator: a row as a JSON object
    text: str


class OperatorVersion(TypedDict):
    version: str
    # An operator without capabilities can be used once PUBLISHED; DISABLED: no task can use it
    status: OperatorStatus
    installed: bool
    digest: str
    sizeBytes: int
    capabilities: List[str]
    models: List[str]
    signature: OperatorSignature
    changes: Optional[str]
    metrics: OperatorMetrics
    createdAt: Optional[str]
    createdBy: Optional[str]


class OperatorVersionChoice(TypedDict, total=False):
    # Default: the newest
    version: str


class PasswordChange(TypedDict):
    currentPassword: str
    newPassword: str


class PictureForm(TypedDict):
    # JSON: `{"steps": […]}`; comes first
    request: str
    # At most 6 files of 20 MiB each
    pictures: List[bytes]


class PicturePreview(TypedDict):
    samples: List[SampleTrace]


class PreviewPicture(TypedDict):
    # Media type
    type: str
    # In pixels, as displayed; null if it cannot be read as a picture
    width: Optional[int]
    height: Optional[int]
    # 1 unless it is an animation
    frames: Optional[int]
    # Size of the file; null between two steps, where a picture is in memory and not encoded
    sizeBytes: Optional[int]
    # WebP as a data URL; null if its pixels cannot be read or the preview has reached its limit of pictures
    thumbnail: Optional[str]


class PreviewSampling(TypedDict):
    """
    Draws random samples from the whole input instead of showing the first ones; the same seed draws the same
    samples of the same version
    """

    # Same seed, same samples
    seed: int


PreviewStepCounts = TypedDict("PreviewStepCounts", {
    "operatorId": "str",
    "in": "int",
    "changed": "int",
    "dropped": "int",
    "failed": "int",
})


class _PreviewTextRequired(TypedDict):
    text: str
    # Whether the text was cut
    truncated: bool
    # Length of the whole text in UTF-16 units
    length: int


class PreviewText(_PreviewTextRequired, total=False):
    # For a picture: its index in `pictures` of the sample, from 0
    picture: int


class PreviewedChunk(TypedDict):
    text: str
    start: int
    end: int
    page: Optional[int]
    headings: List[str]


class ProfileDuplicates(TypedDict):
    """
    Among the samples that were read; a part of the data contains fewer pairs than all of it
    """

    # Samples with the same text as an earlier one
    exact: int
    # Samples similar to an earlier one, exact duplicates included
    near: int


class ProfileSampling(TypedDict):
    """
    Samples drawn at random, as in a preview; without it, a run reads all samples
    """

    # Number of samples
    size: int
    # Same seed, same samples
    seed: int


class ProfileScore(TypedDict):
    # Operator that computes this score
    operatorId: str
    # Its name
    score: str
    description: str
    # COUNT: whole numbers from 0; SHARE: 0 to 1; VALUE: any numbers
    scale: MeasureScale
    # Texts that have it
    count: int
    # Contiguous bins that cover all values
    histogram: List[HistogramBin]
    quantiles: Quantiles


class ProfileShare(TypedDict):
    value: str
    # 0 to 1
    share: float


class PrunedVersions(TypedDict):
    dryRun: bool
    # Deleted versions
    versions: int
    # Deleted file states that only the deleted versions had
    files: int
    # Bytes of content that nothing else uses; the disk space is freed soon after
    bytes: int
    # Old versions that were kept because they have a name
    keptNamed: int
    # Old versions that were kept because a stored run read them
    keptUsed: int


class PublisherKey(TypedDict):
    # Opaque ID
    id: str
    name: str
    publicKey: str
    createdAt: str
    createdBy: str


class PurgeCopy(TypedDict):
    # Opaque ID
    datasetId: str
    datasetName: str
    # Opaque ID
    fileId: str
    filePath: str


class PurgeReport(TypedDict):
    # Opaque ID
    id: str
    # Opaque ID
    datasetId: str
    createdAt: str
    createdBy: str
    files: List[PurgedFile]
    # IDs that match no file in any version
    notFound: List[str]
    # Size of all contents; they are removed from the files of the data folder soon after. What was in database
    # rows, such as texts of knowledge bases, may remain in free pages until these are reused or `VACUUM` is run
    bytes: int
    # Ranges of versions that had the files
    versions: List[PurgedVersionRange]
    # Erased indexes and copies of tables, which are used to show and query rows
    indexes: int
    # Knowledge bases whose documents from these files were erased, with text, chunks and vectors
    knowledgeBases: List[PurgedKnowledgeBase]
    left: PurgeRest


class PurgeReportPage(TypedDict):
    content: List[PurgeReport]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class PurgeRequest(TypedDict):
    # Files of the dataset, including files of older versions
    fileIds: List[str]


class PurgeRest(TypedDict):
    """
    What was not erased and may still contain the content
    """

    # Other files with the same bytes, at most 100
    copies: List[PurgeCopy]
    # Runs that read versions with the files, newest first, at most 100, and their results
    runs: List[PurgeRun]


class PurgeResult(TypedDict):
    # Opaque ID
    datasetId: str
    version: int


class PurgeRun(TypedDict):
    # Opaque ID
    runId: str
    area: str
    # Opaque ID
    taskId: str
    taskName: str
    # Whether the run was reading when the files were erased and has not ended; its results are listed here once it
    # has
    underWay: bool
    # Whether the run still exists; its ledger may contain texts
    stored: bool
    # Stored model calls of the run, including their prompts; deleted TILTH_MODEL_REPLY_RETENTION_DAYS after their
    # last use
    modelCalls: int
    results: List[PurgeResult]


class PurgedFile(TypedDict):
    # Opaque ID
    id: str
    # All paths that it had
    paths: List[str]
    # Number of contents that it had over time
    states: int
    # Total size of these contents
    bytes: int


class PurgedKnowledgeBase(TypedDict):
    # Opaque ID
    id: str
    name: str
    documents: int


PurgedVersionRange = TypedDict("PurgedVersionRange", {
    "from": "int",
    "to": "int",
})


class Quantiles(TypedDict):
    """
    p0 and p100 are exact, the others within 1 % (COUNT) or 0.001 (SHARE)
    """

    p0: float
    p5: float
    p25: float
    p50: float
    p75: float
    p95: float
    p100: float


class _QueriedTableRequired(TypedDict):
    # Opaque ID
    fileId: str
    filePath: str
    # Rows of the file
    rows: int
    # Rows among them that cannot be read and are not part of the table
    unreadable: int
    # Columns beyond 1,000, which are not part of the table
    omittedColumns: int
    # Columns with fractions that have more digits than a double; the query sees the doubles
    rounded: List[str]
    # Columns with lone surrogates; the query sees U+FFFD in their place
    replaced: List[str]


class QueriedTable(_QueriedTableRequired, total=False):
    # Of a workbook
    sheet: str


class QueryColumn(TypedDict):
    name: str
    # DuckDB type
    type: str


class QueryExport(TypedDict):
    # One SELECT, DESCRIBE or SUMMARIZE in the DuckDB dialect, or a PIVOT that lists its values (`ON lang IN (…)`)
    # or an UNPIVOT; no EXPLAIN. Tables are files of the dataset: `files."PATH"`, or a short name if it is unique,
    # such as `train` for `data/train.jsonl`. A sheet is addressed below its workbook: `files."book.xlsx/Sheet 1"`;
    # the workbook itself stands for its first visible sheet
    sql: str
    format: QueryFormat


class QueryResult(TypedDict):
    # The version that was read
    version: int
    offset: int
    # Column names are unique: the second `a` is `a_1`
    columns: List[QueryColumn]
    # Values in column order; integers beyond 2^53, decimals, dates and times as strings. Fewer than `limit` rows if
    # they are long
    rows: List[List[Any]]
    # Row and column of each truncated value
    cut: List[List[int]]
    # More rows follow
    hasMore: bool
    # The files that the query reads
    tables: List[QueriedTable]
    tookMs: int


class _QuerySaveRequired(TypedDict):
    # One SELECT, DESCRIBE or SUMMARIZE in the DuckDB dialect, or a PIVOT that lists its values (`ON lang IN (…)`)
    # or an UNPIVOT; no EXPLAIN. Tables are files of the dataset: `files."PATH"`, or a short name if it is unique,
    # such as `train` for `data/train.jsonl`. A sheet is addressed below its workbook: `files."book.xlsx/Sheet 1"`;
    # the workbook itself stands for its first visible sheet
    sql: str
    # Path of the new file in the dataset; .csv, .jsonl or .parquet decides the format
    filePath: str


class QuerySave(_QuerySaveRequired, total=False):
    onConflict: QueryConflictPolicy
    # Message of the new version; default: the query and the version that it read
    message: str


class RagAnswer(TypedDict):
    # Null when nothing relevant was found
    answer: Optional[str]
    # Whether the model stopped at its token limit in the middle of the answer
    truncated: bool
    citations: List[Citation]
    # Number of documents that other nodes already find but this one does not, because it could not index them
    # within 2 s; 0 if all are found
    behind: int


class RagChunk(TypedDict):
    chunkId: str
    text: str
    # In code points of the text that was read
    start: int
    end: int
    # The page on which the chunk starts; null if the format has none
    page: Optional[int]
    # All pages of which the chunk has text
    pages: List[int]
    # Headings of the sections in which the chunk starts, outermost first
    headings: List[str]


class RagChunkPage(TypedDict):
    content: List[RagChunk]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class RagDocument(TypedDict):
    # Opaque ID
    id: str
    name: str
    fileType: str
    fileSize: int
    status: RagDocumentStatus
    # Why it failed
    cause: Optional[str]
    # Code of `cause`, listed in docs/errors.md; null for texts without a code
    causeCode: Optional[str]
    causeParams: Optional[SentenceParams]
    # Null until processing has ended
    receipt: Optional[RagReceipt]
    chunkCount: int
    # The document in the index that is being rebuilt; null if there is no rebuild
    rebuild: Optional[RagDocumentRebuild]
    # The earliest document of the knowledge base with the same bytes, if it is earlier than this one
    sameContentAs: Optional[RagSameContent]
    datasetId: Optional[str]
    fileId: Optional[str]
    datasetVersion: Optional[int]
    tags: List[str]
    metadata: Dict[str, str]
    createdAt: str
    createdBy: str
    finishedAt: Optional[str]


class _RagDocumentFilesRequired(TypedDict):
    files: List[bytes]


class RagDocumentFiles(_RagDocumentFilesRequired, total=False):
    # JSON: list of strings; precedes the files that it applies to
    tags: str
    # JSON: object with string values; precedes the files that it applies to
    metadata: str


class RagDocumentPage(TypedDict):
    content: List[RagDocument]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class RagDocumentRebuild(TypedDict):
    status: RagDocumentRebuildStatus
    chunkCount: int
    cause: Optional[str]
    # Code of `cause`, listed in docs/errors.md; null for texts without a code
    causeCode: Optional[str]
    causeParams: Optional[SentenceParams]


class RagDocumentsDeletion(TypedDict):
    documentIds: List[str]


class RagDocumentsDeletionResult(TypedDict):
    # Deleted documents
    deleted: int
    # IDs that match no document in the knowledge base
    notFound: List[str]


class _RagDocumentsOfDatasetRequired(TypedDict):
    # Opaque ID
    datasetId: str


class RagDocumentsOfDataset(_RagDocumentsOfDatasetRequired, total=False):
    # Default: all files
    fileIds: List[str]
    # Default: the current one
    version: int
    tags: List[str]
    metadata: Dict[str, str]


class _RagEvaluationRequired(TypedDict):
    settings: List[EvaluatedSettings]


class RagEvaluation(_RagEvaluationRequired, total=False):
    questions: List[RagEvaluationQuestion]
    generate: GeneratedQuestions


class _RagEvaluationQuestionRequired(TypedDict):
    question: str


class RagEvaluationQuestion(_RagEvaluationQuestionRequired, total=False):
    documentIds: List[str]
    chunkIds: List[str]


class RagEvaluationResult(TypedDict):
    questions: int
    # Sampled chunks for which the model generated no question
    chunksWithoutQuestion: int
    # As in a search: the highest number among these searches
    behind: int
    results: List[EvaluatedSearch]


class RagFilter(TypedDict, total=False):
    documentIds: List[str]
    datasetIds: List[str]
    fileTypes: List[str]
    # Documents with any of these
    tags: List[str]
    # Documents with all of these
    metadata: Dict[str, str]
    createdAfter: str
    createdBefore: str


class _RagHitRequired(TypedDict):
    chunkId: str
    # Opaque ID
    documentId: str
    documentName: str
    text: str
    # 0 to 1; computed as described at `minScore`
    score: float
    scores: RagHitScores
    ranks: RagHitRanks
    # The page with most of the query words that the hit contains; without any, the one on which it starts
    page: Optional[int]
    # All pages of which the hit has text
    pages: List[int]
    start: int
    end: int
    headings: List[str]
    # Positions of query words, in code points of `text`
    highlights: List[Highlight]


class RagHit(_RagHitRequired, total=False):
    neighbours: List[RagChunk]


class _RagHitOfBaseRequired(TypedDict):
    # Opaque ID
    knowledgeBaseId: str
    chunkId: str
    # Opaque ID
    documentId: str
    documentName: str
    text: str
    # 0 to 1; computed as described at `minScore`
    score: float
    scores: RagHitScores
    ranks: RagHitRanks
    # The page with most of the query words that the hit contains; without any, the one on which it starts
    page: Optional[int]
    # All pages of which the hit has text
    pages: List[int]
    start: int
    end: int
    headings: List[str]
    # Positions of query words, in code points of `text`
    highlights: List[Highlight]


class RagHitOfBase(_RagHitOfBaseRequired, total=False):
    neighbours: List[RagChunk]


class RagHitRanks(TypedDict):
    # Rank among the nearest vectors, from 1
    vector: Optional[int]
    # Rank among the keyword matches, from 1
    keyword: Optional[int]


class RagHitScores(TypedDict):
    # Cosine similarity; null if the hit is not among the nearest vectors
    vector: Optional[float]
    # BM25 score; null if the hit is not among the keyword matches
    keyword: Optional[float]
    # Score of the reranking model, 0 to 1; null without reranking
    rerank: Optional[float]


class RagLimits(TypedDict):
    # Maximum number of documents in a knowledge base
    documents: int
    # Maximum bytes of a document
    documentBytes: int
    # Maximum characters in the text of a document
    documentCharacters: int


class RagPage(TypedDict):
    page: int
    start: int
    end: int


class _RagQuestionRequired(TypedDict):
    query: str
    # Id of a model of the kind CHAT
    model: str


class RagQuestion(_RagQuestionRequired, total=False):
    # Number of chunks passed to the model; default 5
    topK: int
    filter: RagFilter
    # Streams the answer as server-sent events
    stream: bool


class RagReceipt(TypedDict):
    pageKind: Optional[PageKind]
    # Pages, slides or sheets; null if the format has none
    pagesIn: Optional[int]
    pagesOut: Optional[int]
    characters: int
    tables: int
    chunks: int
    warnings: List[str]
    # Code and values of each of `warnings`, in the same order
    warningSentences: List[Optional[Sentence]]
    # What is neither text nor table of the result
    leftOut: List[LeftOut]
    replaced: ReplacedCharacters
    cause: Optional[str]


class RagSameContent(TypedDict):
    # Opaque ID
    id: str
    name: str


class _RagSearchRequired(TypedDict):
    query: str


class RagSearch(_RagSearchRequired, total=False):
    topK: int
    # Default: HYBRID
    mode: SearchMode
    filter: RagFilter
    # Excludes hits with a lower `score`. VECTOR: the cosine similarity, 0 if it is negative. KEYWORD: b / (b + 5)
    # of the BM25 score b. HYBRID: (w₁ · 61 / (60 + rank by vector) + w₂ · 61 / (60 + rank by keyword)) / (w₁ + w₂),
    # ranks from 1; a list without the hit adds nothing. With `rerank`: the score of that model
    minScore: float
    weights: SearchWeights
    rerank: SearchRerank
    # Neighbouring chunks on each side of a hit
    expand: int


class RagSearchResult(TypedDict):
    hits: List[RagHit]
    tookMs: float
    # Number of documents that other nodes already find but this one does not, because it could not index them
    # within 2 s; 0 if all are found
    behind: int


class _RagSearchTogetherRequired(TypedDict):
    knowledgeBaseIds: List[str]
    query: str


class RagSearchTogether(_RagSearchTogetherRequired, total=False):
    topK: int
    # Default: HYBRID
    mode: SearchMode
    filter: RagFilter
    # Excludes hits with a lower `score`. VECTOR: the cosine similarity, 0 if it is negative. KEYWORD: b / (b + 5)
    # of the BM25 score b. HYBRID: (w₁ · 61 / (60 + rank by vector) + w₂ · 61 / (60 + rank by keyword)) / (w₁ + w₂),
    # ranks from 1; a list without the hit adds nothing. With `rerank`: the score of that model
    minScore: float
    weights: SearchWeights
    rerank: SearchRerank
    # Neighbouring chunks on each side of a hit
    expand: int


class RagSearchTogetherResult(TypedDict):
    hits: List[RagHitOfBase]
    tookMs: float
    # Number of documents that other nodes already find but this one does not, because it could not index them
    # within 2 s; 0 if all are found
    behind: int


class RagText(TypedDict):
    text: str
    # In code points of the text that was read, like all offsets
    start: int
    end: int
    # Length of the whole text
    length: int
    # Pages that this text covers
    pages: List[RagPage]


class _ReadinessRequired(TypedDict):
    # degraded: calls are served, but disk space is low (on a full disk only deletions are accepted) or stored
    # secrets cannot be decrypted
    status: ReadinessStatus


class Readiness(_ReadinessRequired, total=False):
    disk: DiskShortage
    # What to do about a missing key of stored secrets; only if this process lacks it
    secrets: str


class RebuiltDocuments(TypedDict):
    done: int
    # Documents that searches find in the current index
    total: int
    # `GET …/documents?rebuild=FAILED` lists them with their causes
    failed: int


class Refusal(TypedDict):
    path: str
    reason: str
    # Code of `reason`, listed in docs/errors.md; null for texts without a code
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]


class RenamedEntry(TypedDict):
    path: str
    renamedTo: str


class RepeatedFiles(TypedDict):
    """
    Files with the same bytes (SHA-256) as another file, not counting the first of each content
    """

    files: int
    sizeBytes: int


class RepeatedKeys(TypedDict):
    # Number of keys shared by several rows
    keys: int
    # Number of these rows
    rows: int


class ReplacedCharacters(TypedDict):
    count: int
    # The first of them, in UTF-16 code units from 1
    places: List[int]


class Retention(TypedDict):
    # Days to keep an ended run with its log and ledger
    runDays: Optional[int]
    # Number of latest runs of a task that are kept regardless of age
    runsKeptPerTask: int
    # Days to keep a model reply after its last use
    modelReplyDays: Optional[int]


class Rethreshold(TypedDict):
    counts: RethresholdCounts
    kept: KeptBounds
    steps: List[RethresholdStep]


RethresholdCounts = TypedDict("RethresholdCounts", {
    "in": "int",
    "kept": "int",
    "changed": "int",
    "dropped": "int",
    "failed": "int",
    "unknown": "int",
})


class RethresholdRequest(TypedDict):
    steps: List[NewCleaningStep]


RethresholdStep = TypedDict("RethresholdStep", {
    "step": "int",
    "operatorId": "str",
    "in": "int",
    "dropped": "int",
    "failed": "int",
    "unknown": "int",
})


class RetypedColumn(TypedDict):
    name: str
    before: str
    after: str


class RowAboveHeader(TypedDict):
    row: int
    text: str


class RowChange(TypedDict):
    change: RowChangeKind
    # At `from`; null for an added row
    before: Optional[FileRow]
    # At `to`; null for a removed row
    after: Optional[FileRow]
    # Columns in which the two differ, even if both values are truncated
    changedColumns: List[str]


class RowCondition(TypedDict):
    field: str
    op: ConditionOperator
    value: Any


_RowDiffRequired = TypedDict("_RowDiffRequired", {
    "from": "int",
    "to": "int",
    "path": "str",
    "fromPath": "str",
    "key": "List[str]",
    "before": "RowDiffSide",
    "after": "RowDiffSide",
    "columns": "RowDiffColumns",
    "repeatedBefore": "Optional[RepeatedKeys]",
    "repeatedAfter": "Optional[RepeatedKeys]",
    "summary": "RowDiffSummary",
    "offset": "int",
    "total": "int",
    "content": "List[RowChange]",
})


class RowDiff(_RowDiffRequired, total=False):
    # The sheet that is compared, if the table is a workbook
    sheet: str
    # The sheets at `to`
    sheets: List[WorkbookSheet]


class RowDiffColumns(TypedDict):
    """
    How the columns differ
    """

    # A row with a value in one of these columns counts as a different row
    added: List[FileRowColumn]
    removed: List[FileRowColumn]
    # Equal values of a different type do not count as a change
    retyped: List[RetypedColumn]


class RowDiffSide(TypedDict):
    rows: int
    # Unreadable rows, which are not compared
    unreadable: int
    # Columns beyond 1,000, which are not compared
    omittedColumns: int
    columns: List[FileRowColumn]


class RowDiffSummary(TypedDict):
    added: int
    removed: int
    # Rows with the same key and different values
    changed: int
    unchanged: int


class Run(TypedDict):
    # Opaque ID
    id: str
    # URL prefix of its area
    area: str
    # Opaque ID
    taskId: str
    # Number within its task, from 1
    number: int
    status: RunStatus
    # Current phase, in the area's words
    phase: Optional[str]
    # Samples that the current phase has processed; a comparing phase counts none as kept or dropped yet
    phaseSamples: int
    # 0 to 100
    progress: float
    counts: Counts
    # Inputs that the task does not process; not counted
    skipped: int
    # Most frequent reasons for failed inputs, which add up to `counts.failed`: reasons that differ only in numbers
    # are one entry with … in their place, and the rest is `other reasons`
    failures: List[RunFailure]
    createdAt: str
    createdBy: str
    startedAt: Optional[str]
    finishedAt: Optional[str]
    # Why the run failed
    error: Optional[str]
    # Code of `error`, listed in docs/errors.md; null for texts without a code
    errorCode: Optional[str]
    errorParams: Optional[SentenceParams]
    # What a QUEUED run waits for: its turn, or a worker, which it may also do later
    waitingFor: Optional[str]
    # Code of `waitingFor`, listed in docs/errors.md; null for texts without a code
    waitingForCode: Optional[str]
    waitingForParams: Optional[SentenceParams]
    # Run that it resumes
    resumedFrom: Optional[str]
    # Run whose failed samples it processes; null: the whole input
    failedOf: Optional[str]


class RunFailure(TypedDict):
    reason: str
    # Code of `reason`, listed in docs/errors.md; null for texts without a code
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]
    count: int


class RunInput(TypedDict):
    filePath: str
    # Dataset that contains the file
    sourceDatasetId: str
    format: Optional[str]
    # How the file is compressed
    compression: Optional[Compression]
    # Encoding of a text file or line-based table; null for others
    encoding: Optional[str]
    # Whether the encoding is a guess: neither confirmed by a byte order mark or by all bytes, nor set by the task
    guessed: bool
    # Certainty of the encoding; GIVEN: set by the task
    certainty: Optional[EncodingCertainty]
    # Columns that hold the text
    fields: Optional[List[str]]
    samples: int
    # Why the file was skipped; null for one that was read
    skipped: Optional[str]
    # Code of `skipped`, listed in docs/errors.md; null for texts without a code
    skippedCode: Optional[str]
    skippedParams: Optional[SentenceParams]


class RunInputPage(TypedDict):
    content: List[RunInput]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class RunPage(TypedDict):
    content: List[Run]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class RunPlace(TypedDict):
    id: str
    name: str


class SampleTrace(TypedDict):
    filePath: str
    # Data row of a table from 1, not counting the header; null for a document
    row: Optional[int]
    # Line of the file, from 1, where the row begins; null in formats without lines
    line: Optional[int]
    verdict: Verdict
    # Operator that dropped it or failed
    operatorId: Optional[str]
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts without a code
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]
    # Field of the affected text, if the row has several
    field: Optional[str]
    receipt: Optional[DocumentReceipt]
    # In processing order
    steps: List[StepTrace]
    # Texts that would be written
    texts: List[PreviewText]
    # Referenced by steps and results
    pictures: List[PreviewPicture]


class Schedule(TypedDict):
    # Five fields: minute, hour, day of the month, month, day of the week. Interpreted as by Debian cron: if a day
    # field begins with `*`, a day must match both day fields (`0 0 1 * */1` is the first of the month); otherwise
    # one is enough (`0 0 1 * MON` is the first and every Monday). When clocks go forward, times that do not exist
    # run once, right after the gap; when clocks go back, times that occur twice run once. If the minute or hour
    # begins with `*`, the schedule follows the clock instead: missing times are skipped, repeated times run twice.
    cron: str
    timezone: str
    nextRunAt: Optional[str]
    # Why the latest scheduled time had no run
    note: Optional[str]
    # Code of `note`, listed in docs/errors.md; null for texts without a code
    noteCode: Optional[str]
    noteParams: Optional[SentenceParams]


class _SearchRerankRequired(TypedDict):
    # Id of a model of the kind RERANKER
    model: str


class SearchRerank(_SearchRerankRequired, total=False):
    # Number of hits to rerank, at least `topK`; default 50
    candidates: int


class SearchWeights(TypedDict):
    """
    Weights of the two result lists in HYBRID; searches without them use the `hybridWeights` of their knowledge
    base
    """

    vector: float
    keyword: float


class Sentence(TypedDict):
    code: str
    params: SentenceParams


class ServiceError(TypedDict):
    # HTTP status
    code: int
    # Status text
    message: str
    # What is wrong
    error: str
    # Identifier, listed in docs/errors.md
    errorCode: str
    errorParams: SentenceParams
    timestamp: str
    path: str


class ServiceStatus(TypedDict):
    status: str


class SheetErrorCells(TypedDict):
    error: str
    count: int
    # The first such cell, such as `B7`
    first: Optional[str]


class SheetFormulas(TypedDict):
    """
    Formulas without a stored value, which have no value in the table
    """

    count: int
    # The first such cell, such as `B7`
    first: Optional[str]


class SheetReceipt(TypedDict):
    # The sheet that is shown
    sheet: str
    # All sheets with cells, in their order
    sheets: List[WorkbookSheet]
    # Row of the sheet that contains the column names; null: columns are named by letters
    headerRow: Optional[int]
    # Non-empty rows above the header, which are not part of the table
    rowsAbove: List[RowAboveHeader]
    rows: int
    # Empty rows between others
    emptyRows: int
    # Ranges of merged cells; their value is in the first cell
    mergedRanges: int
    # Cells with errors such as `#DIV/0!`, which have no value in the table
    errorCells: List[SheetErrorCells]
    formulasWithoutValue: SheetFormulas


class _SmallFilesAnswerRequired(TypedDict):
    # Opaque ID
    reqId: str
    # All announced files are complete
    uploadCompleted: bool
    # Outcome of each file, in the order of the form
    files: List[FileOutcome]


class SmallFilesAnswer(_SmallFilesAnswerRequired, total=False):
    warnings: List[str]


class _SmallFilesFormRequired(TypedDict):
    # Number of the file within the upload; precedes each file
    fileNo: int
    # Name or relative path of the file; precedes each file
    fileName: str
    # Content of the file, at most one chunk, after its fields. The four parts repeat for each file
    file: bytes


class SmallFilesForm(_SmallFilesFormRequired, total=False):
    # Checksum of the file; precedes it. CRC-32, MD5, SHA-1 or SHA-256 by its length (8, 32, 40, 64)
    checkSumHex: str


class SourceSummary(TypedDict):
    datasetId: str
    # Current name; the name of its folder if the dataset was deleted
    datasetName: str
    # Version that was read
    version: int
    # Folder of its files in the run
    folder: str
    counts: Counts


class StepScore(TypedDict):
    step: int
    operatorId: str
    # Name of the score; null: the score on which the operator decides
    name: Optional[str]
    # Lowest score, if the row has several texts
    score: float
    # Highest score, if the row has several texts; else null
    highest: Optional[float]


StepSummary = TypedDict("StepSummary", {
    "step": "int",
    "operatorId": "str",
    "version": "str",
    "digest": "Optional[str]",
    "in": "int",
    "changed": "int",
    "dropped": "int",
    "failed": "int",
    "ms": "float",
})


class StepTrace(TypedDict):
    # From 0
    step: int
    operatorId: str
    verdict: Verdict
    before: PreviewText
    # None if the sample was dropped or failed here, several if it was split
    after: List[PreviewText]
    # The score on which the step decided
    score: Optional[float]
    # The longest parts of the text before the step that also occur in the datasets that the step compares with
    matches: List[TextMatch]
    # Reason of the drop or failure
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts without a code
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]
    # Field of the affected text, if the row has several
    field: Optional[str]


class SynthesisActualUsage(TypedDict):
    records: int
    # All attempts in the ledger, including repairs, failures and regenerated records
    calls: int
    # Records whose replies were all in the ledger
    known: int
    inputTokens: int
    outputTokens: int
    cost: float
    # Time spent on generating records
    seconds: float


class SynthesisBudget(TypedDict, total=False):
    """
    Hard caps for a run and the runs that resume it: the worst case of each call is reserved in advance. Reaching
    a cap stops the run; it can be resumed after the cap is raised. An omitted cap does not limit; with 0, no
    calls are made and only stored replies are used
    """

    maxCalls: int
    maxTokens: int
    maxCost: float


class _SynthesisCategoryRequired(TypedDict):
    value: str


class SynthesisCategory(_SynthesisCategoryRequired, total=False):
    # Relative frequency; default: 1
    weight: float


class SynthesisChecks(TypedDict, total=False):
    """
    Checks after the schema; null disables a check of the template
    """

    # Drop replies in which the model refuses to answer; default: true
    refusals: bool
    # Drop replies that repeat the prompt or its markers; default: true
    leaks: bool
    # Minimum total characters of all texts of a record; default: 1
    minCharacters: Optional[int]
    # Maximum total characters of all texts of a record
    maxCharacters: Optional[int]
    # Language of the record as an ISO 639-1 code, or SOURCE: the language of its source
    language: Optional[str]
    # Largest similarity to the source: Jaccard index of runs of three words, estimated by MinHash
    similarToSource: Optional[float]
    # Largest similarity to an earlier record of the task, measured likewise; default: 0.9, in templates of the type
    # CLASSIFICATION none
    similarToRecords: Optional[float]
    # Minimum share of the words of a field that occur in the source in sequences of three (or of all its words, if
    # fewer)
    grounding: Optional[SynthesisGrounding]


class _SynthesisColumnRequired(TypedDict):
    # Unique in its template; not the name of a variable, nor `text`, `row` or `file`
    name: str
    kind: SynthesisColumnKind


_SynthesisColumnOptional = TypedDict("_SynthesisColumnOptional", {
    "description": "str",
    "hidden": "bool",
    "sampler": "SynthesisSampler",
    "seed": "int",
    "values": "List[SynthesisCategory]",
    "minimum": "float",
    "maximum": "float",
    "decimals": "int",
    "from": "str",
    "to": "str",
    "datasetId": "str",
    "prefix": "str",
    "expression": "str",
    "systemPrompt": "Optional[str]",
    "prompt": "str",
    "model": "Optional[str]",
    "parameters": "SynthesisParameters",
    "outputSchema": "Optional[Dict[str, Any]]",
    "checks": "SynthesisChecks",
    "of": "List[str]",
    "rubric": "str",
    "minScore": "Optional[float]",
    "schema": "Dict[str, Any]",
    "pattern": "str",
    "minCharacters": "int",
    "maxCharacters": "int",
    "code": "SynthesisCodeLanguage",
}, total=False)


class SynthesisColumn(_SynthesisColumnRequired, _SynthesisColumnOptional):
    pass


class SynthesisColumnValue(TypedDict):
    name: str
    kind: SynthesisColumnKind
    # Null if it was not generated
    value: Any
    # Prompt sent to the model; empty for other kinds
    messages: List[SynthesisMessage]
    # Null if no model was called
    usage: Optional[SynthesisUsage]


class SynthesisDistinct(TypedDict):
    # Length of the word sequences
    words: int
    # Distinct sequences as a share of all sequences
    share: float


class SynthesisDiversity(TypedDict):
    # Records of the result
    records: int
    # Number of records measured; at most 20,000, chosen evenly
    measured: int
    # distinct-1, -2 and -3 over all records together
    distinct: List[SynthesisDistinct]
    # Share of the records that are similar to an earlier one: more than 0.8, estimated by MinHash
    nearDuplicates: float
    lengths: SynthesisLengths
    # Share of the samples with a kept record
    coverage: float
    samples: int
    samplesWithRecords: int


class SynthesisExport(TypedDict):
    # Opaque ID
    datasetId: str
    version: int
    # Records that were written
    records: int
    # The run of these records: the latest that has any
    runId: str
    runNumber: int
    # Records that are not a conversation, as the format requires
    notWritten: int


class SynthesisFacet(TypedDict):
    verdict: SynthesisVerdict
    reasonCode: Optional[str]
    # Text of the code, with `{name}` for each value
    reason: Optional[str]
    # The column at which they were dropped or failed
    column: Optional[str]
    review: Optional[SynthesisReview]
    count: int


class SynthesisFacets(TypedDict):
    # All records of the run, as they are now
    facets: List[SynthesisFacet]


class SynthesisForecast(TypedDict):
    samples: int
    records: int
    # Including those of the judge
    calls: int
    # Tokens of all prompts, counted as o200k_base
    promptTokens: int
    # Based on what the model counted for similar tasks
    inputTokens: int
    outputTokens: int
    # Null for a model without prices
    cost: Optional[float]
    # Null before the first run with the model
    seconds: Optional[int]
    # Whether the samples were counted; otherwise they are estimated by size
    isExact: bool
    # Whether reply lengths and times come from earlier runs with the model and the type of template
    basis: SynthesisForecastBasis


class SynthesisForecastError(TypedDict):
    # Relative deviation: 0.1 means 10 % more than estimated
    calls: Optional[float]
    # Relative deviation: 0.1 means 10 % more than estimated
    inputTokens: Optional[float]
    # Relative deviation: 0.1 means 10 % more than estimated
    outputTokens: Optional[float]
    # Relative deviation: 0.1 means 10 % more than estimated
    cost: Optional[float]
    # Relative deviation: 0.1 means 10 % more than estimated
    seconds: Optional[float]


class SynthesisGrounding(TypedDict):
    # Field of the record
    field: str
    # Minimum share
    min: float


class SynthesisInput(TypedDict):
    prefix: str
    fileTypes: List[str]
    textField: Optional[str]


class _SynthesisJudgeRequired(TypedDict):
    # What the judge grades and how
    rubric: str
    # Records with a lower score (0 to 10) are dropped
    minScore: float


class SynthesisJudge(_SynthesisJudgeRequired, total=False):
    # Default: the model of the task
    model: str


SynthesisLengthBar = TypedDict("SynthesisLengthBar", {
    "from": "int",
    "to": "int",
    "count": "int",
})


class SynthesisLengthQuantiles(TypedDict):
    p0: int
    p25: int
    p50: int
    p75: int
    p100: int


class SynthesisLengths(TypedDict):
    quantiles: SynthesisLengthQuantiles
    histogram: List[SynthesisLengthBar]


class SynthesisMessage(TypedDict):
    role: SynthesisRole
    content: str


class SynthesisParameters(TypedDict, total=False):
    """
    Parameters of the model
    """

    temperature: float
    topP: float
    # Maximum length of a reply
    maxTokens: int
    seed: int
    stop: List[str]
    frequencyPenalty: float
    presencePenalty: float


class SynthesisPreview(TypedDict):
    samples: List[SynthesisPreviewSample]
    # Tokens of all messages
    tokens: int
    # Price of these tokens with the given model; null without a model or without prices
    inputCost: Optional[float]


class SynthesisPreviewRecord(TypedDict):
    verdict: SynthesisVerdict
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts without a code
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]
    # The column at which it was dropped or failed
    column: Optional[str]
    output: Optional[Dict[str, Any]]
    # Reasoning of the model before its answer; counted in the usage, not part of the record
    thinking: Optional[str]
    usage: SynthesisUsage
    # What was changed in the reply of the model so that it became JSON that fits the schema
    mended: List[ReplyMending]


class _SynthesisPreviewSampleRequired(TypedDict):
    source: SynthesisSource
    # Empty for a template with columns, each of which has its own
    messages: List[SynthesisMessage]
    # In generation order; null for a template with one prompt. Without a model, `…` stands for what it would write
    columns: Optional[List[SynthesisColumnValue]]
    # Tokens of all messages, counted as o200k_base
    tokens: int
    # Why the sample cannot be used and would be FAILED
    problem: Optional[str]
    # Code of `problem`, listed in docs/errors.md; null for texts without a code
    problemCode: Optional[str]
    problemParams: Optional[SentenceParams]


class SynthesisPreviewSample(_SynthesisPreviewSampleRequired, total=False):
    record: SynthesisPreviewRecord


class SynthesisRecord(TypedDict):
    # Opaque ID
    id: str
    # Position in source order, from 1
    number: int
    verdict: SynthesisVerdict
    # Why it was dropped or failed
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts without a code
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]
    # The column at which it was dropped or failed; null if it was the record as a whole
    column: Optional[str]
    # The edited content, if it was edited
    output: Optional[Dict[str, Any]]
    # The original reply of the model, if it was edited; otherwise null
    generated: Optional[Dict[str, Any]]
    # Prompt sent to the model; empty for a template with columns
    prompt: List[SynthesisMessage]
    # All generated columns, including hidden ones, in generation order; null for a template with one prompt
    columns: Optional[List[SynthesisColumnValue]]
    model: str
    usage: SynthesisUsage
    # Score of the judge, 0 to 10; the lowest if judges are columns
    score: Optional[float]
    # Reason given by the judge
    judgement: Optional[str]
    # What was changed in the reply of the model so that it became JSON that fits the schema
    mended: List[ReplyMending]
    source: SynthesisSource
    # What the record was generated from: the chunk, or the text of the row
    sourceText: Optional[str]
    template: SynthesisRecordTemplate
    # Number of the call for its sample
    sequence: int
    edited: bool
    review: Optional[SynthesisReview]
    reviewReason: Optional[str]
    # User who last edited, accepted, rejected or regenerated it
    reviewedBy: Optional[str]
    createdAt: str


class SynthesisRecordChanges(TypedDict):
    # According to the schema of the template
    output: Dict[str, Any]


class SynthesisRecordPage(TypedDict):
    content: List[SynthesisRecord]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class SynthesisRecordTemplate(TypedDict):
    # Opaque ID
    id: str
    version: int


class SynthesisRejection(TypedDict, total=False):
    reason: str


class SynthesisRunUsage(TypedDict):
    # When all samples were known; null until then
    forecast: Optional[SynthesisForecast]
    actual: SynthesisActualUsage
    error: SynthesisForecastError


class SynthesisSource(TypedDict):
    # Opaque ID
    fileId: str
    filePath: str
    # Version of the source dataset
    version: int
    # Row of a table, from 1
    row: Optional[int]
    # Offset of the chunk in a document, in code points of its text
    start: Optional[int]
    end: Optional[int]


class SynthesisTask(TypedDict):
    # Opaque ID
    id: str
    name: str
    description: str
    # When the task runs automatically
    schedule: Optional[Schedule]
    # Status of the latest run; PENDING before the first
    status: TaskStatus
    # 0 to 100
    progress: float
    counts: Counts
    startedAt: Optional[str]
    finishedAt: Optional[str]
    # Why the latest run failed
    error: Optional[str]
    # Code of `error`, listed in docs/errors.md; null for texts without a code
    errorCode: Optional[str]
    errorParams: Optional[SentenceParams]
    lastRunId: Optional[str]
    createdAt: str
    createdBy: str
    updatedAt: str
    updatedBy: str
    # Opaque ID
    templateId: str
    templateName: str
    # The task uses this version until it is changed
    templateVersion: int
    # Values of the template variables by name
    variables: Dict[str, str]
    # Opaque ID
    sourceDatasetId: str
    sourceDatasetName: str
    # Null: the latest version when a run starts
    sourceVersion: Optional[int]
    input: SynthesisInput
    chunking: Chunking
    # Id of the model
    model: str
    # Records per sample, one call each
    perSample: int
    # Maximum number of samples; only the first ones are used
    maxSamples: Optional[int]
    checks: SynthesisChecks
    judge: Optional[SynthesisJudge]
    format: SynthesisFormat
    # Whether each record in the result has `_source`: its record, file, row or chunk, model and template
    provenance: bool
    budget: SynthesisBudget
    # Null until a run has created the dataset
    targetDatasetId: Optional[str]
    targetDatasetName: str


class SynthesisTaskChanges(TypedDict, total=False):
    name: str
    description: str
    # Runs the task automatically; null removes the schedule. One run makes up for all missed times; times during a
    # run are skipped
    schedule: Optional[NewSchedule]
    # Opaque ID
    templateId: str
    # Default: the latest version
    templateVersion: int
    # Values of the template variables by name
    variables: Dict[str, str]
    # Opaque ID
    sourceDatasetId: str
    # Default: the latest
    sourceVersion: Optional[int]
    input: NewSynthesisInput
    chunking: NewChunking
    # Id of a model of the kind CHAT, or builtin:cloze
    model: str
    # Records per sample, one call each
    perSample: int
    # Maximum number of samples; only the first ones are used
    maxSamples: Optional[int]
    checks: SynthesisChecks
    judge: Optional[SynthesisJudge]
    # Format of the result; default: RAW
    format: SynthesisFormat
    # Whether each record in the result has `_source`: its record, file, row or chunk, model and template
    provenance: bool
    budget: SynthesisBudget
    # Opaque ID
    targetDatasetId: str
    # Name of a new dataset; default: "<source> (synthetic)"
    targetDatasetName: str


class SynthesisTaskPage(TypedDict):
    content: List[SynthesisTask]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class SynthesisTemplate(TypedDict):
    # Opaque ID
    id: str
    name: str
    description: str
    type: SynthesisTemplateType
    # Language of the prompt
    language: Optional[SynthesisTemplateLanguage]
    systemPrompt: Optional[str]
    # May use `{{text}}`, `{{row.COLUMN}}`, `{{file.path}}` and the declared variables. Content from the source is
    # enclosed in `<text>` or `<field>` tags that it cannot close, and the model is told that it is data. Empty for
    # a template with columns
    prompt: str
    # Columns of each record; replaces `prompt`, `systemPrompt` and `outputSchema`
    columns: Optional[List[SynthesisColumn]]
    variables: List[SynthesisVariable]
    # JSON Schema of a record, an object; each reply is checked against it. Keywords: type, properties, required,
    # items, enum, const, anyOf, additionalProperties, minLength, maxLength, minimum, maximum, minItems, maxItems,
    # pattern (RE2), $ref to own $defs, title, description. Without it, the record is `{"text": the reply}`
    outputSchema: Optional[Dict[str, Any]]
    parameters: SynthesisParameters
    checks: SynthesisChecks
    # From 1; each change creates the next version
    version: int
    # Built in: cannot be changed or deleted
    builtIn: bool
    createdAt: str
    createdBy: str
    updatedAt: str
    updatedBy: str


class SynthesisTemplateChanges(TypedDict, total=False):
    # Unique, not case-sensitive
    name: str
    description: str
    type: SynthesisTemplateType
    # Language of the prompt
    language: Optional[SynthesisTemplateLanguage]
    systemPrompt: Optional[str]
    prompt: str
    # Replaces `prompt`; cycles, unknown names and duplicate names are refused
    columns: Optional[List[SynthesisColumn]]
    variables: List[SynthesisVariable]
    # JSON Schema of a record, an object; each reply is checked against it. Keywords: type, properties, required,
    # items, enum, const, anyOf, additionalProperties, minLength, maxLength, minimum, maximum, minItems, maxItems,
    # pattern (RE2), $ref to own $defs, title, description. Without it, the record is `{"text": the reply}`
    outputSchema: Optional[Dict[str, Any]]
    parameters: SynthesisParameters
    checks: SynthesisChecks


class SynthesisTemplatePage(TypedDict):
    content: List[SynthesisTemplate]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class SynthesisTemplateVersion(TypedDict):
    version: int
    type: SynthesisTemplateType
    # Language of the prompt
    language: Optional[SynthesisTemplateLanguage]
    systemPrompt: Optional[str]
    # May use `{{text}}`, `{{row.COLUMN}}`, `{{file.path}}` and the declared variables. Content from the source is
    # enclosed in `<text>` or `<field>` tags that it cannot close, and the model is told that it is data. Empty for
    # a template with columns
    prompt: str
    # Columns of each record; replaces `prompt`, `systemPrompt` and `outputSchema`
    columns: Optional[List[SynthesisColumn]]
    variables: List[SynthesisVariable]
    # JSON Schema of a record, an object; each reply is checked against it. Keywords: type, properties, required,
    # items, enum, const, anyOf, additionalProperties, minLength, maxLength, minimum, maximum, minItems, maxItems,
    # pattern (RE2), $ref to own $defs, title, description. Without it, the record is `{"text": the reply}`
    outputSchema: Optional[Dict[str, Any]]
    parameters: SynthesisParameters
    checks: SynthesisChecks
    createdAt: str
    createdBy: str


class SynthesisTemplateVersionPage(TypedDict):
    content: List[SynthesisTemplateVersion]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool


class SynthesisUsage(TypedDict):
    inputTokens: int
    outputTokens: int
    # Null if the provider reported no tokens
    cost: Optional[float]
    # Whether the reply was in the ledger and cost nothing
    known: bool


class _SynthesisVariableRequired(TypedDict):
    # Not `text`, `row` or `file`
    name: str


class SynthesisVariable(_SynthesisVariableRequired, total=False):
    description: str
    # Without a default, the task must set a value
    default: str


class Tag(TypedDict):
    # Opaque ID
    id: str
    name: str
    # Colour as #RRGGBB
    color: str
    description: str
    # Datasets with this tag
    usageCount: int


class TagChanges(TypedDict, total=False):
    # Without commas; unique, not case-sensitive
    name: str
    # Colour as #RRGGBB
    color: str
    description: str


class TextColumn(TypedDict):
    # Column, or path into the row, as in `input.textFields`
    name: str
    # First characters of its first value
    example: Optional[str]


class TextFieldsRule(TypedDict):
    # Pattern of file paths
    files: str
    # Columns or paths of the texts
    fields: List[str]


class TextMatch(TypedDict):
    # Where it begins in the text, in UTF-16 units
    start: int
    # Where it ends
    end: int
    # Its first 300 UTF-16 units
    text: str
    # Name and version of the other dataset
    dataset: str
    path: str
    # Data row of a table from 1
    row: Optional[int]
    # Line of the file from 1
    line: Optional[int]


class TrialDataset(TypedDict):
    datasetId: str
    # Its name
    dataset: str
    version: Optional[int]
    # Samples that were compared with
    samples: int
    # Whether these are all; a trial reads only the first ones
    isWhole: bool


class UncountedFile(TypedDict):
    # Opaque ID
    fileId: str
    filePath: str
    reason: str
    # Code of `reason`, listed in docs/errors.md; null for texts without a code
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]


class UncountedFiles(TypedDict):
    # Files that cannot be counted
    files: int
    # The first 100
    shown: List[UncountedFile]


class Upload(TypedDict):
    # Opaque ID
    reqId: str
    # Opaque ID
    datasetId: str
    hasArchive: bool
    totalFileNum: int
    totalSize: int
    prefix: str
    chunkSize: Optional[int]
    onConflict: ConflictPolicy
    unpackInto: UnpackPlace
    # Encoding for archive names that are not declared as Unicode, if set
    nameEncoding: Optional[str]
    createdAt: str
    createdBy: str
    expiresAt: str
    uploadCompleted: bool
    completedFiles: int
    # Partly received files
    incompleteFiles: int
    # Files not yet received
    missingFiles: int
    receivedBytes: int
    # Numbers of completed files from fromFileNo on, as ranges
    completed: List[NumberRange]
    incomplete: List[IncompleteFile]
    # fromFileNo of the next part of the lists; null at their end
    nextFileNo: Optional[int]
    # Outcome of the first 200 archives of the upload
    archives: List[ArchiveReceipt]


class _UploadAnnouncementRequired(TypedDict):
    # Number of files of the upload
    totalFileNum: int
    # Total bytes of all files; further bytes are refused
    totalSize: int


class UploadAnnouncement(_UploadAnnouncementRequired, total=False):
    # Unpack files whose content is zip, tar or tar.gz
    hasArchive: bool
    # Folder of the dataset for the files
    prefix: str
    # Size of every chunk of a file except the last; at most 64 MiB
    chunkSize: int
    # If a file exists: REPLACE it (older versions keep its content), RENAME the new file to the next free name, or
    # ERROR with 409 FILE_ALREADY_EXISTS
    onConflict: ConflictPolicy
    # Where to unpack an archive: into its own folder (PREFIX), or into a new folder named like the archive without
    # extension (FOLDER)
    unpackInto: UnpackPlace
    # Encoding of archive entry names that are not declared as Unicode, as a label of the WHATWG Encoding Standard
    # (gbk, shift_jis, big5, euc-kr …), a code page of DOS (cp437, cp720, cp737, cp775, cp850, cp852, cp857, cp862)
    # or of Windows (cp874, cp932, cp936, cp949, cp950). By default, it is guessed for each zip from all its names
    # with the languages of `Accept-Language` as a hint, and such names in a tar must be UTF-8
    nameEncoding: str


class User(TypedDict):
    id: str
    username: str
    role: Role
    createdAt: str
    updatedAt: str


class UserChanges(TypedDict, total=False):
    # Letters, digits or . _ @ + -; unique, not case-sensitive
    username: str
    password: str
    role: Role


VersionDiff = TypedDict("VersionDiff", {
    "from": "int",
    "to": "int",
    "summary": "VersionDiffSummary",
    "content": "List[VersionFileChange]",
    "page": "int",
    "size": "int",
    "totalElements": "int",
    "totalPages": "int",
    "first": "bool",
    "last": "bool",
})


class VersionDiffSummary(TypedDict):
    added: int
    # Files with different content
    changed: int
    # Files with the same content at another path
    moved: int
    removed: int
    # Size of these files at `from`
    bytesBefore: int
    # Size of these files at `to`
    bytesAfter: int


class VersionFile(TypedDict):
    # Opaque ID
    id: str
    filePath: str
    # Bytes
    fileSize: int
    # SHA-256 of the content; null until computed
    sha256: Optional[str]
    uploadTime: str
    # User name
    uploadedBy: str


class VersionFileChange(TypedDict):
    change: VersionFileChangeKind
    # Path at `to`; for a removed file, at `from`
    filePath: str
    # At `from`; null for an added file
    before: Optional[VersionFile]
    # At `to`; null for a removed file
    after: Optional[VersionFile]


class _VersionNameRequired(TypedDict):
    name: str


class VersionName(_VersionNameRequired, total=False):
    message: str


class VersionPruning(TypedDict, total=False):
    # Number of newest versions to keep; default: those that `before` keeps
    keepLast: int
    # Keep versions created at this time or later
    before: str
    # Only report what would be deleted
    dryRun: bool


class _VersionRestoreRequired(TypedDict):
    # The version to restore
    version: int


class VersionRestore(_VersionRestoreRequired, total=False):
    # Message of the new version
    message: str


class VersionRun(TypedDict):
    # Opaque ID
    id: str
    # Prefix of the area: data-cleaning, data-collection …
    area: str
    # Opaque ID
    taskId: str
    taskName: str
    # Number of the run within its task; 0 if unknown
    number: int
    # Whether the run can still be viewed
    isStored: bool


class WorkbookSheet(TypedDict):
    name: str
    isHidden: bool

OperatorVersions = List[OperatorVersion]
PublisherKeys = List[PublisherKey]
