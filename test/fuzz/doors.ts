import type { OpenEntryPoint } from './Door.ts';
import { framesEntry } from './doors/frames.ts';
import { httpEntry } from './doors/http.ts';
import { linkEntry } from './doors/link.ts';
import { mediaEntry } from './doors/media.ts';
import { rawEntry } from './doors/raw.ts';
import { rtmpEntry } from './doors/rtmp.ts';
import { socketEntry } from './doors/socket.ts';
import { uploadEntry } from './doors/uploads.ts';
import { webrtcEntry } from './doors/webrtc.ts';

/** The ways in, by the name the command line knows them by. */
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
