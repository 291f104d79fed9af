/* RTMP messages, built byte by byte, for clients that do what no real publisher does. */

export const audioType = 8;
export const videoType = 9;
export const dataType = 18;
export const commandType = 20;
/** The chunk size that applies until the client announces another. */
export const chunkBytes = 128;
/** The version byte and the client's two handshake messages of 1,536 bytes each, whose content the server ignores. */
export const handshake = Buffer.alloc(1 + 2 * 1_536, 3);

/** The header of a message, before its first chunk. */
export function headOf(chunkStream: number, type: number, length: number): Buffer {
  const head = Buffer.alloc(12);
  head[0] = chunkStream;
  head.writeUIntBE(length, 4, 3);
  head[7] = type;
  head.writeUInt32LE(1, 8);
  return head;
}

/** Splits a body into chunks. Every chunk but the first has a header of one byte. */
export function chunksOf(body: Buffer, chunkStream: number): Buffer {
  const chunks = [];
  for (let at = 0; at < body.length; at += chunkBytes) {
    if (at > 0) chunks.push(Buffer.from([0xc0 | chunkStream]));
    chunks.push(body.subarray(at, at + chunkBytes));
  }
  return Buffer.concat(chunks);
}

/** A complete message. */
export const messageOf = (type: number, body: Buffer, chunkStream = 3): Buffer =>
  Buffer.concat([headOf(chunkStream, type, body.length), chunksOf(body, chunkStream)]);

const commandOf = (...values: Buffer[]): Buffer => messageOf(commandType, Buffer.concat(values));

/* Values of AMF0, the encoding of commands. */

const nothing = Buffer.from([5]);

function nameOf(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}

const textOf = (value: string): Buffer => Buffer.concat([Buffer.from([2]), nameOf(value)]);

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(9);
  bytes.writeDoubleBE(value, 1);
  return bytes;
}

const connectArgs = (args: Record<string, string>): Buffer => {
  const fields = Object.entries(args).flatMap(([name, value]) => [nameOf(name), textOf(value)]);
  return Buffer.concat([Buffer.from([3]), ...fields, Buffer.from([0, 0, 9])]);
};

export const connectWith = (args: Record<string, string>): Buffer =>
  commandOf(textOf('connect'), numberOf(1), connectArgs(args));
export const connectTo = (app: string): Buffer => connectWith({ app, tcUrl: `rtmp://127.0.0.1/${app}` });
export const connect = connectTo('live');
export const createStream = commandOf(textOf('createStream'), numberOf(2), nothing);
/** A command without arguments of its own, such as closeStream. */
export const command = (name: string): Buffer => commandOf(textOf(name), numberOf(4), nothing);
export const deleteStream = commandOf(textOf('deleteStream'), numberOf(4), nothing, numberOf(1));
export const publish = (key: string): Buffer =>
  commandOf(textOf('publish'), numberOf(3), nothing, textOf(key), textOf('live'));
