import './embed.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { EmbeddedPage } from './EmbeddedPage.tsx';
import { readFrame } from './frame.ts';

/** The network whose chains this server reads. */
const readNetwork = () =>
  fetch('/api/v1/status')
    .then((response) => response.json() as Promise<{ network: 'mainnet' | 'testnet' }>)
    .then(({ network }) => network)
    // The server does not answer: the page reports that.
    .catch(() => 'mainnet' as const);

const frame = readFrame(location);
// A guest with a token signs in to none, and does not wait for the answer.
const network = frame?.token?.startsWith('pt_') ? null : await readNetwork();

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <EmbeddedPage frame={frame} network={network} />
  </StrictMode>,
);
