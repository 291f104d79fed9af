import type { OpenDoor } from './Door.ts';
import { framesDoor } from './doors/frames.ts';
import { httpDoor } from './doors/http.ts';
import { linkDoor } from './doors/link.ts';
import { mediaDoor } from './doors/media.ts';
import { rawDoor } from './doors/raw.ts';
import { rtmpDoor } from './doors/rtmp.ts';
import { socketDoor } from './doors/socket.ts';
import { uploadDoor } from './doors/uploads.ts';
import { webrtcDoor } from './doors/webrtc.ts';

/** The ways in, by the name the command line knows them by. */
export const doors: Record<string, OpenDoor> = {
  socket: socketDoor,
  frames: framesDoor,
  http: httpDoor,
  raw: rawDoor,
  webrtc: webrtcDoor,
  rtmp: rtmpDoor,
  uploads: uploadDoor,
  media: mediaDoor,
  link: linkDoor,
};
