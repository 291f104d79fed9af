import { browserWallets } from '@parley/react';
import './theme/mantine.ts';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { watchFocus } from './data/watchFocus.ts';
import { ParleyClient } from './session/ParleyClient.tsx';
import { SessionController } from './session/SessionController.ts';
import { PageBoundary } from './shell/PageBoundary.tsx';
import { reloadAfterUpgrade } from './shell/reloadAfterUpgrade.ts';
import { cssVariablesResolver, theme } from './theme/theme.ts';
import { keepFocus } from './ui/keepFocus.ts';
import { report } from './ui/report.ts';

const session = new SessionController(report);
const wallets = browserWallets();
watchFocus();
keepFocus();
reloadAfterUpgrade();

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
      <Notifications position="top-center" />
      <ParleyClient session={session} wallets={wallets}>
        <PageBoundary>
          <App />
        </PageBoundary>
      </ParleyClient>
    </MantineProvider>
  </StrictMode>,
);
