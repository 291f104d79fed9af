import { createServer } from 'node:http';
import { Server } from 'socket.io';

/* The baseline for idle connections: Socket.IO with the same transports and ping times, which welcomes each client and answers its request. */

const [, , portText = ''] = process.argv;
const http = createServer();
const io = new Server(http, {
  transports: ['websocket'],
  serveClient: false,
  pingInterval: 5_000,
  pingTimeout: 5_000,
});

io.on('connection', (socket) => {
  socket.on('session.catchUp', (_payload: unknown, acknowledge: (answer: unknown) => void) =>
    acknowledge({ ok: true, data: { events: [], latest: 0, isLost: false } }),
  );
  socket.emit('session:welcome', { latestEvent: 0 });
});

http.listen({ port: Number(portText), host: '127.0.0.1', backlog: 4_096 }, () => console.log('listening'));
process.stdin.resume().once('end', () => process.exit());
