/** Types for the parts of the npm package `smpp` that are used here. The package has no types. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events';
  import type { Server as NetServer, Socket } from 'node:net';

  /** The fields have the names of SMPP 3.4. */
  interface PDU {
    command: string;
    command_status: number;
    sequence_number: number;
    [field: string]: unknown;
    isResponse(): boolean;
    response(fields?: Record<string, unknown>): PDU;
  }

  interface Session extends EventEmitter {
    socket: Socket;
    /** @returns false if the socket accepts no more data */
    send(pdu: PDU, onResponse?: (response: PDU) => void): boolean;
    close(): void;
    destroy(): void;
  }

  interface Smpp {
    PDU: new (command: string, fields?: Record<string, unknown>) => PDU;
    connect(options: Record<string, unknown>): Session;
    createServer(options: Record<string, unknown>, onSession: (session: Session) => void): NetServer;
    /** GSM 03.38, one septet in each octet. */
    gsmCoder: { encode(text: string, table: number): Buffer };
    errors: Record<string, number>;
  }

  const smpp: Smpp;
  export default smpp;
  export type { PDU, Session };
}
