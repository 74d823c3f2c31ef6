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
    # Entries stored under another name because theirs was in use
    renamed: int
    # The first 100
    renames: List[RenamedEntry]
    # Entries overwritten by a later entry of the same path; not counted in files
    overwritten: int
    # The first 100: paths that came more than once
    overwrittenPaths: List[str]
    # Empty folders created; not counted in files
    folders: int
    # Encoding in which names were read that are not declared as Unicode; null without such names
    nameEncoding: Optional[str]
    # Entries whose names were read in an encoding that is a guess; set nameEncoding if they are wrong
    guessedNames: int
    # Where the archive is not as it says of itself, though its entries were read
    warnings: List[str]
    # Of each of `warnings`, in their order
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
    # Entries stored under another name because theirs was in use
    renamed: int
    # The first 100
    renames: List[RenamedEntry]
    # Entries overwritten by a later entry of the same path; not counted in files
    overwritten: int
    # The first 100: paths that came more than once
    overwrittenPaths: List[str]
    # Empty folders created; not counted in files
    folders: int
    # Encoding in which names were read that are not declared as Unicode; null without such names
    nameEncoding: Optional[str]
    # Entries whose names were read in an encoding that is a guess; set nameEncoding if they are wrong
    guessedNames: int
    # Where the archive is not as it says of itself, though its entries were read
    warnings: List[str]
    # Of each of `warnings`, in their order
    warningSentences: List[Optional[Sentence]]
    error: Optional[str]
    # Code of `error`, listed in docs/errors.md; null for texts that have none
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
    # The answer has the first 500 of them
    totalChunks: int


class Citation(TypedDict):
    # Stands in brackets in the answer
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
    # Patterns of file paths that are not read
    exclude: List[str]
    # Text column of all tables; null: detected in each table
    textField: Optional[str]
    # Text columns by file path; the first matching rule decides, before `textField`
    textFields: List[TextFieldsRule]
    # Conditions that rows must meet to be part of the input
    where: List[RowCondition]
    # Encoding of text files and tables without a byte order mark; null: detected in each file
    encoding: Optional[str]


class CleaningInspection(TypedDict):
    # Source version that was inspected
    sourceVersion: int
    # Of several sources, the folder of each, the first source first
    folders: List[str]
    # All selected files by type
    fileTypes: List[InputFileType]
    # The first 100 tables of each source, by path
    tables: List[InputTable]
    # Further tables, which were not inspected
    uncheckedTables: int
    # Of the first 200 texts and documents: those that can not be read, and those whose encoding is a guess
    texts: List[InputText]
    # Further texts and documents, which were not inspected
    uncheckedTexts: int


class _CleaningInspectionRequestRequired(TypedDict):
    # Opaque ID
    sourceDatasetId: str


class CleaningInspectionRequest(_CleaningInspectionRequestRequired, total=False):
    # Default: the current version at the start of each run
    sourceVersion: int
    # With `moreSources`, the folder of the first source, as theirs
    sourceFolder: str
    # Further datasets to read, each once. The files of each source, of the first one as well, then lie below a
    # folder of its own, for the run and in the result: `web/a.jsonl`. Patterns of `input` see these paths;
    # `input.prefix` is of the first source. Weights by folder are given to the step `mix-selector`
    moreSources: List[NewCleaningSource]
    input: NewCleaningInput


class CleaningOutput(TypedDict):
    format: OutputFormat
    # Target size of a file; null for SOURCE
    shardBytes: Optional[int]
    # Column whose values are the folders of the rows; null: none
    folderBy: Optional[str]


class CleaningPreview(TypedDict):
    # Source version that was read
    sourceVersion: int
    samples: List[SampleTrace]
    # Effect of each step on these samples. What could not be read reached none; skipped files are none of them
    steps: List[PreviewStepCounts]
    # The other datasets that steps compared these samples with
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
    # With `moreSources`, the folder of the first source, as theirs
    sourceFolder: str
    # Further datasets to read, each once. The files of each source, of the first one as well, then lie below a
    # folder of its own, for the run and in the result: `web/a.jsonl`. Patterns of `input` see these paths;
    # `input.prefix` is of the first source. Weights by folder are given to the step `mix-selector`
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
    # Files and rows that are no part of the input
    skipped: int
    # Texts that were measured: a row may have several
    texts: int
    drawn: DrawnSamples
    # Every number that an installed operator tells of a text, before any step
    scores: List[ProfileScore]
    # Of texts, commonest first
    languages: List[ProfileShare]
    # Of samples in text files and tables, by the encoding of their file
    encodings: List[ProfileShare]
    duplicates: ProfileDuplicates


class _CleaningProfileRequestRequired(TypedDict):
    # Opaque ID
    sourceDatasetId: str


class CleaningProfileRequest(_CleaningProfileRequestRequired, total=False):
    # Default: the current version at the start of each run
    sourceVersion: int
    # With `moreSources`, the folder of the first source, as theirs
    sourceFolder: str
    # Further datasets to read, each once. The files of each source, of the first one as well, then lie below a
    # folder of its own, for the run and in the result: `web/a.jsonl`. Patterns of `input` see these paths;
    # `input.prefix` is of the first source. Weights by folder are given to the step `mix-selector`
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
    # Folder that its files are in for the run, and in the result
    folder: str


class _CleaningStepRequired(TypedDict):
    operatorId: str
    version: str
    params: Dict[str, Any]


class CleaningStep(_CleaningStepRequired, total=False):
    # Of a published operator: SHA-256 of its package
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
    # Cause of failure of the latest run
    error: Optional[str]
    # Code of `error`, listed in docs/errors.md; null for texts that have none
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
    # Folder that the files of the source are in for the run; null if it is the only one
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
    # Steps whose published operator is uninstalled, disabled or deleted: until it is back or the step is changed,
    # execution is refused
    missingOperators: List[MissingOperator]
    warnings: List[str]


class CleaningTaskChanges(TypedDict, total=False):
    name: str
    description: str
    # Runs the task automatically; null removes the schedule. One run makes up for all missed times; a time during a
    # run is skipped
    schedule: Optional[NewSchedule]
    # Opaque ID
    sourceDatasetId: str
    # Default: the current version at the start of each run
    sourceVersion: int
    # With `moreSources`, the folder of the first source, as theirs
    sourceFolder: str
    # Further datasets to read, each once. The files of each source, of the first one as well, then lie below a
    # folder of its own, for the run and in the result: `web/a.jsonl`. Patterns of `input` see these paths;
    # `input.prefix` is of the first source. Weights by folder are given to the step `mix-selector`
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
    # What becomes of a failed sample: `SET_ASIDE` (the default): it is no part of the target, its original bytes
    # stand with the run; `KEEP`: it is written with its original bytes where the file can hold them, else set
    # aside; `DROP`: only its line in the ledger stays
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
    # Built in: can be neither changed nor deleted
    builtIn: bool
    createdAt: str
    createdBy: str
    updatedAt: str
    updatedBy: str


class CleaningTemplateChanges(TypedDict, total=False):
    # Unique without regard to case
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
    # NONE: runs are driven by the nodes. REFUSING: it answers, but not as it should, as with a wrong token
    state: ClusterState
    # Why it can not be used
    problem: Optional[str]
    # Runs of this installation that it drives
    runs: int
    # Runs that it may drive at a time (`TILTH_RAY_RUNS`)
    maxRuns: Optional[int]


class CollectionExecution(TypedDict, total=False):
    # Continue the latest run, which failed or was stopped, instead of starting over
    resume: bool
    # Forget what earlier runs have fetched and fetch everything again
    fromStart: bool


class CollectionItem(TypedDict):
    # URL, path, object key, or rows of a table
    name: str
    verdict: CollectionVerdict
    # Why it was dropped or failed
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts that have none
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]
    # Path in the dataset
    path: Optional[str]
    # Counted inputs that it stands for: the rows of a file of rows, otherwise 1
    inputs: int
    sizeBytes: Optional[int]
    fetchedAt: str
    # What the source said of it
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
    # Cause of failure of the latest run
    error: Optional[str]
    # Code of `error`, listed in docs/errors.md; null for texts that have none
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
    # Folder of the dataset for what is collected; empty: the root
    prefix: str
    onConflict: CollectionConflictPolicy
    syncMode: SyncMode
    # Whether runs fetch only what has changed since the one before
    incremental: bool


class CollectionTaskChanges(TypedDict, total=False):
    name: str
    description: str
    # Runs the task automatically; null removes the schedule. One run makes up for all missed times; a time during a
    # run is skipped
    schedule: Optional[NewSchedule]
    connector: NewCollectionSource
    # Opaque ID
    targetDatasetId: str
    # Name of a new dataset; default: the name of the task
    targetDatasetName: str
    # Type of a new dataset; default: TEXT
    targetDatasetType: DatasetTypeOfTarget
    prefix: str
    # When a path is taken by a file that this task did not collect: replace it (default; older versions keep it),
    # take another name, or let the item fail
    onConflict: CollectionConflictPolicy
    # SCHEDULED needs a schedule; default: whether there is one
    syncMode: SyncMode
    # Default: whether the connector can
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
    # Number of different values
    distinct: int
    # As text; of a long text the beginning
    min: Optional[str]
    max: Optional[str]
    # Rows whose value is NaN: min, max and mean are those of the others, mean also without infinities
    nan: int
    mean: Optional[float]
    # Of numbers, or of the lengths of texts in characters
    histogram: List[ColumnHistogramBin]
    # Lengths of texts in characters
    lengths: Optional[ColumnLengths]
    # The most frequent values, by their first 200 characters
    top: List[ColumnValue]


