import './embed.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { EmbeddedPage } from './EmbeddedPage.tsx';
import { readFrame } from './frame.ts';

/** The network whose chains this server reads. */
const network = await fetch('/api/v1/status')
  .then((response) => response.json() as Promise<{ network: 'mainnet' | 'testnet' }>)
  .then((status) => status.network)
  // The server does not answer: the page reports that.
  .catch(() => 'mainnet' as const);

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <EmbeddedPage frame={readFrame(location)} network={network} />
  </StrictMode>,
);
