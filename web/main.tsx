import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './ui/theme.css';
import { createRoot } from 'react-dom/client';
import { startMessages } from './messages/index.ts';
import { Application } from './application.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element #root');
void startMessages().then(() => createRoot(root).render(<Application />));