class ColumnFigures(_ColumnFiguresRequired, total=False):
    # VARCHAR that holds numbers or truth values among texts: it is filtered, sorted and queried as text
    isMixed: Literal[True]
    # Some of its fractions have more digits than a double: rows, comparisons of versions and numbers of different
    # values have them. SQL, conditions on order and paths have the doubles
    hasDigits: Literal[True]
    # Some of its texts have halves of characters (lone surrogates): rows and comparisons of versions have them.
    # SQL, searches, conditions and figures have U+FFFD in their place
    hasHalves: Literal[True]
    # Name of the column in the header, which another one has, too, or which is empty: the second `a` is `a_2`, an
    # empty one `column_2`
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
    # Whether these are all; a preview reads the first ones, a run all
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
    # By the connector's `configSchema`. A secret field that is missing or null keeps its value when a task is
    # changed; an empty one removes it
    config: Dict[str, Any]


class ConnectorTest(_ConnectorTestRequired, total=False):
    # A task whose stored secrets are used for those that are not given
    taskId: str


class ConnectorTestResult(TypedDict):
    ok: bool
    # What was found, or why the source can not be reached
    message: str
    # Code of `message`, listed in docs/errors.md; null for texts that have none
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
    # Number of different values, estimated; null if several tables have the column
    distinct: Optional[int]
    # Tables whose texts are counted from this column, or from a path into it
    textFiles: int


class ContentDistribution(TypedDict):
    # Sum of all values
    total: float
    mean: Optional[float]
    # Lowest and highest are exact, the others within 1 %; null without values
    quantiles: Optional[ContentQuantiles]
    # Without gaps; `to` is outside. Bins of large values are wider
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
    # Files that are counted so far, those that can not be counted included
    counted: int
    # Null until all files are counted
    contents: Optional[DatasetContents]


class ContentTables(TypedDict):
    rows: int
    # Rows that can not be read
    unreadable: int
    columns: List[ContentColumn]
    # Columns beyond 1,000
    omittedColumns: int


class ContentTextField(TypedDict):
    # A column, or a path into rows: `messages[*].content`
    field: str
    # A task takes it if it names none. Else several columns or paths may hold the text, which a task has to name:
    # this one has the most in the first rows
    isDetected: bool
    # Tables whose texts are counted from it; a sheet is a table
    tables: int


class ContentTexts(TypedDict):
    # Text files and documents, and the texts of one field of each table
    texts: int
    # Empty ones, and rows without any
    empty: int
    # Texts that stand earlier in the same file exactly so
    repeated: int
    # Where the texts of tables stand, the most frequent ones
    fields: List[ContentTextField]
    # Tables whose texts stand in other fields
    otherTables: int
    characters: ContentDistribution
    tokens: ContentDistribution
    # ISO 639-1, `und` where it can not be told; as the operator `language-filter` tells them
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
    # Bytes of the files of the current version
    totalSize: int
    # Percentage of files that are COMPLETED, two decimals; 0 when empty
    completionRate: float
    # Current version: 1 when new, plus 1 for each commit
    version: int
    # Where the data comes from
    dataSource: Optional[str]
    # Intended destination of the data
    targetLocation: Optional[str]
    # What it may be used for: an SPDX identifier, a URL or words
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
    # Of the dataset; otherwise the one that its README names
    license: Optional[str]
    citation: Optional[str]
    tags: List[str]
    fileCount: int
    totalSize: int
    # README.md at the root of the version, or another spelling of it
    readme: Optional[DatasetReadme]
    # Files that belong together by their paths; empty if none says so
    splits: List[DatasetCardSplit]
    # Of at most 50 files, in the order of their paths
    tables: List[DatasetCardTable]
    # Tables; beyond the first 50 files, a workbook counts as one
    tableCount: int


class _DatasetCardColumnRequired(TypedDict):
    name: str
    type: str


class DatasetCardColumn(_DatasetCardColumnRequired, total=False):
    # Name in the header, where that stands twice or is empty: no field of Croissant
    given: str


class DatasetCardSplit(TypedDict):
    # train, validation, test, or a word of the path that stands for one
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
    # Surrounding white space is removed
    name: str
    description: str
    # Tag names without commas; unknown tags are created
    tags: List[str]
    # An SPDX identifier such as CC-BY-4.0, a URL or words; null: none
    license: Optional[str]
    # How to cite it, as text or BibTeX; null: none
    citation: Optional[str]
    # An ARCHIVED dataset accepts no files
    status: SettableDatasetStatus


class DatasetContents(TypedDict):
    # Of OTHER files, nothing but number and size is counted
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
    # What the client sent
    originalName: str
    # Lower-case extension without the dot, '' without one
    fileType: str
    # Bytes
    fileSize: int
    status: FileStatus
    # Path inside the dataset, / between its segments
    filePath: str
    uploadTime: str
    # User name
    uploadedBy: str
    # SHA-256 of the content, lower-case hex; null until computed
    sha256: Optional[str]
    # Media type
    contentType: str
    # Reason if the status is ERROR
    error: Optional[str]
    # Code of `error`, listed in docs/errors.md; null for texts that have none
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
    # Id of the node that was asked about
    root: str
    nodes: List[LineageNode]
    edges: List[LineageEdge]
    # More is known than `depth` or `limit` let through
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
    # One SELECT, DESCRIBE or SUMMARIZE in the dialect of DuckDB, also a PIVOT that names its values (`ON lang IN
    # (…)`) or an UNPIVOT; no EXPLAIN. Tables are files of the dataset: `files."PATH"`, or a short name where only
    # one file has it, such as `train` for `data/train.jsonl`. A sheet of a workbook stands below it:
    # `files."book.xlsx/Sheet 1"`; the workbook itself is its first sheet that is not hidden
    sql: str


class DatasetQuery(_DatasetQueryRequired, total=False):
    # Rows before the first one returned; default 0
    offset: int
    # Most rows returned; default 1,000
    limit: int
    # Longer values are cut; default 10,000
    maxCellCharacters: int
    # Chosen by the caller, to cancel the query by
    queryId: str


class DatasetReadme(TypedDict):
    # Opaque ID
    fileId: str
    path: str
    # Without the block of YAML at its beginning
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
    # What a query can call it: as it stands there, the path in quotes first; a short name that needs quotes is
    # without them
    names: List[str]
    # Null until its index is built, at the first look at it
    rows: Optional[int]
    # By the names that SQL has for them; null until its index is built
    columns: Optional[List[FileRowColumn]]


class DatasetTable(_DatasetTableRequired, total=False):
    # Of a workbook, each of whose sheets is a table
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
    message: Optional[str]
    # Code of `message`, listed in docs/errors.md; null for texts that have none
    messageCode: Optional[str]
    messageParams: Optional[SentenceParams]
    # Request ID of the upload that created this version
    uploadId: Optional[str]
    # An upload is still adding files. The version is closed, and never changes again, when the upload ends,
    # something else is committed, a run or a ZIP reads it, or it gets a name
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
    # User name; of a run, of the person who started it
    createdBy: str
    # The run that made the version; null if a person did
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
    # Also where a CR precedes it
    lineEnd: DelimitedLineEnd
    # Whether quotes enclose cells; otherwise they are ordinary characters
    hasQuotes: bool
    # Whether a line `sep=…` precedes the header
    hasSeparatorLine: bool
    # The header
    columns: List[str]


class Directory(TypedDict):
    path: str
    # Last segment of the path
    name: str
    createdAt: str


class DiskShortage(TypedDict):
    """
    Only if space is low
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
    # Of each of `warnings`, in their order
    warningSentences: List[Optional[Sentence]]


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
    # NEXT: the index that a rebuild makes, which must be READY; default CURRENT
    index: EvaluatedIndex
    # Default: HYBRID
    mode: SearchMode
    # The k of the figures; default 10
    topK: int
    weights: SearchWeights
    # Leaves out hits with a lower `score`. VECTOR: the cosine similarity, 0 if it is negative. KEYWORD: b / (b + 5)
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
    # How many examples it has
    examples: int
    digest: str


class Execution(TypedDict, total=False):
    # Continue the latest run, which failed or was stopped, instead of starting over
    resume: bool
    # The task's latest completed run: only its failed samples are processed, by the steps and settings that the
    # task has now. They are read from the same version of the source; `in` counts them alone. The results are added
    # to the target in a folder of their own, `reprocessed/run-<number of that run>/` with the paths of the source
    # (`reprocessed-<end of the task id>/…` in a target that the task did not create); all other files of the target
    # stay as they are. The next run over the whole source removes these folders. Deduplication compares the samples
    # of this run with each other only. Of a run with `onError` `KEEP`, only samples that were set aside are
    # processed: the others are in the target. 409 `FAILED_OF_REFUSED` if nothing failed, or if the samples could be
    # lost or doubled: a run completed later, or the source or target is no longer that of the run
    failedOf: str


class FileColumns(TypedDict):
    columns: List[ColumnFigures]
    rows: int
    # Readable rows whose values stand in an earlier row, too
    duplicates: int
    # Rows that can not be read
    unreadable: int
    # Columns without figures: those beyond 1,000
    omittedColumns: int


class _FileDeletionRequired(TypedDict):
    fileIds: List[str]


class FileDeletion(_FileDeletionRequired, total=False):
    # Erase the content from all versions, instead of only creating a version without the files
    purge: bool


class FileDeletionResult(TypedDict):
    # Version of the dataset without the files
    version: int
    # Deleted files
    deleted: int
    # IDs without a file in the dataset
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
    Where the content was collected; null for an upload
    """

    # What the source said of it: validators, robots.txt, reservations
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
    # In which the content was read; null for Parquet and documents
    encoding: Optional[str]
    # May end within a line or row if it is not all
    text: Optional[str]
    # How a run reads a CSV or TSV file, as far as its beginning tells; null for any other form
    dialect: Optional[DelimitedDialect]
    # Whether `text` is all of the content
    isWhole: bool
    receipt: Optional[DocumentReceipt]
    # Why there is no text, or none after this one
    problem: Optional[str]
    # Code of `problem`, listed in docs/errors.md; null for texts that have none
    problemCode: Optional[str]
    problemParams: Optional[SentenceParams]


