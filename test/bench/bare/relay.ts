import { createServer } from 'node:http';
import { Server } from 'socket.io';

/* The baseline for messages: Socket.IO relays them between two sockets and acknowledges them without storing them. */

const [, , portText = ''] = process.argv;
const http = createServer();
const io = new Server(http, { transports: ['websocket'] });

interface Sent {
  to: string;
}

io.on('connection', (socket) => {
  void socket.join(String(socket.handshake.auth.wallet));
  socket.on('send', (message: Sent, acknowledge: (answer: unknown) => void) => {
    io.to(message.to).emit('message', message);
    acknowledge({});
  });
});

http.listen(Number(portText), '127.0.0.1', () => console.log('listening'));
process.stdin.resume().once('end', () => process.exit());
