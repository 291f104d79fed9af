import type { BrowserClient } from './browser.ts';

interface Change {
  /** Called with each message of the page. If it returns a promise, the message is held until that resolves. */
  sent: (message: string) => unknown;
  /** Returns what the page receives instead; null closes the connection. */
  received: (message: string) => string | null;
}

/** Changes what a page and its server send each other, after a reload of the page. */
export async function intercept({ page, context, signIn }: BrowserClient, change: Change): Promise<void> {
  await context.routeWebSocket(/socket\.io/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      void Promise.resolve(change.sent(String(message))).then(() => server.send(message));
    });
    server.onMessage((message) => {
      const changed = change.received(String(message));
      if (changed === null) void socket.close();
      else socket.send(changed);
    });
  });
  await page.reload();
  await signIn();
}