class FileRefusal(TypedDict):
    """
    Why this file was refused; other files are not affected
    """

    # Identifier, as FILE_ALREADY_EXISTS
    error: str
    message: str


class FileRow(TypedDict):
    # Number in the file, from 0, as in the ledger of a run
    row: int
    # Its first line, from 1; in a sheet the number of its row; null in Parquet
    line: Optional[int]
    # By column; whole numbers beyond 2^53 as strings, cells of CSV and TSV as their text. Null if the row can not
    # be read
    values: Optional[Dict[str, Any]]
    # Columns whose value was cut
    cut: List[str]
    # Why the row can not be read
    problem: Optional[str]
    # Code of `problem`, listed in docs/errors.md; null for texts that have none
    problemCode: Optional[str]
    problemParams: Optional[SentenceParams]
    # Its text, if it can not be read
    text: Optional[str]


class _FileRowColumnRequired(TypedDict):
    name: str
    # BOOLEAN, BIGINT, HUGEINT, DOUBLE, VARCHAR, DATE, TIMESTAMP, lists `T[]`, `STRUCT(…)`, JSON for lists or
    # objects among other values, or a type of Parquet
    type: str


class FileRowColumn(_FileRowColumnRequired, total=False):
    # VARCHAR that holds numbers or truth values among texts: it is filtered, sorted and queried as text
    isMixed: Literal[True]
    # Some of its fractions have more digits than a double: rows, comparisons of versions and numbers of different
    # values have them. SQL, conditions on order and paths have the doubles
    hasDigits: Literal[True]
    # Some of its texts have halves of characters (lone surrogates): rows and comparisons of versions have them.
    # SQL, searches, conditions and figures have U+FFFD in their place
    hasHalves: Literal[True]
    # Name of the column in the header, which another one has, too, or which is empty: the second `a` is `a_2`, an
    # empty one `column_2`
    given: str


class _FileRowsRequired(TypedDict):
    offset: int
    # Until the index is ready, those of the first rows
    columns: List[FileRowColumn]
    # At most `limit` rows; fewer where they are long: then the next page begins at `offset` and their number
    content: List[FileRow]
    # Number of chosen rows; null until it is known: where counting takes long, it goes on in the background
    total: Optional[int]
    # Rows of the table that can not be read; null until it is known
    unreadable: Optional[int]
    # Columns that are shown but can not be searched: those beyond 1,000
    omittedColumns: int
    # Types, totals, search and sort come with the index, which is built when a table is first looked into
    index: FileIndexState
    # READY: searches read only the parts of the table that may have what they look for. BUILDING: until then they
    # read all of it. NONE: they read all of it, as the table is small, or the index could not be built
    searchIndex: FileSearchIndexState


class FileRows(_FileRowsRequired, total=False):
    # Percent of the index that is being built
    indexProgress: int
    text: FileRowsText
    workbook: SheetReceipt


class FileRowsText(TypedDict):
    """
    How the bytes of a table in text are read; with the index
    """

    # Name in the Encoding Standard, such as utf-8
    encoding: str
    # Whether all bytes agree with the encoding; else it was guessed
    isCertain: bool
    # Between the cells of CSV and TSV
    delimiter: Optional[str]


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
    # Files at any depth below
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
    # Size of every chunk but the last, once known
    chunkSize: Optional[int]
    receivedChunks: int
    receivedBytes: int
    # The first 1,000 missing chunks, as ranges
    missingChunks: List[NumberRange]


class InputFileType(TypedDict):
    # Extension; empty for files without one
    fileType: str
    # TABLE: its rows are samples. TEXT: a whole text, if its bytes are text. DOCUMENT: converted to text. MEDIA:
    # skipped unless a step processes media. COMPRESSED: gzip, Zstandard or bzip2; `tables` and `texts` tell what is
    # inside. UNSUPPORTED: a failed sample each
    kind: InputKind
    files: int
    sizeBytes: int


class InputTable(TypedDict):
    # Of several sources with the folder of its source
    filePath: str
    sizeBytes: int
    # Detected from the first bytes, or set by `input.encoding`
    encoding: Optional[str]
    # How sure the encoding is; GIVEN: by `input.encoding`
    certainty: Optional[EncodingCertainty]
    # Why the file can not be read, as far as its first bytes tell
    problem: Optional[str]
    # Code of `problem`, listed in docs/errors.md; null for texts that have none
    problemCode: Optional[str]
    problemParams: Optional[SentenceParams]
    # Columns and paths that hold text, from the first rows
    columns: List[TextColumn]
    # The text column that is detected if `input` names none
    guess: Optional[str]
    # Text columns that a task with this `input` reads; null: it has to name one, or is refused, unless the table is
    # empty
    fields: Optional[List[str]]
    # Whether it has no rows: there is nothing to choose. Of Parquet files always false
    isEmpty: bool
    # Whether `input.exclude` leaves it out
    isExcluded: bool


class InputText(TypedDict):
    filePath: str
    sizeBytes: int
    # Detected from the first bytes, or set by `input.encoding`
    encoding: Optional[str]
    # How sure the encoding is; GIVEN: by `input.encoding`
    certainty: Optional[EncodingCertainty]
    # Why the file can not be read, as far as its first bytes tell
    problem: Optional[str]
    # Code of `problem`, listed in docs/errors.md; null for texts that have none
    problemCode: Optional[str]
    problemParams: Optional[SentenceParams]


class KeptBounds(TypedDict):
    """
    How many samples would be kept; all three are equal if it is certain
    """

    atLeast: int
    atMost: int
    # If deduplication decides as in the run, and unknown samples fare like the known ones that passed the same step
    estimate: int


class KnowledgeBase(TypedDict):
    # Opaque ID
    id: str
    name: str
    description: str
    embeddingModel: str
    chunking: Chunking
    # BUILDING: another index is made, and until it is used everything else is about the index in use; or chunks
    # missing in that one are added, and searches answer 503 until all are back
    status: KnowledgeBaseStatus
    # The index that is made with other settings
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
    # When searches ask the index with the changed model or chunking: as soon as it is complete (default), or when
    # told
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
    # READY: complete, and waits for `POST …/rebuild/switch`; FAILED: the same PUT again goes on
    status: RebuildStatus
    documents: RebuiltDocuments
    chunkCount: int
    startedAt: str
    # Why it failed, or waits although it should switch by itself
    cause: Optional[str]
    # Code of `cause`, listed in docs/errors.md; null for texts that have none
    causeCode: Optional[str]
    causeParams: Optional[SentenceParams]


class LedgerEntry(TypedDict):
    sampleId: str
    # In a run with several sources, with the folder of its source
    filePath: str
    # Dataset that the file is of
    sourceDatasetId: str
    # Data row of a table from 1, a header is none; null for a document
    row: Optional[int]
    # Line of the file from 1 that the row begins in; null in formats without lines
    line: Optional[int]
    verdict: Verdict
    # Operator that dropped it or failed
    operatorId: Optional[str]
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts that have none
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]
    # Field of the text concerned, if the row has several
    field: Optional[str]
    scores: List[StepScore]
    # Unreadable line of a table: its first 10,000 characters in a list, its first 1 MiB for a single sample
    rawText: Optional[str]
    receipt: Optional[DocumentReceipt]
    # What of the text at a step occurs in the datasets that the step compares with: the longest parts
    matches: List[LedgerMatch]


class LedgerEntryPage(TypedDict):
    content: List[LedgerEntry]
    page: int
    size: int
    totalElements: int
    totalPages: int
    first: bool
    last: bool
    # Samples whose texts were not searched: there was no time, or the source is gone. They may match, too
    unsearched: int


class LedgerGroup(TypedDict):
    verdict: Verdict
    # Step that dropped the samples or failed on them, from 0
    step: Optional[int]
    operatorId: Optional[str]
    # Null without a reason, or for reasons without a code
    reasonCode: Optional[str]
    # The sentence of this code, with `{name}` for its values
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
    # In a run with several sources, with the folder of its source
    filePath: str
    # Dataset that the file is of
    sourceDatasetId: str
    # Data row of a table from 1, a header is none; null for a document
    row: Optional[int]
    # Line of the file from 1 that the row begins in; null in formats without lines
    line: Optional[int]
    verdict: Verdict
    # Operator that dropped it or failed
    operatorId: Optional[str]
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts that have none
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]
    # Field of the text concerned, if the row has several
    field: Optional[str]
    scores: List[StepScore]
    # Unreadable line of a table: its first 10,000 characters in a list, its first 1 MiB for a single sample
    rawText: Optional[str]
    receipt: Optional[DocumentReceipt]
    # What of the text at a step occurs in the datasets that the step compares with: the longest parts
    matches: List[LedgerMatch]
    # Effect of each step, computed again from the source version of the run
    steps: List[StepTrace]
    # The resulting text
    texts: List[PreviewText]
    # Named by steps and results
    pictures: List[PreviewPicture]
    # Why the steps could not be computed again; else null
    traceProblem: Optional[str]
    # Code of `traceProblem`, listed in docs/errors.md; null for texts that have none
    traceProblemCode: Optional[str]
    traceProblemParams: Optional[SentenceParams]


