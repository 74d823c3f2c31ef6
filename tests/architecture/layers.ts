// Names of rows of the map that others are above.
export const storage = ['database', 'disk space', 'blobs', 'backup', 'moving', 'vectors'];
export const ways = ['secrets', 'outgoing'];
export const belowRuns = ['database', 'kernel'];
export const belowNodes = ['database', 'kernel'];
export const belowEngine = [
  'runs',
  'operator packages',
  'sandbox',
  'operators',
  'connectors',
  'documents',
  'chunking',
  'tables',
  'encodings',
  'models',
  'processes',
  ...ways,
  ...storage,
  'kernel',
];
export const belowWork = [
  'operator packages',
  'sandbox',
  'operators',
  'documents',
  'tables',
  'encodings',
  'processes',
  'kernel',
];
export const belowTasks = ['runs', 'database', 'kernel'];
export const belowAreas = ['nodes', 'tasks', 'engine', 'contents', ...belowEngine];
