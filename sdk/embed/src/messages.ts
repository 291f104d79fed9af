/*
 * The messages between a page and the frame that it embeds, by window.postMessage. `parley` names the message.
 */

/** From the frame to the page. */
export type FrameMessage =
  /** The frame is loaded and accepts messages. */
  | { parley: 'ready' }
  /** The user is in the room or call, or watches the stream. */
  | { parley: 'joined' }
  /** The user has left, or the room, call or stream has ended, also a call that nobody has answered. */
  | { parley: 'left' }
  /** Something failed. The frame shows it too. */
  | { parley: 'error'; message: string };

/** The attributes that a running frame takes over, null if they are missing. The others name what it shows, and for whom. */
export interface Attributes {
  theme: string | null;
  name: string | null;
  type: string | null;
}

/** From the page to the frame. */
export type PageMessage =
  /** Leaves the room, call or stream. */
  | { parley: 'leave' }
  /** The attributes of the element, which may have changed. */
  | ({ parley: 'attributes' } & Attributes);

/** The names of the messages of a frame. */
export const frameMessages = ['ready', 'joined', 'left', 'error'] as const;