class LedgerSummary(TypedDict):
    counts: Counts
    # Of a run with several sources, the counts of each; they add up to `counts`
    sources: List[SourceSummary]
    steps: List[StepSummary]
    # All samples by verdict, step and reason, the largest group first
    groups: List[LedgerGroup]


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
    # For people; null if the thing is deleted and so its name is hidden
    name: Optional[str]
    # The thing is deleted: the node shows that it was there, and nothing of it
    hidden: bool
    # Id of the dataset, run, query, operator, model, template or knowledge base
    refId: str
    # Of the dataset, the operator or the template
    version: Optional[str]


class LineageNode(_LineageNodeRequired, total=False):
    # Of the package of a published operator
    digest: str
    run: LineageRun
    query: LineageSqlQuery
    # Documents of a knowledge base from the versions shown
    documents: int


class LineageRun(TypedDict):
    # URL prefix of its area
    area: str
    # Opaque ID
    taskId: str
    # Of the run within its task; 0 if it is not known any more
    number: int
    # Whether the run itself is still there, with its log and ledger
    stored: bool
    steps: List[LineageStep]
    counts: LineageCounts
    createdBy: str
    startedAt: str
    finishedAt: str


class LineageSqlQuery(TypedDict):
    # The statement; a long one is cut
    sql: str
    createdBy: str
    createdAt: str


class LineageStep(TypedDict):
    operatorId: str
    version: str
    # Of the package of a published operator
    digest: Optional[str]
    # Complete parameters
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
    # Samples that the current phase has processed; a phase that compares them counts none as kept or dropped yet
    phaseSamples: int
    # 0 to 100
    progress: float
    counts: Counts
    # Inputs that the task does not process; not counted
    skipped: int
    # Most frequent reasons for failed inputs, together `counts.failed`: reasons that differ in figures alone are
    # one entry with … for these, and what is not named is `other reasons`
    failures: List[RunFailure]
    createdAt: str
    createdBy: str
    startedAt: Optional[str]
    finishedAt: Optional[str]
    # Cause of the failure
    error: Optional[str]
    # Code of `error`, listed in docs/errors.md; null for texts that have none
    errorCode: Optional[str]
    errorParams: Optional[SentenceParams]
    # Run that it continues
    resumedFrom: Optional[str]
    # Run whose failed samples it processes; null: the whole input
    failedOf: Optional[str]
    # Name of its task, or of the document that it processes
    taskName: Optional[str]
    # The knowledge base, of runs that process a document or make an index
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
    # From 1 in order
    seq: int
    time: str
    level: LogLevel
    message: str
    # Code of `message`, listed in docs/errors.md; null for texts that have none
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
    # Its place among the steps, from 0
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
    # Built in: can be neither changed nor deleted
    builtIn: bool
    createdAt: Optional[str]
    createdBy: Optional[str]
    updatedAt: Optional[str]
    updatedBy: Optional[str]


