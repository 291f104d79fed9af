export { ParleyProvider, useParley, useServices, type ParleyProviderProps } from './core/ParleyProvider.tsx';
export { Services } from './core/Services.ts';
export { Store, useStore } from './core/Store.ts';
export { coalesced } from './core/coalesced.ts';
export { ago, atClock, atMoment, clock, onDay, spokenDuration } from './core/format.ts';
export { Ago } from './core/Ago.tsx';
export { useSupport } from './core/useSupport.ts';
export { rememberedName, rememberName } from './core/rememberedName.ts';
export { useAction, type Action } from './core/useAction.ts';
export { useConnection } from './core/useConnection.ts';
export { useEvent } from './core/useEvent.ts';
export { useNow } from './core/useNow.ts';
export { usePlayedUrl } from './core/usePlayedUrl.ts';

export { SignIn } from './session/SignIn.tsx';
export { browserWallets, type BrowserWallet } from './session/browserWallets.ts';
export { useSession, type Session } from './session/useSession.ts';

export { Avatar, AvatarImage } from './people/Avatar.tsx';
export { GuestMark } from './people/GuestMark.tsx';
export { Identicon } from './people/Identicon.tsx';
export { Name } from './people/Name.tsx';
export { PersonItem, PersonSummary } from './people/PersonSummary.tsx';
export { partyName } from './people/partyName.ts';
export { usePartyName, usePeople, usePerson } from './people/usePeople.ts';

export { CallNotice } from './calls/CallNotice.tsx';
export { CallScreen } from './calls/CallScreen.tsx';
export { callPath, parseCallee, type Callee } from './calls/parseCallee.ts';
export { findCallee, isEnsName } from './calls/findCallee.ts';
export { IncomingCalls } from './calls/IncomingCalls.tsx';
export { type CurrentCall, type RunningCall, peerOf } from './calls/callState.ts';
export {
  useCall,
  useCallState,
  useIncomingCalls,
  type CallControl,
  type IncomingCallsControl,
} from './calls/useCall.ts';

export { Chat } from './chats/Chat.tsx';
export { ChatSearch } from './chats/ChatSearch.tsx';
export { ConversationList } from './chats/ConversationList.tsx';
export { useMessageSound } from './chats/useMessageSound.ts';
export {
  useBlocked,
  useChat,
  useConversations,
  useUnread,
  type ChatControl,
  type ConversationsControl,
} from './chats/useChat.ts';

export { Bubbles } from './conversation/Bubbles.tsx';
export { Compose } from './conversation/Compose.tsx';
export { GroupChat, type ChatEntry } from './conversation/GroupChat.tsx';
export { Linkified } from './conversation/Linkified.tsx';
export { MessageBubble, MessageFailure, MessageState, MessageText } from './conversation/MessageBubble.tsx';
export { MessageField } from './conversation/MessageField.tsx';
export { Thread } from './conversation/Thread.tsx';
export { withChat } from './conversation/withChat.ts';

export { DeviceCheck } from './devices/DeviceCheck.tsx';
export { DeviceMenu } from './devices/DeviceMenu.tsx';
export { DeviceSettings } from './devices/DeviceSettings.tsx';
export { FlipCamera } from './devices/FlipCamera.tsx';
export { LevelMeter } from './devices/LevelMeter.tsx';
export { useAudioLevel } from './devices/useAudioLevel.ts';
export { useDevicePreview, type DevicePreview, type InputKind } from './devices/useDevicePreview.ts';
export { useFlipCamera } from './devices/useFlipCamera.ts';
export { VoiceProcessing } from './devices/VoiceProcessing.tsx';
export { useDevices, type DeviceChoice } from './devices/useDevices.ts';
export { GateBuilder } from './gates/GateBuilder.tsx';
export { GateCheck } from './gates/GateCheck.tsx';
export {
  newGroup as newGateDraft,
  readGate,
  type GroupDraft as GateDraft,
  type Problems as GateProblems,
} from './gates/gateDraft.ts';
export { useGate } from './gates/useGate.ts';
export { useGateChains } from './gates/useGateChains.ts';

