import type { Explanation } from './problems.ts';

const counted = (count: number, one: string) => `${count} ${count === 1 ? one : `${one}s`}`;

/** The words of streams: the studio of a host, and the player. */
export const streams = {
  // The state of a stream.
  idle: 'Not live yet',
  live: 'Live',
  away: 'Reconnecting',
  ended: 'Ended',
  viewerCount: (count: number) => counted(count, 'viewer'),
  holdersOnly: 'Holders only',
  private: 'Private',
  recorded: 'Recorded',
  stream: 'Stream',
  host: 'Host',
  video: 'Video',

  // The stage of the studio.
  idleAdvice:
    'Go live from this browser, or use the OBS settings below. The stream is live as soon as media arrives.',
  liveElsewhere: 'You are live',
  liveElsewhereAdvice: 'Another program or device is sending the stream.',
  awayTitle: 'Waiting for the sender to reconnect',
  awayAdvice: 'The sender has disconnected. If it does not return within about a minute, the stream ends.',
  showPreview: 'Show viewer preview',
  hidePreview: 'Hide preview',
  previewLabel: 'Viewer preview',
  preview: 'Viewer preview without sound',
  takeOver: 'Take over in this browser',
  setUp: 'Go live from this browser',
  yourVideo: 'Your video',
  yourScreen: 'Your screen',
  yourCamera: 'Your camera',
  noVideo: 'No video',
  heardOnly: 'Viewers can hear you.',
  silent: 'Viewers cannot see or hear you.',
  failed: 'Sending failed',
  sendAgain: 'Send again',
  microphone: 'Microphone',
  camera: 'Camera',
  screen: 'Screen',
  endedTitle: 'The stream has ended',
  gone: 'The sender did not reconnect.',
  wasLive: (duration: string) => `It was live for ${duration}.`,
  neverLive: 'It was never live.',
  replacedTitle: 'Another device or program is sending this stream',
  replacedAdvice: 'The most recent sender takes over. Go live here again to take it back.',

  // Going live.
  source: 'Video source',
  audioOnly: 'Audio only',
  quality: 'Quality',
  qualities: {
    '720p': '720p: needs 2.5 Mbit/s up',
    '1080p': '1080p: needs 4.5 Mbit/s up',
    '4k': '4K: needs 13 Mbit/s up',
  },
  screenNext: 'Next, the browser asks you to choose a screen, a window or a tab.',
  adapts: 'Viewers with a slow connection automatically get a lower resolution.',
  goLive: 'Go live',

  // Links and OBS.
  forViewers: 'For viewers',
  link: 'Link',
  openToAll: 'Opens for everyone, with or without a wallet.',
  openToHolders: 'Opens for people who sign in with a wallet that meets your conditions.',
  openPage: 'Open viewer page',
  privateLink: 'Private link',
  privateUntil: (moment: string) =>
    `Opens for everyone who has it until ${moment}, or until you reset the stream key.`,
  privateAdvice:
    'This stream is private. A link opens it for one day for everyone who has it. People who are already watching can continue.',
  createLink: 'Create link',
  withObs: 'Stream with OBS',
  whipAdvice:
    'OBS 30 or newer: Settings, Stream, service WHIP. Set the keyframe interval to 1 s. Viewers see the stream within a second.',
  rtmpAdvice:
    'OBS and other programs: Settings, Stream, service Custom. Set the keyframe interval to 1 s and B-frames to 0.',
  protocol: 'Protocol',
  server: 'Server',
  bearer: 'Bearer token',
  key: 'Stream key',
  keyAdvice: 'Keep it private: anyone who has it can stream in your place.',
  keyHidden: 'Hidden. Anyone who sees it can stream in your place.',
  showKey: 'Show key',
  resetKey: 'Reset key',
  resetTitle: 'Reset the stream key?',
  resetAdvice:
    'The current key stops working immediately. A program that streams with it is disconnected, and existing private links stop working.',
  end: 'End stream',
  endTitle: 'End this stream?',
  endAdvice: 'The stream ends for all viewers and cannot be restarted. Its link, key and chat stop working.',

  // Chat and viewers.
  chat: 'Chat',
  chatAndViewers: 'Chat and viewers',
  viewers: (count: number) => (count > 0 ? `Viewers (${count.toLocaleString()})` : 'Viewers'),
  chatEmpty: 'All viewers see the chat. It is deleted when the stream ends.',
  toViewers: 'Message to the viewers',
  toEveryone: 'Message to everyone',
  actionsOn: (name: string) => `Actions for ${name}`,
  actionsOnMessage: (name: string) => `Actions for this message from ${name}`,
  deleteMessage: 'Delete message',
  ban: (name: string) => `Ban ${name}`,
  you: 'You',
  withPlayer: 'with a player',
  withHls: 'with HLS',
  noViewers: 'No viewers yet',
  noViewersAdvice: 'Viewers appear here: wallets by their address, others as guests.',
  guest: 'Guest',
  more: (count: number) => `and ${count.toLocaleString()} more`,

  // The player.
  mute: 'Mute',
  unmute: 'Unmute',
  volume: 'Volume',
  loadingVideo: 'Loading video',
  pictureInPicture: 'Picture in picture',
  fullscreen: 'Full screen',
  exitFullscreen: 'Exit full screen',
  share: 'Share',
  notPlaying: {
    idle: ['The stream has not started yet', 'Stay on this page. The video starts when the host goes live.'],
    away: ['Waiting for the host', 'The host has lost the connection. The stream continues when it is back.'],
    dark: ['Audio only', 'The host is sending audio without video.'],
    paused: [
      'Camera and microphone are off',
      'Stay on this page. The stream continues when the host turns them on.',
    ],
  } satisfies Record<string, Explanation>,
  neverStarted: 'It never started.',
  thanks: (duration: string) => `Thank you for watching. It was live for ${duration}.`,
  joinChat: 'Join the chat',
  signInToChat: 'Sign in to chat',
  signInToRead: 'Only people who are signed in can read and write messages.',
  chatNotGranted: 'Your link does not let you write in this chat.',

  // Why a stream cannot be watched, by the reason.
  refusals: {
    token_needed: [
      'This stream is private',
      'This link lacks the access token. Ask the host for the complete link.',
    ],
    token_void: [
      'This link has expired',
      'Links to private streams are valid for one day. Ask the host for a new one.',
    ],
    gated: [
      'This stream is for token holders',
      'Sign in with a wallet that meets the conditions. The server only checks its holdings; nothing is spent.',
    ],
    requirement_missing: ['Your wallet does not meet the conditions', 'Check again when it does.'],
    banned: ['The host removed you', 'You can no longer watch the stream or write in its chat.'],
    access_lost: [
      'You no longer meet the stream’s conditions',
      'The server checks regularly, and your wallet no longer holds what is required.',
    ],
    access_unknown: [
      'Your access could not be checked',
      'The chain with the stream’s conditions did not respond. Try again.',
    ],
    revoked: ['Your link was revoked', 'Ask the host for a new link.'],
    replaced: [
      'You are watching on another device',
      'Your invitation is for one device at a time, and another one uses it now.',
    ],
    other_network: [
      'This stream is on another network',
      'Its conditions use chains that your session does not cover. Ask the host for a stream on this network.',
    ],
    own_stream: [
      'You are sending this stream',
      'The stream’s page shows your video. To see it like a viewer, open the link in another window.',
    ],
  } as Record<string, Explanation>,

  // Why an action on a stream failed, by the reason.
  problems: {
    token_needed: [
      'This stream is private',
      'This link lacks the access token. Ask the host for the complete link.',
    ],
    token_void: [
      'This link has expired',
      'Links to private streams are valid for one day. Ask the host for a new one.',
    ],
    banned: ['The host removed you', 'You can no longer watch this stream or write in its chat.'],
    other_network: [
      'This stream is on another network',
      'Its conditions use chains that your session does not cover. Ask the host for a stream on this network.',
    ],
    stream_ended: ['This stream has ended', 'An ended stream cannot be changed. Create a new one.'],
    replaced: [
      'Another sender took over',
      'Another device or program is sending this stream now. Go live again to take it back.',
    ],
    not_the_host: ['Only the host can do this', 'Sign in with the wallet that created the stream.'],
    not_found: ['Stream not found', 'The link may be incomplete. Copy the whole link again.'],
  } as Record<string, Explanation>,
};