class ModelCaps(TypedDict, total=False):
    """
    A cap that is left out limits nothing; with 0, the model may not be asked
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
    # Code of `message`, listed in docs/errors.md; null for texts that have none
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
    # Calls that the provider may bill and of which it told no tokens (answered without them, broken off, or left by
    # the caller): not in tokens and cost, and charged to budgets at the most
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
    # Calls that the provider may bill and of which it told no tokens (answered without them, broken off, or left by
    # the caller): not in tokens and cost, and charged to budgets at the most
    unreportedCalls: int


class ModelUsageOfRun(TypedDict):
    runId: str
    # Attempts sent, whether answered or not
    calls: int
    inputTokens: int
    outputTokens: int
    # According to the model's prices
    cost: float
    # Calls that the provider may bill and of which it told no tokens (answered without them, broken off, or left by
    # the caller): not in tokens and cost, and charged to budgets at the most
    unreportedCalls: int


class ModelsAsked(TypedDict):
    """
    Null if no step asks models
    """

    # Calls that were made
    calls: int
    # Replies that were stored already: they cost nothing
    known: int
    inputTokens: int
    outputTokens: int
    # By the prices of the models; null if tokens were not reported
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
    # Patterns of file paths that are not read, written as in `textFields`
    exclude: List[str]
    # Text column of all tables, or a path to it; default: in each table the column text, else its only string
    # column. Paths read nested values of JSON Lines and Parquet: `doc.text`, `messages[*].content` (all items),
    # `messages[role=assistant].content` (items with this value), `["a.b"].text` (a name with a dot). A column with
    # exactly this name takes precedence. Rows without the value fail; items of a list that hold null instead have
    # no text and stay as they are. Where messages have their content in parts, `messages[*].content` names the
    # texts of their text parts
    textField: str
    # Text columns by file path; the first matching rule decides, before `textField`
    textFields: List[NewTextFieldsRule]
    # Conditions that rows of tables must meet, all of them. Rows that do not are skipped: they are not in
    # `counts.in` and not in the target, but counted in `skipped` and listed in the ledger with the reason `WHERE`.
    # Documents have no columns. Missing values and null meet only `NE`, `EXISTS` false and `EQ` null. A path to
    # several values needs one that meets the condition, for `NE` all
    where: List[NewRowCondition]
    # Encoding of all text files and tables without a byte order mark, by a name of the WHATWG Encoding Standard
    # (`utf-8`, `gb18030`, `shift_jis`, `windows-1251` …); default: told from each file, and JSON Lines are UTF-8
    encoding: str


class _NewCleaningOutputRequired(TypedDict):
    # `SOURCE` (the default): paths and formats of the source. `PARQUET`, `JSONL`, `JSONL_ZST`: all rows in files of
    # that format, as `load_dataset` finds them (`data/train-00000-of-00012.parquet`). Columns of all files are
    # united; a column that a file lacks is null (PARQUET) or missing. Documents become rows `{text, path}`; cells
    # of CSV are text; of Parquet files, all columns are written, with dates, times and binary as text, and NaN as
    # null
    format: OutputFormat


class NewCleaningOutput(_NewCleaningOutputRequired, total=False):
    # Target size of a file, counted as uncompressed JSON Lines; default: 256 MiB
    shardBytes: int
    # Column whose values are the folders of the rows, at most 200: with that of `split-writer`,
    # `train/00000-of-00003.jsonl`, `validation/…`, `test/…`, as `load_dataset` reads them. Rows without the value
    # are in `none/`. Not with `SOURCE`
    folderBy: str


class _NewCleaningSourceRequired(TypedDict):
    # Opaque ID
    datasetId: str


class NewCleaningSource(_NewCleaningSourceRequired, total=False):
    # Default: the current version at the start of each run
    version: int
    # Folder of it to read
    prefix: str
    # One name; default: that of the dataset, as far as a folder can have it
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
    # Runs the task automatically; null removes the schedule. One run makes up for all missed times; a time during a
    # run is skipped
    schedule: Optional[NewSchedule]
    # Default: the current version at the start of each run
    sourceVersion: int
    # With `moreSources`, the folder of the first source, as theirs
    sourceFolder: str
    # Further datasets to read, each once. The files of each source, of the first one as well, then lie below a
    # folder of its own, for the run and in the result: `web/a.jsonl`. Patterns of `input` see these paths;
    # `input.prefix` is of the first source. Weights by folder are given to the step `mix-selector`
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
    # What becomes of a failed sample: `SET_ASIDE` (the default): it is no part of the target, its original bytes
    # stand with the run; `KEEP`: it is written with its original bytes where the file can hold them, else set
    # aside; `DROP`: only its line in the ledger stays
    onError: OnError


class _NewCleaningTemplateRequired(TypedDict):
    # Unique without regard to case
    name: str
    steps: List[NewCleaningStep]


class NewCleaningTemplate(_NewCleaningTemplateRequired, total=False):
    description: str


class NewCollectionSource(TypedDict):
    # Type of a connector
    type: str
    # By the connector's `configSchema`. A secret field that is missing or null keeps its value when a task is
    # changed; an empty one removes it
    config: Dict[str, Any]


class _NewCollectionTaskRequired(TypedDict):
    name: str
    connector: NewCollectionSource


class NewCollectionTask(_NewCollectionTaskRequired, total=False):
    description: str
    # Runs the task automatically; null removes the schedule. One run makes up for all missed times; a time during a
    # run is skipped
    schedule: Optional[NewSchedule]
    # Opaque ID
    targetDatasetId: str
    # Name of a new dataset; default: the name of the task
    targetDatasetName: str
    # Type of a new dataset; default: TEXT
    targetDatasetType: DatasetTypeOfTarget
    prefix: str
    # When a path is taken by a file that this task did not collect: replace it (default; older versions keep it),
    # take another name, or let the item fail
    onConflict: CollectionConflictPolicy
    # SCHEDULED needs a schedule; default: whether there is one
    syncMode: SyncMode
    # Default: whether the connector can
    incremental: bool


class _NewDatasetRequired(TypedDict):
    # Surrounding white space is removed
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
    # An SPDX identifier such as CC-BY-4.0, a URL or words; null: none
    license: Optional[str]
    # How to cite it, as text or BibTeX; null: none
    citation: Optional[str]


class _NewDirectoryRequired(TypedDict):
    # One segment of a path
    directoryName: str


class NewDirectory(_NewDirectoryRequired, total=False):
    # Folder in which to create it; default: the root
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
    # Text, number, boolean or null; a list of them for `IN`; a text or number for `LT`, `LE`, `GT`, `GE`; true
    # (default) or false for `EXISTS`
    value: Any


class _NewScheduleRequired(TypedDict):
    # Five fields: minute, hour, day of the month, month, day of the week. Read as by cron of Debian: if a day field
    # begins with `*`, a day must fit both day fields (`0 0 1 * */1` is the first of the month); otherwise one is
    # enough (`0 0 1 * MON` is the first and every Monday). When clocks go forward, the times that do not exist run
    # once, right after the gap; when clocks go back, times that come twice run once. If the minute or hour begins
    # with `*`, the schedule follows the clock instead: missing times are skipped, doubled times run twice.
    cron: str


class NewSchedule(_NewScheduleRequired, total=False):
    # IANA name, such as Europe/Berlin; default: UTC
    timezone: str


class NewSynthesisExport(TypedDict, total=False):
    # Default: that of the task
    format: SynthesisFormat
    # Default: as the task says
    provenance: bool


class NewSynthesisInput(TypedDict, total=False):
    # Folder of the source; default: all of it
    prefix: str
    # Extensions; default: all
    fileTypes: List[str]
    # Column that `text` is in rows; default: `text`, otherwise the only one with text
    textField: str


class _NewSynthesisPreviewRequired(TypedDict):
    # Opaque ID
    sourceDatasetId: str


class NewSynthesisPreview(_NewSynthesisPreviewRequired, total=False):
    sourceVersion: int
    # Samples
    limit: int
    # Id of a model of the kind CHAT; without it none is called
    model: str
    # Values of the variables of the template, by name
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
    # Runs the task automatically; null removes the schedule. One run makes up for all missed times; a time during a
    # run is skipped
    schedule: Optional[NewSchedule]
    # Default: the latest version
    templateVersion: int
    # Values of the variables of the template, by name
    variables: Dict[str, str]
    # Default: the latest
    sourceVersion: Optional[int]
    input: NewSynthesisInput
    chunking: NewChunking
    # Records of each sample, one call each
    perSample: int
    # Only the first samples are used
    maxSamples: Optional[int]
    checks: SynthesisChecks
    judge: Optional[SynthesisJudge]
    # Of the result; default: RAW
    format: SynthesisFormat
    # Whether the result has `_source`: record, file, row or chunk, model and template of each record
    provenance: bool
    budget: SynthesisBudget
    # Opaque ID
    targetDatasetId: str
    # Name of a new dataset; default: "<source> (synthetic)"
    targetDatasetName: str
    # false: the task is created and not executed
    autoStart: bool


class _NewSynthesisTemplateRequired(TypedDict):
    # Unique without regard to case
    name: str
    type: SynthesisTemplateType


class NewSynthesisTemplate(_NewSynthesisTemplateRequired, total=False):
    description: str
    # Language of the prompt
    language: Optional[SynthesisTemplateLanguage]
    systemPrompt: Optional[str]
    prompt: str
    # In place of `prompt`; a cycle, an unknown name or a name twice is refused
    columns: Optional[List[SynthesisColumn]]
    variables: List[SynthesisVariable]
    # JSON Schema of a record, an object; each reply is checked against it. Keywords: type, properties, required,
    # items, enum, const, anyOf, additionalProperties, minLength, maxLength, minimum, maximum, minItems, maxItems,
    # pattern (RE2), $ref to own $defs, title, description. Without it, the record is `{"text": the reply}`
    outputSchema: Optional[Dict[str, Any]]
    parameters: SynthesisParameters
    checks: SynthesisChecks


class _NewTagRequired(TypedDict):
    # Without a comma; unique without regard to case
    name: str


class NewTag(_NewTagRequired, total=False):
    # Colour as #RRGGBB
    color: str
    description: str


class _NewTextFieldsRuleRequired(TypedDict):
    # Pattern of file paths: `*` any characters of a name, `**` any folders, `?` one character; without a slash it
    # is compared with the file name
    files: str


class NewTextFieldsRule(_NewTextFieldsRuleRequired, total=False):
    # The only column or path
    field: str
    # Several columns or paths. Each text of a row goes through all steps: the row is dropped if one text is
    # dropped, fails if one fails, and counts as changed if one changes. Deduplication compares all texts of a row
    # as one
    fields: List[str]


class NewUser(TypedDict):
    # Letters, digits or . _ @ + -; unique without regard to case
    username: str
    password: str
    role: Role


class Node(TypedDict):
    # Opaque ID
    id: str
    # Release of the service
    version: str
    # Where it listens; empty while it starts
    address: str
    # DRAINING: it is about to stop. SILENT: the database has not heard of it for 10 seconds
    state: NodeState
    startedAt: str
    seenAt: str
    # Runs that it is at work on
    runs: int
    # Whether it is the node that answers
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
    # Parameters that are compared with the score of a sample; other values can be tried on a finished run
    thresholds: List[OperatorThreshold]
    # What it may access beyond the sample; none for a pure operator
    capabilities: List[str]
    source: OperatorSource
    # PUBLISHED is enough for an operator without capabilities; DISABLED: no task can use it
    status: OperatorStatus
    # Only installed operators can be used in tasks
    installed: bool
    # SHA-256 that identifies this version, lower-case hex
    digest: str
    # Whether it compares all samples before it decides on one
    wholeSet: bool
    # Markdown
    readme: str
    examples: List[OperatorExample]
    # Examples of an operator over the whole set
    setExamples: List[OperatorSetExample]
    licence: str
    # The models that it asks for; part of what an administrator approves
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
    # Rows and files that can not be read, so that neither version saw them
    unreadable: int
    verdictChanged: int
    # Samples with the same verdict and other texts
    textChanged: int
    # Samples of which only the beginning was compared: they are too long
    comparedInPart: int
    # Those that change, at most 100
    samples: List[ComparedSample]


_OperatorComparisonRequestRequired = TypedDict("_OperatorComparisonRequestRequired", {
    "from": "str",
    "to": "str",
    "sourceDatasetId": "str",
})


class OperatorComparisonRequest(_OperatorComparisonRequestRequired, total=False):
    # Default: those of each version
    params: Dict[str, Any]
    # Samples, drawn at random (default 50)
    limit: int
    # Draws the same samples again
    seed: int


class OperatorExamination(TypedDict):
    # Whether publishing this package would succeed
    accepted: bool
    # In the order in which publishing makes them; it ends at the first that refuses
    checks: List[OperatorPackageCheck]
    package: ExaminedPackage
    # The newest version that is published under this id
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
    # Code of `dropped`, listed in docs/errors.md; null for texts that have none
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
    # Of documents of about 2,000 characters
    samplesPerSecond: float
    peakMemoryBytes: int
    # Whether two runs, the second one in another order, gave the same
    deterministic: bool
    # The lane of the sandbox that it was measured in
    lane: SandboxLane


class OperatorOutcome(TypedDict):
    verdict: ComparedVerdict
    # Long texts are cut
    texts: List[str]
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts that have none
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]


class OperatorPackage(TypedDict):
    file: bytes


class OperatorPackageCheck(TypedDict):
    # ARCHIVE: it unpacks by the rules; MANIFEST: operator.json; FILES: code, README and icon; SIGNATURE:
    # operator.sig, if there is one; NUMBER: the id and version are free; EXAMPLES: they pass in the sandbox; FACTS:
    # speed, memory and determinism were measured
    check: PackageCheckName
    state: PackageCheckState
    problem: Optional[str]
    # Code of `problem`, listed in docs/errors.md; null for texts that have none
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
    # How many gave one star, two, … five
    distribution: List[int]


class OperatorSetExample(TypedDict):
    title: str
    params: Dict[str, Any]
    inputs: List[str]
    # One for each input
    outputs: List[OperatorSetOutput]


class OperatorSetOutput(TypedDict):
    # Null if the sample is dropped
    text: Optional[str]
    # Reason of the drop
    dropped: Optional[str]


class OperatorSignature(TypedDict):
    # Whether it was made with a publisher key that is known here
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
    # It is still being measured: ask again in some seconds
    pending: bool


class OperatorSpeeds(TypedDict):
    speeds: List[OperatorSpeed]


class OperatorThreshold(TypedDict):
    param: str
    # A sample is kept if its score is at least (min) or at most (max) this value
    direction: ThresholdDirection


class OperatorTrial(TypedDict):
    # One for each sample, in their order
    results: List[OperatorTrialResult]
    # The other datasets that the samples were compared with
    compared: List[TrialDataset]
    asked: ModelsAsked
    # From the request to the result, in milliseconds
    tookMs: float


class _OperatorTrialRequestRequired(TypedDict):
    samples: List[OperatorTrialSample]


class OperatorTrialRequest(_OperatorTrialRequestRequired, total=False):
    # Default: the installed version
    version: str
    # Default: those of the operator
    params: Dict[str, Any]


class OperatorTrialResult(TypedDict):
    verdict: TrialVerdict
    # The texts afterwards: none if the sample was dropped or failed, several if it was split
    texts: List[str]
    # Whether any of these texts is only the beginning of a longer one
    truncated: bool
    # The score that the operator decided by
    score: Optional[float]
    # Reason of the drop or failure
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts that have none
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]


class OperatorTrialSample(TypedDict):
    # For an operator of columns, a JSON object is a row
    text: str


class OperatorVersion(TypedDict):
    version: str
    # PUBLISHED is enough for an operator without capabilities; DISABLED: no task can use it
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
    # Pixels, as it is shown; null if it can not be read as a picture
    width: Optional[int]
    height: Optional[int]
    # 1 unless it is an animation
    frames: Optional[int]
    # Of the file; null between two steps, where a picture is in memory and not encoded
    sizeBytes: Optional[int]
    # WebP as a data URL; null if its pixels can not be read, or the preview shows as many as it may
    thumbnail: Optional[str]


class PreviewSampling(TypedDict):
    """
    Draws the samples at random from the whole input instead of showing the first ones; the same seed draws the
    same samples of the same version
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
    # Whether this is the beginning of a longer text
    truncated: bool
    # Length of the whole text in UTF-16 units
    length: int


