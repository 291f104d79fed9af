import * as parley from '@parley/react';
import type { AccessResult, ConferenceRoom, GateConfig, LiveStream, Participant } from '@parley/sdk';
import { IconUser } from '@tabler/icons-react';
import { createElement, useRef, type FunctionComponent, type ReactElement } from 'react';

/* Every component and hook of @parley/react, with sample properties. */

const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const roomId = 'room_00000000000000000000000000';
const groupId = 'grp_000000000000000000000000';
const streamId = 'stream_00000000000000000000000000';
const at = new Date('2026-01-02T03:04:05Z');
const none = () => undefined;
const settled = () => Promise.resolve();
const gate: GateConfig = { type: 'token', chainId: 1, contractAddress: wallet, minBalance: '1' };
const access: AccessResult = {
  allowed: false,
  reason: 'A requirement is not met.',
  requirementsMet: [],
  missingRequirements: ['1 of the token'],
};
const room = { id: roomId, name: 'Stand-up', url: '/room', gate: null, settings: {}, startsAt: null };
const stream = {
  id: streamId,
  title: 'Show',
  status: 'live',
  startedAt: at,
  isSending: true,
  viewerCount: 2,
};
const participant: Participant = {
  id: 'participant_0',
  roomId,
  walletAddress: wallet,
  displayName: 'Ada',
  role: 'host',
  audio: true,
  video: false,
  screen: false,
  handRaised: true,
  joinedAt: at,
};
const devices: parley.DevicePreview = {
  camera: null,
  microphone: null,
  wanted: { camera: false, microphone: false },
  failed: { camera: 'missing' },
  all: [],
  chosen: { camera: undefined, microphone: undefined },
  toggle: none,
  choose: none,
  release: () => ({ audio: false, video: false }),
};
const action = { run: settled, isRunning: false, problem: null, dismiss: none };
const button = <button>Open</button>;
const inRoom = (children: ReactElement) => <parley.RoomProvider id={roomId}>{children}</parley.RoomProvider>;
const said = {
  message: { id: 'm', from: wallet, content: 'See https://parley.example', timestamp: at },
  sender: { walletAddress: wallet, displayName: 'Ada' },
};

