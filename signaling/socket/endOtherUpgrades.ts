import type { Server } from 'node:http';

/**
 * Ends connections that ask for a WebSocket outside `path`. Engine.IO does so too, except on a connection that has already served a
 * response: that one would stay open for as long as its client likes.
 */
export function endOtherUpgrades(server: Server, path: string): void {
  server.on('upgrade', ({ url }, socket) => {
    if (!url?.startsWith(path)) socket.end(() => socket.destroy());
  });
}