class PreviewText(_PreviewTextRequired, total=False):
    # Of a picture: its number in `pictures` of the sample, from 0
    picture: int


class PreviewedChunk(TypedDict):
    text: str
    start: int
    end: int
    page: Optional[int]
    headings: List[str]


class ProfileDuplicates(TypedDict):
    """
    Among the samples that were read; a part of the data holds fewer pairs than all of it
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
    # Operator that tells this number
    operatorId: str
    # Its name
    score: str
    description: str
    # COUNT: whole numbers from 0; SHARE: 0 to 1; VALUE: any numbers
    scale: MeasureScale
    # Texts that have it
    count: int
    # Bins without gaps over all values
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
    # Deleted states of files: those that only the deleted versions had
    files: int
    # Bytes of the content that nothing else holds; the disk has them soon after
    bytes: int
    # Old versions that stay because they have a name
    keptNamed: int
    # Old versions that stay because a stored run read them
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
    # IDs without a file in any version
    notFound: List[str]
    # Of all contents; the files of the data folder are free of them soon after. What stood in rows of the database,
    # as texts of knowledge bases, may stay in its free pages until they are used again or `VACUUM` is run
    bytes: int
    # Ranges of versions that had the files
    versions: List[PurgedVersionRange]
    # Erased indexes and copies of tables, by which rows are shown and queried
    indexes: int
    # Whose documents made of the files were erased with text, chunks and vectors
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
    # Files of the dataset, those of older versions included
    fileIds: List[str]


class PurgeRest(TypedDict):
    """
    What may still hold the content, and was not touched
    """

    # Other files with the same bytes, at most 100
    copies: List[PurgeCopy]
    # Runs that read versions with the files, newest first, at most 100, and what they made
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
    # It was reading when the files were erased, and has not ended: what it makes is named here when it has
    underWay: bool
    # The run is still there: its ledger may hold texts
    stored: bool
    # Calls of models that the run made and that are kept with what was asked: TILTH_MODEL_REPLY_RETENTION_DAYS
    # after their last use they go
    modelCalls: int
    results: List[PurgeResult]


class PurgedFile(TypedDict):
    # Opaque ID
    id: str
    # All paths that it had
    paths: List[str]
    # Contents that it had, one after the other
    states: int
    # Of all of them
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
    # Rows among them that can not be read and so are not part of the table
    unreadable: int
    # Columns beyond 1,000, which are not part of the table
    omittedColumns: int
    # Columns with fractions of more digits than a double: the query reads the doubles
    rounded: List[str]
    # Columns with halves of characters (lone surrogates): the query reads U+FFFD in their place
    replaced: List[str]


class QueriedTable(_QueriedTableRequired, total=False):
    # Of a workbook
    sheet: str


class QueryColumn(TypedDict):
    name: str
    # As DuckDB names it
    type: str


class QueryExport(TypedDict):
    # One SELECT, DESCRIBE or SUMMARIZE in the dialect of DuckDB, also a PIVOT that names its values (`ON lang IN
    # (…)`) or an UNPIVOT; no EXPLAIN. Tables are files of the dataset: `files."PATH"`, or a short name where only
    # one file has it, such as `train` for `data/train.jsonl`. A sheet of a workbook stands below it:
    # `files."book.xlsx/Sheet 1"`; the workbook itself is its first sheet that is not hidden
    sql: str
    format: QueryFormat


class QueryResult(TypedDict):
    # The version that was read
    version: int
    offset: int
    # Their names are unique: the second `a` is `a_1`
    columns: List[QueryColumn]
    # Values in the order of the columns; whole numbers beyond 2^53, decimals, dates and times as strings. Fewer
    # than `limit` where they are long
    rows: List[List[Any]]
    # Row and column of each value that was cut
    cut: List[List[int]]
    # More rows follow
    hasMore: bool
    # The files that the query reads
    tables: List[QueriedTable]
    tookMs: int


class _QuerySaveRequired(TypedDict):
    # One SELECT, DESCRIBE or SUMMARIZE in the dialect of DuckDB, also a PIVOT that names its values (`ON lang IN
    # (…)`) or an UNPIVOT; no EXPLAIN. Tables are files of the dataset: `files."PATH"`, or a short name where only
    # one file has it, such as `train` for `data/train.jsonl`. A sheet of a workbook stands below it:
    # `files."book.xlsx/Sheet 1"`; the workbook itself is its first sheet that is not hidden
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
    # Whether the model stopped at its limit of tokens, in the middle of the answer
    truncated: bool
    citations: List[Citation]
    # Documents that this node does not find yet, although others do: it could not index them within 2 s. 0 where
    # all are found
    behind: int


class RagChunk(TypedDict):
    chunkId: str
    text: str
    # In code points of the text that was read
    start: int
    end: int
    page: Optional[int]
    # Of the sections in which the chunk starts, outermost first
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
    # Code of `cause`, listed in docs/errors.md; null for texts that have none
    causeCode: Optional[str]
    causeParams: Optional[SentenceParams]
    # Null until the document has ended
    receipt: Optional[RagReceipt]
    chunkCount: int
    # The document in the index that a rebuild makes; null without one
    rebuild: Optional[RagDocumentRebuild]
    # The earliest document of the knowledge base with the same bytes, if there is one before it
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
    # JSON: list of texts; before the files that get them
    tags: str
    # JSON: object of texts; before the files that get it
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
    # Code of `cause`, listed in docs/errors.md; null for texts that have none
    causeCode: Optional[str]
    causeParams: Optional[SentenceParams]


class RagDocumentsDeletion(TypedDict):
    documentIds: List[str]


class RagDocumentsDeletionResult(TypedDict):
    # Deleted documents
    deleted: int
    # IDs without a document in the knowledge base
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
    # Drawn chunks of which the model made no question
    chunksWithoutQuestion: int
    # As of a search: the most that one of these searches did not find
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
    # 0 to 1; how it is made stands at `minScore`
    score: float
    scores: RagHitScores
    ranks: RagHitRanks
    page: Optional[int]
    start: int
    end: int
    headings: List[str]
    # Words of the query, in code points of `text`
    highlights: List[Highlight]


class RagHit(_RagHitRequired, total=False):
    neighbours: List[RagChunk]


class RagHitRanks(TypedDict):
    # Place among the nearest, from 1
    vector: Optional[int]
    # Place among those with the words, from 1
    keyword: Optional[int]


class RagHitScores(TypedDict):
    # Cosine similarity; null if the hit is not among the nearest
    vector: Optional[float]
    # BM25; null if the hit is not among those with the words
    keyword: Optional[float]
    # Of the model that ranked the hits, from 0 to 1; null if none was asked
    rerank: Optional[float]


class RagLimits(TypedDict):
    # Documents of one knowledge base
    documents: int
    # Bytes of one document
    documentBytes: int
    # Characters of the text of one document
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
    # Chunks that the model gets; default 5
    topK: int
    filter: RagFilter
    # Answers with server-sent events while the model writes
    stream: bool


class RagReceipt(TypedDict):
    pageKind: Optional[PageKind]
    # Pages, slides or sheets; null for formats without
    pagesIn: Optional[int]
    pagesOut: Optional[int]
    characters: int
    tables: int
    chunks: int
    warnings: List[str]
    # Of each of `warnings`, in their order
    warningSentences: List[Optional[Sentence]]
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
    # Leaves out hits with a lower `score`. VECTOR: the cosine similarity, 0 if it is negative. KEYWORD: b / (b + 5)
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
    # Documents that this node does not find yet, although others do: it could not index them within 2 s. 0 where
    # all are found
    behind: int


class RagText(TypedDict):
    text: str
    # In code points of the text that was read, as all offsets
    start: int
    end: int
    # Of the whole text
    length: int
    # Pages of which this text has a part
    pages: List[RagPage]


class _ReadinessRequired(TypedDict):
    # degraded: calls are served, but disk space is low (on a full disk only deletions are accepted), or stored
    # secrets can not be decrypted
    status: ReadinessStatus


class Readiness(_ReadinessRequired, total=False):
    disk: DiskShortage
    # Only if this process lacks the key of stored secrets: what to do
    secrets: str


class RebuiltDocuments(TypedDict):
    done: int
    # Documents that searches find in the index in use
    total: int
    # `GET …/documents?rebuild=FAILED` names them with their causes
    failed: int


class Refusal(TypedDict):
    path: str
    reason: str
    # Code of `reason`, listed in docs/errors.md; null for texts that have none
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]


class RenamedEntry(TypedDict):
    path: str
    renamedTo: str


class RepeatedFiles(TypedDict):
    """
    Files whose bytes another file has, too (SHA-256), without the first of each content
    """

    files: int
    sizeBytes: int


class RepeatedKeys(TypedDict):
    # Keys that several rows have
    keys: int
    # These rows
    rows: int


class Retention(TypedDict):
    # Days after its end for which a run is kept, with its log and ledger
    runDays: Optional[int]
    # The latest runs of a task, which are kept however old they are
    runsKeptPerTask: int
    # Days for which a reply of a model is kept after it was asked for last
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
    # Columns in which the two differ, also where both are cut
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

    # Rows with a value in one of them are other rows
    added: List[FileRowColumn]
    removed: List[FileRowColumn]
    # The same values of another type are no change
    retyped: List[RetypedColumn]


class RowDiffSide(TypedDict):
    rows: int
    # Rows that can not be read and are not compared
    unreadable: int
    # Columns beyond 1,000, which are not compared
    omittedColumns: int
    columns: List[FileRowColumn]


class RowDiffSummary(TypedDict):
    added: int
    removed: int
    # Rows with the same key and other values
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
    # Samples that the current phase has processed; a phase that compares them counts none as kept or dropped yet
    phaseSamples: int
    # 0 to 100
    progress: float
    counts: Counts
    # Inputs that the task does not process; not counted
    skipped: int
    # Most frequent reasons for failed inputs, together `counts.failed`: reasons that differ in figures alone are
    # one entry with … for these, and what is not named is `other reasons`
    failures: List[RunFailure]
    createdAt: str
    createdBy: str
    startedAt: Optional[str]
    finishedAt: Optional[str]
    # Cause of the failure
    error: Optional[str]
    # Code of `error`, listed in docs/errors.md; null for texts that have none
    errorCode: Optional[str]
    errorParams: Optional[SentenceParams]
    # Run that it continues
    resumedFrom: Optional[str]
    # Run whose failed samples it processes; null: the whole input
    failedOf: Optional[str]


class RunFailure(TypedDict):
    reason: str
    # Code of `reason`, listed in docs/errors.md; null for texts that have none
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]
    count: int


class RunInput(TypedDict):
    filePath: str
    # Dataset that the file is of
    sourceDatasetId: str
    format: Optional[str]
    # How the file is compressed
    compression: Optional[Compression]
    # Of a text file or a table of lines; null for others
    encoding: Optional[str]
    # Whether the encoding is a guess: neither a mark, nor all bytes, nor the task says so
    guessed: bool
    # How sure the encoding is; GIVEN: by the task
    certainty: Optional[EncodingCertainty]
    # Columns that hold the text
    fields: Optional[List[str]]
    samples: int
    # Why the file was skipped; null for one that was read
    skipped: Optional[str]
    # Code of `skipped`, listed in docs/errors.md; null for texts that have none
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
    # Data row of a table from 1, a header is none; null for a document
    row: Optional[int]
    # Line of the file from 1 that the row begins in; null in formats without lines
    line: Optional[int]
    verdict: Verdict
    # Operator that dropped it or failed
    operatorId: Optional[str]
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts that have none
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]
    # Field of the text concerned, if the row has several
    field: Optional[str]
    receipt: Optional[DocumentReceipt]
    # In processing order
    steps: List[StepTrace]
    # Texts that would be written
    texts: List[PreviewText]
    # Named by steps and results
    pictures: List[PreviewPicture]


class Schedule(TypedDict):
    # Five fields: minute, hour, day of the month, month, day of the week. Read as by cron of Debian: if a day field
    # begins with `*`, a day must fit both day fields (`0 0 1 * */1` is the first of the month); otherwise one is
    # enough (`0 0 1 * MON` is the first and every Monday). When clocks go forward, the times that do not exist run
    # once, right after the gap; when clocks go back, times that come twice run once. If the minute or hour begins
    # with `*`, the schedule follows the clock instead: missing times are skipped, doubled times run twice.
    cron: str
    timezone: str
    nextRunAt: Optional[str]
    # Why the latest scheduled time had no run
    note: Optional[str]
    # Code of `note`, listed in docs/errors.md; null for texts that have none
    noteCode: Optional[str]
    noteParams: Optional[SentenceParams]


class _SearchRerankRequired(TypedDict):
    # Id of a model of the kind RERANKER
    model: str


class SearchRerank(_SearchRerankRequired, total=False):
    # Hits that it reads, at least `topK`; default 50
    candidates: int


class SearchWeights(TypedDict):
    """
    Of the two lists in HYBRID; searches that name none have the `hybridWeights` of their knowledge base
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
    # The first such cell, as `B7`
    first: Optional[str]


