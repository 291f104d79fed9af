import type { MediaPath } from '../mediaPath.ts';

/** What a test looked at. */
export type MediaTestCheck =
  | 'secure-context'
  | 'microphone'
  | 'camera'
  | 'websocket'
  | 'udp'
  | 'tcp'
  | 'turn'
  | 'connection';

/** What a test found, with what to change. */
export interface MediaTestFinding {
  check: MediaTestCheck;
  level: 'ok' | 'warning' | 'error';
  /** One or two sentences in English, for the user or a support person. */
  message: string;
  /** The URL of the TURN server, for `turn`. */
  url?: string;
}

/** The figures of a video that this device sent to itself through the server. */
export interface MediaTestFigures {
  /** How the media reached the server. */
  path: MediaPath | null;
  /** Kilobits per second that arrived at the server; at most about 2,500 are tried. */
  uploadKbit: number;
  /** Kilobits per second that came back. */
  downloadKbit: number;
  /** Milliseconds to the server and back; null if the browser does not tell. */
  roundTripMs: number | null;
  /** The share of packets lost on the way to the server and back, 0 to 1. */
  lost: number;
}

/** The report of client.media.test(). */
export interface MediaTestReport {
  startedAt: Date;
  /** All findings, in the order in which they were made. */
  findings: MediaTestFinding[];
  /** The worst level of all findings. */
  level: MediaTestFinding['level'];
  /** Null if no media reached the server. */
  figures: MediaTestFigures | null;
  /** Everything as text, to send to a support person. It has no name, address of a wallet or IP address of the user. */
  text: string;
}

/** Options of client.media.test(). */
export interface MediaTestOptions {
  /** Whether to open the microphone and camera for a moment, for which the browser may ask the user. @default true */
  devices?: boolean;
  /** Called with each check that starts, before its finding. */
  onStart?: (check: MediaTestCheck) => void;
  /** Called with each finding. */
  onFinding?: (finding: MediaTestFinding) => void;
  /** Ends the test. */
  signal?: AbortSignal;
}