const components: Record<string, ReactElement> = {
  ParleyProvider: <parley.ParleyProvider theme="dark">{button}</parley.ParleyProvider>,
  Ago: <parley.Ago at={at} />,
  SignIn: <parley.SignIn />,
  Avatar: <parley.Avatar address={wallet} size={32} />,
  AvatarImage: <parley.AvatarImage address={wallet} url={null} size="2rem" />,
  GuestMark: <parley.GuestMark />,
  Identicon: <parley.Identicon address={wallet} size={32} />,
  Name: <parley.Name address={wallet} />,
  PersonItem: <parley.PersonItem address={wallet} name="Ada" facts="Host" />,
  PersonSummary: <parley.PersonSummary address={wallet} name="Ada" facts="Host" />,
  CallNotice: <parley.CallNotice />,
  CallScreen: <parley.CallScreen />,
  IncomingCalls: <parley.IncomingCalls />,
  Chat: <parley.Chat with={wallet} hasCalls />,
  ChatSearch: <parley.ChatSearch with={wallet} onOpen={none} />,
  ConversationList: <parley.ConversationList onOpen={none} />,
  Bubbles: (
    <parley.Bubbles messages={[{ id: '1' }]} writtenAt={() => at}>
      {({ id }) => <p>{id}</p>}
    </parley.Bubbles>
  ),
  Compose: <parley.Compose onSay={settled} label="Message" longest={100} testId="compose" />,
  GroupChat: (
    <parley.GroupChat chat={[said]} own={null} empty="Nothing yet" testId="group">
      {null}
    </parley.GroupChat>
  ),
  Linkified: <parley.Linkified text="See https://parley.example" />,
  MessageBubble: <parley.MessageBubble direction="inbound">Hello</parley.MessageBubble>,
  MessageFailure: <parley.MessageFailure>Not sent</parley.MessageFailure>,
  MessageState: <parley.MessageState>Sent</parley.MessageState>,
  MessageText: <parley.MessageText text="Hello" />,
  MessageField: <parley.MessageField value="Hello" onChange={none} longest={100} testId="field" />,
  Thread: <parley.Thread href="#" isOpen={false} unread={1} title="Ada" at={at} last="Hello" />,
  DeviceCheck: <parley.DeviceCheck devices={devices} kinds={['microphone', 'camera']} own={wallet} />,
  DeviceMenu: <parley.DeviceMenu local={null} />,
  DeviceSettings: <parley.DeviceSettings />,
  FlipCamera: <parley.FlipCamera isShown />,
  VoiceProcessing: <parley.VoiceProcessing />,
  LevelMeter: <parley.LevelMeter stream={null} />,
  GateBuilder: <parley.GateBuilder draft={parley.newGateDraft(1)} onChange={none} />,
  GateCheck: <parley.GateCheck gate={gate} what="room" access={access} onCheck={settled} />,
  GroupAvatar: <parley.GroupAvatar id={groupId} name="Dinner" size={40} />,
  GroupDetails: <parley.GroupDetails group={groupId} onClose={none} />,
  NewGroup: <parley.NewGroup onCreated={none} />,
  Room: <parley.Room id={roomId} />,
  RoomProvider: inRoom(button),
  InvitePeople: <parley.InvitePeople room={room as unknown as ConferenceRoom} onInvite={settled} />,
  ControlBar: inRoom(<parley.ControlBar />),
  GridLayout: inRoom(<parley.GridLayout />),
  ParticipantTile: inRoom(<parley.ParticipantTile participant={participant} isLarge />),
  RoomAudio: inRoom(<parley.RoomAudio />),
  RoomChat: inRoom(<parley.RoomChat />),
  SpeakerLayout: inRoom(<parley.SpeakerLayout />),
  Studio: <parley.Studio id={streamId} />,
  StreamFacts: <parley.StreamFacts stream={stream as LiveStream} />,
  Stream: <parley.Stream id={streamId} />,
  StreamPlayer: <parley.StreamPlayer id={streamId} />,
  ProblemAlert: <parley.ProblemAlert problem={parley.explain(new Error('Lost'))} onRetry={none} />,
  Alert: <parley.Alert title="Careful" closeLabel="Close" onClose={none} />,
  Badge: <parley.Badge>New</parley.Badge>,
  Card: <parley.Card>Text</parley.Card>,
  Empty: <parley.Empty icon={IconUser} title="Nobody" />,
  Row: <parley.Row gap="1rem">Text</parley.Row>,
  Stack: <parley.Stack>Text</parley.Stack>,
  Text: <parley.Text>Text</parley.Text>,
  VisuallyHidden: <parley.VisuallyHidden>Text</parley.VisuallyHidden>,
  Button: <parley.Button isLoading>Send</parley.Button>,
  ButtonLink: <parley.ButtonLink href="#">Open</parley.ButtonLink>,
  IconButton: <parley.IconButton label="Open">+</parley.IconButton>,
  ConfirmDialog: (
    <parley.ConfirmDialog title="Delete?" action={action} label="Delete" onClose={none} testId="confirm">
      Text
    </parley.ConfirmDialog>
  ),
  CopyField: <parley.CopyField label="Link" value="https://parley.example" />,
  Dialog: (
    <parley.Dialog title="Title" onClose={none}>
      Text
    </parley.Dialog>
  ),
  DotsMenu: <parley.DotsMenu label="More">{null}</parley.DotsMenu>,
  Segments: (
    <parley.Segments label="Size" options={[{ value: 's', label: 'Small' }]} value="s" onChange={none} />
  ),
  Select: <parley.Select label="Size" options={[{ value: 's', label: 'Small' }]} />,
  Switch: <parley.Switch label="Sound" hint="For messages" />,
  TextArea: <parley.TextArea label="Text" hint="Short" />,
  TextField: <parley.TextField label="Name" error="Missing" />,
  Menu: <parley.Menu trigger={button}>{null}</parley.Menu>,
  MenuItem: (
    <parley.Menu trigger={button} isOpen>
      <parley.MenuItem isChecked>One</parley.MenuItem>
    </parley.Menu>
  ),
  MenuLabel: (
    <parley.Menu trigger={button} isOpen>
      <parley.MenuLabel>One</parley.MenuLabel>
    </parley.Menu>
  ),
  MenuSeparator: (
    <parley.Menu trigger={button} isOpen>
      <parley.MenuSeparator />
    </parley.Menu>
  ),
  Popover: (
    <parley.Popover trigger={button} label="Panel">
      Text
    </parley.Popover>
  ),
  StageButton: <parley.StageButton label="Mute">M</parley.StageButton>,
  Shortcuts: <parley.Shortcuts title="Keys" keys={[['M', 'Mute']]} onClose={none} />,
  Section: <parley.Section title="Title">Text</parley.Section>,
  Spinner: <parley.Spinner />,
  Tooltip: <parley.Tooltip label="Hint">{button}</parley.Tooltip>,
};