class SheetFormulas(TypedDict):
    """
    Formulas without a stored value, which have no value in the table
    """

    count: int
    # The first such cell, as `B7`
    first: Optional[str]


class SheetReceipt(TypedDict):
    # The sheet that is shown
    sheet: str
    # All sheets with cells, in their order
    sheets: List[WorkbookSheet]
    # Row of the sheet with the names of the columns; null: they are named by letters
    headerRow: Optional[int]
    # Filled rows above the header, which are no rows of the table
    rowsAbove: List[RowAboveHeader]
    rows: int
    # Rows without a value between others
    emptyRows: int
    # Ranges of merged cells: their value stands in the first cell
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
    # Number of the file within the upload; before each file
    fileNo: int
    # Name or relative path of the file; before each file
    fileName: str
    # Content of the file, at most one chunk, after its fields. The four parts repeat for each file
    file: bytes


class SmallFilesForm(_SmallFilesFormRequired, total=False):
    # Checksum of the file, before it: CRC-32, MD5, SHA-1 or SHA-256 by its length (8, 32, 40, 64)
    checkSumHex: str


class SourceSummary(TypedDict):
    datasetId: str
    # Its name now; that of its folder if it was deleted
    datasetName: str
    # Version that was read
    version: int
    # Folder of its files in the run
    folder: str
    counts: Counts


class StepScore(TypedDict):
    step: int
    operatorId: str
    # Name of the score; null: the score that the operator decides by
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
    # The score that the step decided by
    score: Optional[float]
    # What of the text before occurs in the datasets that the step compares with: the longest parts
    matches: List[TextMatch]
    # Reason of the drop or failure
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts that have none
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]
    # Field of the text concerned, if the row has several
    field: Optional[str]


class SynthesisActualUsage(TypedDict):
    records: int
    # All attempts in the ledger: also repairs, those that failed, and those of records made anew
    calls: int
    # Records whose replies were all in the ledger
    known: int
    inputTokens: int
    outputTokens: int
    cost: float
    # Time spent on making records
    seconds: float


class SynthesisBudget(TypedDict, total=False):
    """
    Hard caps over a run and the runs that resume it: the worst case of a call is reserved before it is made.
    Reaching one stops the run; it can be resumed after the cap was raised. A cap that is left out limits nothing;
    with 0, no call is made, and only stored replies are used
    """

    maxCalls: int
    maxTokens: int
    maxCost: float


class _SynthesisCategoryRequired(TypedDict):
    value: str


class SynthesisCategory(_SynthesisCategoryRequired, total=False):
    # How often, against the others; default: 1
    weight: float


class SynthesisChecks(TypedDict, total=False):
    """
    What is checked after the schema; null ends a check of the template
    """

    # Drop replies in which the model refuses; default: true
    refusals: bool
    # Drop replies that repeat the prompt or its marks; default: true
    leaks: bool
    # Fewest characters of all texts of a record; default: 1
    minCharacters: Optional[int]
    # Most characters of all texts of a record
    maxCharacters: Optional[int]
    # Language of the record as a code of ISO 639-1, or SOURCE: that of its source
    language: Optional[str]
    # Largest similarity to the source: Jaccard index of runs of three words, estimated by MinHash
    similarToSource: Optional[float]
    # Largest similarity to an earlier record of the task, measured likewise; default: 0.9, in templates of the type
    # CLASSIFICATION none
    similarToRecords: Optional[float]
    # Smallest share of the words of a field that stand in the source in runs of three (of all, if it has fewer)
    grounding: Optional[SynthesisGrounding]


class _SynthesisColumnRequired(TypedDict):
    # Unique in its template; neither a variable of it nor `text`, `row` or `file`
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
    # Null if it was not made
    value: Any
    # What a model was asked; empty for the other kinds
    messages: List[SynthesisMessage]
    # Null if no model was called
    usage: Optional[SynthesisUsage]


class SynthesisDistinct(TypedDict):
    # Length of the runs of words
    words: int
    # Runs that are unlike each other, of all runs
    share: float


class SynthesisDiversity(TypedDict):
    # Records of the result
    records: int
    # Of 20,000 and more, as many are chosen evenly
    measured: int
    # distinct-1, -2 and -3 over all records together
    distinct: List[SynthesisDistinct]
    # Share of the records that are similar to an earlier one: more than 0.8, estimated by MinHash
    nearDuplicates: float
    lengths: SynthesisLengths
    # Share of the samples that gave a kept record
    coverage: float
    samples: int
    samplesWithRecords: int


class SynthesisExport(TypedDict):
    # Opaque ID
    datasetId: str
    version: int
    # Records that were written
    records: int
    # The run whose records they are: the latest that has any
    runId: str
    runNumber: int
    # Records that are no conversation, which the format needs
    notWritten: int


class SynthesisFacet(TypedDict):
    verdict: SynthesisVerdict
    reasonCode: Optional[str]
    # Sentence of the code, with `{name}` for each value
    reason: Optional[str]
    # The column that they were dropped or failed at
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
    # As the model counted them for similar tasks
    inputTokens: int
    outputTokens: int
    # Null for a model without prices
    cost: Optional[float]
    # Null before the first run with the model
    seconds: Optional[int]
    # Whether the samples were counted; otherwise they are estimated by size
    isExact: bool
    # Whether lengths of replies and times are those of earlier runs with the model and the type of template
    basis: SynthesisForecastBasis


class SynthesisForecastError(TypedDict):
    # Share by which the figure is off: 0.1 is a tenth more than expected
    calls: Optional[float]
    # Share by which the figure is off: 0.1 is a tenth more than expected
    inputTokens: Optional[float]
    # Share by which the figure is off: 0.1 is a tenth more than expected
    outputTokens: Optional[float]
    # Share by which the figure is off: 0.1 is a tenth more than expected
    cost: Optional[float]
    # Share by which the figure is off: 0.1 is a tenth more than expected
    seconds: Optional[float]


class SynthesisGrounding(TypedDict):
    # Field of the record
    field: str
    # Smallest share
    min: float


class SynthesisInput(TypedDict):
    prefix: str
    fileTypes: List[str]
    textField: Optional[str]