export { GroupAvatar } from './groups/GroupAvatar.tsx';
export { GroupDetails } from './groups/GroupDetails.tsx';
export { NewGroup } from './groups/NewGroup.tsx';
export { useGroup, type GroupControl } from './groups/useGroup.ts';

export { Room, RoomProvider, type RoomProps } from './rooms/Room.tsx';
export { explainRoom } from './rooms/explainRoom.ts';
export { InvitePeople } from './rooms/invite/InvitePeople.tsx';
export { type RoomInvitation } from './rooms/RoomsController.ts';
export { useParticipants, useQuality, useRoomState, useSpeakers, useTracks } from './rooms/roomHooks.ts';
export {
  nameOf,
  type Departure,
  type JoinChoice,
  type RoomPhase,
  type RoomState,
  type Sending,
} from './rooms/roomState.ts';
export {
  useCurrentRoom,
  useRoom,
  useRoomContext,
  useRoomInvitation,
  type Room as RoomHandle,
} from './rooms/useRoom.ts';
export { ControlBar } from './rooms/view/ControlBar.tsx';
export type { ControlBarProps, RoomLayout } from './rooms/view/controlBarProps.ts';
export { GridLayout } from './rooms/view/GridLayout.tsx';
export { ParticipantTile } from './rooms/view/ParticipantTile.tsx';
export { RoomAudio } from './rooms/view/RoomAudio.tsx';
export { RoomChat } from './rooms/view/RoomChat.tsx';
export { SpeakerLayout } from './rooms/view/SpeakerLayout.tsx';
export { Studio, type StudioProps } from './streams/Studio.tsx';
export { useSentStream } from './streams/useStudio.ts';
export { explainStream } from './streams/explainStream.ts';
export { StreamFacts } from './streams/StreamFacts.tsx';
export { Stream, type StreamProps } from './streams/watch/Stream.tsx';
export { StreamPlayer } from './streams/watch/StreamPlayer.tsx';
export { useStream, type StreamControl, type WatchOptions } from './streams/watch/useWatch.ts';

export { ProblemAlert } from './problems/ProblemAlert.tsx';
export { explain, explainSignIn, isOwnRefusal, type Problem } from './problems/explain.ts';

export { english, type OwnWords, type Words } from './words/english.ts';
export { type Explanation } from './words/problems.ts';
export { useWords } from './words/WordsContext.tsx';

export { Alert, Badge, Card, Empty, Row, Stack, Text, VisuallyHidden } from './ui/Basics.tsx';
export { Button, ButtonLink, IconButton } from './ui/Button.tsx';
export { ConfirmDialog } from './ui/ConfirmDialog.tsx';
export { CopyField } from './ui/CopyField.tsx';
export { copyText } from './ui/copyText.ts';
export { Dialog } from './ui/Dialog.tsx';
export { DotsMenu } from './ui/DotsMenu.tsx';
export { Segments, Select, Switch, TextArea, TextField } from './ui/Fields.tsx';
export { Menu, MenuItem, MenuLabel, MenuSeparator } from './ui/Menu.tsx';
export { Popover } from './ui/Popover.tsx';
export { StageButton } from './ui/StageButton.tsx';
export { Shortcuts } from './ui/Shortcuts.tsx';
export { Section } from './ui/Section.tsx';
export { Spinner } from './ui/Spinner.tsx';
export { Tooltip } from './ui/Tooltip.tsx';
export { useFit } from './ui/useFit.ts';
export { useFullscreen } from './ui/useFullscreen.ts';
export { useHotkeys } from './ui/useHotkeys.ts';
export { useKeptFocus } from './ui/useKeptFocus.ts';
export { useTitleBadge } from './ui/useTitleBadge.ts';
export { useMediaQuery } from './ui/useMediaQuery.ts';