const never = () => false;
const store = new parley.Store(0);

const hooks: Record<string, () => unknown> = {
  useParley: () => parley.useParley(),
  useServices: () => parley.useServices(),
  useStore: () => parley.useStore(store),
  useSupport: () => parley.useSupport(never),
  useAction: () => parley.useAction(settled),
  useConnection: () => parley.useConnection(),
  useEvent: () => parley.useEvent('call:incoming', none),
  useNow: () => parley.useNow(1_000),
  usePlayedUrl: () => parley.usePlayedUrl('https://parley.example/file', () => undefined),
  useSession: () => parley.useSession(),
  usePartyName: () => parley.usePartyName(wallet),
  usePeople: () => parley.usePeople([wallet]),
  usePerson: () => parley.usePerson(wallet),
  useCall: () => parley.useCall(),
  useCallState: () => parley.useCallState('call_00000000000000000000000000'),
  useIncomingCalls: () => parley.useIncomingCalls(),
  useMessageSound: () => parley.useMessageSound(true),
  useBlocked: () => parley.useBlocked(wallet),
  useChat: () => parley.useChat(wallet),
  useConversations: () => parley.useConversations(),
  useUnread: () => parley.useUnread(),
  useAudioLevel: () => parley.useAudioLevel(null, useRef(null)),
  useDevicePreview: () =>
    parley.useDevicePreview({ setDevice: settled, hasVideo: false, hasAudio: false, isPaused: false }),
  useDevices: () => parley.useDevices(),
  useFlipCamera: () => parley.useFlipCamera(),
  useGate: () => parley.useGate(roomId),
  useGateChains: () => parley.useGateChains(),
  useGroup: () => parley.useGroup(groupId),
  useCurrentRoom: () => parley.useCurrentRoom(),
  useRoom: () => parley.useRoom(roomId),
  useRoomContext: () => parley.useRoomContext(),
  useRoomState: () => parley.useRoomState(roomId),
  useParticipants: () => parley.useParticipants(),
  useSpeakers: () => parley.useSpeakers(),
  useTracks: () => parley.useTracks({ source: 'camera' }),
  useQuality: () => parley.useQuality(),
  useStream: () => parley.useStream({ id: streamId }),
  useRoomInvitation: () => parley.useRoomInvitation(),
  useSentStream: () => parley.useSentStream(),
  useWords: () => parley.useWords(),
  useFit: () => parley.useFit(useRef(null)),
  useFullscreen: () => parley.useFullscreen(),
  useKeptFocus: () => parley.useKeptFocus(),
  useHotkeys: () => parley.useHotkeys({ m: none }),
  useTitleBadge: () => parley.useTitleBadge(2, 'Parley'),
  useMediaQuery: () => parley.useMediaQuery('(hover: hover)'),
};

/** A component that uses only this hook. */
function withHook(useIt: () => unknown): ReactElement {
  const Component: FunctionComponent = () => {
    useIt();
    return null;
  };
  return inRoom(createElement(Component));
}

/** The elements by the names of what they render. */
export const everything: Record<string, ReactElement> = {
  ...components,
  ...Object.fromEntries(Object.entries(hooks).map(([name, hook]) => [name, withHook(hook)])),
};

/** The components and hooks of the package that are not in this list. */
export const forgotten = Object.keys(parley).filter(
  (name) => /^(use)?[A-Z]/.test(name) && !['Services', 'Store'].includes(name) && !(name in everything),
);
