import './embed.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { EmbeddedPage } from './EmbeddedPage.tsx';
import { readFrame } from './frame.ts';

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <EmbeddedPage frame={readFrame(location)} />
  </StrictMode>,
);
