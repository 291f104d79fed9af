import type { OpenEntryPoint } from './EntryPoint.ts';
import { framesEntry } from './entryPoints/frames.ts';
import { httpEntry } from './entryPoints/http.ts';
import { linkEntry } from './entryPoints/link.ts';
import { mediaEntry } from './entryPoints/media.ts';
import { rawEntry } from './entryPoints/raw.ts';
import { rtmpEntry } from './entryPoints/rtmp.ts';
import { socketEntry } from './entryPoints/socket.ts';
import { uploadEntry } from './entryPoints/uploads.ts';
import { webrtcEntry } from './entryPoints/webrtc.ts';

/** All entry points, by their names on the command line. */
export const entryPoints: Record<string, OpenEntryPoint> = {
  socket: socketEntry,
  frames: framesEntry,
  http: httpEntry,
  raw: rawEntry,
  webrtc: webrtcEntry,
  rtmp: rtmpEntry,
  uploads: uploadEntry,
  media: mediaEntry,
  link: linkEntry,
};
