import type { Server } from 'node:http';

/**
 * Ends connections that ask for a WebSocket elsewhere than below `path`. Engine.IO does so by itself, but not where something was
 * answered on the same connection before: that would stay open for as long as its client likes.
 */
export function endOtherUpgrades(server: Server, path: string): void {
  server.on('upgrade', ({ url }, socket) => {
    if (!url?.startsWith(path)) socket.end(() => socket.destroy());
  });
}