class _SynthesisJudgeRequired(TypedDict):
    # What the judge is to grade, and how
    rubric: str
    # Records with a lower score, of 0 to 10, are dropped
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
    # Longest reply
    maxTokens: int
    seed: int
    stop: List[str]
    frequencyPenalty: float
    presencePenalty: float


class SynthesisPreview(TypedDict):
    samples: List[SynthesisPreviewSample]
    # Of all messages
    tokens: int
    # Price of these tokens with the given model; null without a model or without prices
    inputCost: Optional[float]


class SynthesisPreviewRecord(TypedDict):
    verdict: SynthesisVerdict
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts that have none
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]
    # The column that it was dropped or failed at
    column: Optional[str]
    output: Optional[Dict[str, Any]]
    # What a reasoning model wrote before its answer; part of the usage, not of the record
    thinking: Optional[str]
    usage: SynthesisUsage


class _SynthesisPreviewSampleRequired(TypedDict):
    source: SynthesisSource
    # Empty for a template of columns: each has its own
    messages: List[SynthesisMessage]
    # In the order in which they are made; null for a template with one prompt. Without a model, the place of what a
    # model would write is `…`
    columns: Optional[List[SynthesisColumnValue]]
    # Of all messages, counted as o200k_base
    tokens: int
    # Why the sample can not be used: it would be FAILED
    problem: Optional[str]
    # Code of `problem`, listed in docs/errors.md; null for texts that have none
    problemCode: Optional[str]
    problemParams: Optional[SentenceParams]


class SynthesisPreviewSample(_SynthesisPreviewSampleRequired, total=False):
    record: SynthesisPreviewRecord


class SynthesisRecord(TypedDict):
    # Opaque ID
    id: str
    # Place in the order of the source, from 1
    number: int
    verdict: SynthesisVerdict
    # Why it was dropped, or failed
    reason: Optional[str]
    # Code of `reason`, listed in docs/errors.md; null for texts that have none
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]
    # The column that it was dropped or failed at; null if it was the record as a whole
    column: Optional[str]
    # In its edited form, if it was edited
    output: Optional[Dict[str, Any]]
    # As the model gave it, if it was edited; otherwise null
    generated: Optional[Dict[str, Any]]
    # What the model was asked; empty for a template of columns
    prompt: List[SynthesisMessage]
    # All columns that were made, hidden ones too, in the order of their making; null for a template with one prompt
    columns: Optional[List[SynthesisColumnValue]]
    model: str
    usage: SynthesisUsage
    # Of the judge, 0 to 10; of judges that are columns the lowest
    score: Optional[float]
    # Why the judge gave it
    judgement: Optional[str]
    source: SynthesisSource
    # What the record was made from: the chunk, or the text of the row
    sourceText: Optional[str]
    template: SynthesisRecordTemplate
    # Number of the call about its sample
    sequence: int
    edited: bool
    review: Optional[SynthesisReview]
    reviewReason: Optional[str]
    # Who edited, accepted, rejected or regenerated it last
    reviewedBy: Optional[str]
    createdAt: str


class SynthesisRecordChanges(TypedDict):
    # By the schema of the template
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
    # When all samples were known; null before that
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
    # Chunk of a document: where it begins, in code points of its text
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
    # Cause of failure of the latest run
    error: Optional[str]
    # Code of `error`, listed in docs/errors.md; null for texts that have none
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
    # Values of the variables of the template, by name
    variables: Dict[str, str]
    # Opaque ID
    sourceDatasetId: str
    sourceDatasetName: str
    # Null: the latest when a run starts
    sourceVersion: Optional[int]
    input: SynthesisInput
    chunking: Chunking
    # Id of the model
    model: str
    # Records of each sample, one call each
    perSample: int
    # Only the first samples are used
    maxSamples: Optional[int]
    checks: SynthesisChecks
    judge: Optional[SynthesisJudge]
    format: SynthesisFormat
    # Whether the result has `_source`: record, file, row or chunk, model and template of each record
    provenance: bool
    budget: SynthesisBudget
    # Null until a run has created the dataset
    targetDatasetId: Optional[str]
    targetDatasetName: str


class SynthesisTaskChanges(TypedDict, total=False):
    name: str
    description: str
    # Runs the task automatically; null removes the schedule. One run makes up for all missed times; a time during a
    # run is skipped
    schedule: Optional[NewSchedule]
    # Opaque ID
    templateId: str
    # Default: the latest version
    templateVersion: int
    # Values of the variables of the template, by name
    variables: Dict[str, str]
    # Opaque ID
    sourceDatasetId: str
    # Default: the latest
    sourceVersion: Optional[int]
    input: NewSynthesisInput
    chunking: NewChunking
    # Id of a model of the kind CHAT, or builtin:cloze
    model: str
    # Records of each sample, one call each
    perSample: int
    # Only the first samples are used
    maxSamples: Optional[int]
    checks: SynthesisChecks
    judge: Optional[SynthesisJudge]
    # Of the result; default: RAW
    format: SynthesisFormat
    # Whether the result has `_source`: record, file, row or chunk, model and template of each record
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
    # With `{{text}}`, `{{row.COLUMN}}`, `{{file.path}}` and the declared variables. What comes from the source is
    # set between `<text>` or `<field>` tags that it can not close, and the model is told that it is data. Empty for
    # a template of columns
    prompt: str
    # In place of `prompt`, `systemPrompt` and `outputSchema`: each record has these columns
    columns: Optional[List[SynthesisColumn]]
    variables: List[SynthesisVariable]
    # JSON Schema of a record, an object; each reply is checked against it. Keywords: type, properties, required,
    # items, enum, const, anyOf, additionalProperties, minLength, maxLength, minimum, maximum, minItems, maxItems,
    # pattern (RE2), $ref to own $defs, title, description. Without it, the record is `{"text": the reply}`
    outputSchema: Optional[Dict[str, Any]]
    parameters: SynthesisParameters
    checks: SynthesisChecks
    # From 1; each change makes the next one
    version: int
    # Built in: can be neither changed nor deleted
    builtIn: bool
    createdAt: str
    createdBy: str
    updatedAt: str
    updatedBy: str


class SynthesisTemplateChanges(TypedDict, total=False):
    # Unique without regard to case
    name: str
    description: str
    type: SynthesisTemplateType
    # Language of the prompt
    language: Optional[SynthesisTemplateLanguage]
    systemPrompt: Optional[str]
    prompt: str
    # In place of `prompt`; a cycle, an unknown name or a name twice is refused
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
    # With `{{text}}`, `{{row.COLUMN}}`, `{{file.path}}` and the declared variables. What comes from the source is
    # set between `<text>` or `<field>` tags that it can not close, and the model is told that it is data. Empty for
    # a template of columns
    prompt: str
    # In place of `prompt`, `systemPrompt` and `outputSchema`: each record has these columns
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
    # Null if the provider told no tokens
    cost: Optional[float]
    # Whether the reply was in the ledger: nothing was paid for it
    known: bool


class _SynthesisVariableRequired(TypedDict):
    # Not `text`, `row` or `file`
    name: str


class SynthesisVariable(_SynthesisVariableRequired, total=False):
    description: str
    # Without it, a task must give a value
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
    # Without a comma; unique without regard to case
    name: str
    # Colour as #RRGGBB
    color: str
    description: str


class TextColumn(TypedDict):
    # Column, or path into the row, as in `input.textFields`
    name: str
    # Beginning of its first value
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
    # Whether these are all; a trial reads the first ones
    isWhole: bool


class UncountedFile(TypedDict):
    # Opaque ID
    fileId: str
    filePath: str
    reason: str
    # Code of `reason`, listed in docs/errors.md; null for texts that have none
    reasonCode: Optional[str]
    reasonParams: Optional[SentenceParams]


class UncountedFiles(TypedDict):
    # Files that can not be counted
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
    # Encoding of undeclared names in archives, if it was set
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
    # Total bytes of all files; more are refused
    totalSize: int


class UploadAnnouncement(_UploadAnnouncementRequired, total=False):
    # Unpack files that are zip, tar or tar.gz by their content
    hasArchive: bool
    # Folder of the dataset for the files
    prefix: str
    # Size of every chunk of a file but the last; at most 64 MiB
    chunkSize: int
    # If a file exists: REPLACE it (older versions keep its content), RENAME the new file to the next free name, or
    # ERROR with 409 FILE_ALREADY_EXISTS
    onConflict: ConflictPolicy
    # Where to unpack an archive: into its own folder (PREFIX), or into a new folder named like the archive without
    # extension (FOLDER)
    unpackInto: UnpackPlace
    # Encoding of the names in archives that are not declared as Unicode, as a label of the WHATWG Encoding Standard
    # (gbk, shift_jis, big5, euc-kr …), cp437 or the code page of a Windows system (cp932, cp936, cp949, cp950).
    # Without it, it is guessed for each zip from all its names, and such names of a tar must be UTF-8
    nameEncoding: str


class User(TypedDict):
    id: str
    username: str
    role: Role
    createdAt: str
    updatedAt: str


class UserChanges(TypedDict, total=False):
    # Letters, digits or . _ @ + -; unique without regard to case
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
    # Files with other content
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
    # Path at `to`; of a removed file at `from`
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
    # Keep the newest versions, so many; default: those that `before` keeps
    keepLast: int
    # Keep versions created at this time or later
    before: str
    # Delete nothing, only tell what would be deleted
    dryRun: bool


class _VersionRestoreRequired(TypedDict):
    # The version whose files become current again
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
    # Within its task; 0 if it is not known
    number: int
    # Whether the run can still be looked at
    isStored: bool


class WorkbookSheet(TypedDict):
    name: str
    isHidden: bool

OperatorVersions = List[OperatorVersion]
PublisherKeys = List[PublisherKey]
