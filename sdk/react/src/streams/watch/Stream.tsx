import type { LiveStream } from '@parley/sdk';
import { IconShare2 } from '@tabler/icons-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { useSupport } from '../../core/useSupport.ts';
import { Compose } from '../../conversation/Compose.tsx';
import { GroupChat } from '../../conversation/GroupChat.tsx';
import { Linkified } from '../../conversation/Linkified.tsx';
import { Identicon } from '../../people/Identicon.tsx';
import { partyName } from '../../people/partyName.ts';
import { ProblemAlert } from '../../problems/ProblemAlert.tsx';
import { SignIn } from '../../session/SignIn.tsx';
import { Card, Row, Stack, Text } from '../../ui/Basics.tsx';
import { Button } from '../../ui/Button.tsx';
import { classNames } from '../../ui/classNames.ts';
import { Spinner } from '../../ui/Spinner.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import { StreamFacts } from '../StreamFacts.tsx';
import classes from '../Streams.module.css';
import { longestMessage } from '../streamState.ts';
import { PlayerView } from './StreamPlayer.tsx';
import { useWatch, type Watch, type WatchOptions } from './useWatch.ts';

export interface StreamProps extends WatchOptions {
  /** In place of the sign-in that viewers without a wallet are offered, to watch a gated stream or to write in the chat. */
  signIn?: ReactNode;
  /** Shown when the stream has ended, for example a link to others. */
  afterEnd?: ReactNode;
  /** Shown to the host, for example a link to the studio. */
  toStudio?: ReactNode;
  /** Called when the stream, its phase, or why it cannot be watched has changed. */
  onChange?: (state: Pick<Watch['state'], 'stream' | 'phase' | 'problem'>) => void;
}

/** A stream for viewers, with or without a wallet: the video, its title and host, and the chat. */
export function Stream({ signIn, afterEnd, toStudio, onChange, ...options }: StreamProps) {
  const watch = useWatch(options);
  const { controller, state, session } = watch;
  const { stream, phase, problem } = state;
  const { streams: words, common } = useWords();
  const handler = useRef(onChange);
  useEffect(() => {
    handler.current = onChange;
  });
  useEffect(() => handler.current?.({ stream, phase, problem }), [stream, phase, problem]);
  if (!stream) {
    if (phase === 'failed' && problem)
      return <ProblemAlert problem={problem} onRetry={() => void controller.retry()} />;
    return (
      <Row role="status">
        <Spinner /> {common.loading}
      </Row>
    );
  }
  const isHost = session.address === stream.host;
  const hasChat = phase === 'open';
  return (
    <div
      className={hasChat ? classes['columns'] : classNames(classes['single'], classes['centred'])}
      data-testid="watch"
      data-phase={phase}
      data-way={state.way}
    >
      <div className={classes['main']}>
        <PlayerView watch={watch} stream={stream} {...{ signIn, afterEnd, toStudio }} />
        <Stack gap="0.875rem">
          <Row className={classes['top']} gap="0.75rem 1.5rem">
            <div className={classes['heading']}>
              <h1 className={classes['title']} dir="auto">
                {stream.title}
              </h1>
              <StreamFacts stream={stream} />
            </div>
            <Row gap="0.625rem">
              {isHost && toStudio}
              <Share stream={stream} />
            </Row>
          </Row>
          <Row gap="0.625rem" className={classes['facts']}>
            <Identicon address={stream.host} size={32} />
            <span title={stream.host}>{isHost ? words.you : partyName(stream.host)}</span>
          </Row>
          {stream.description && (
            <p className={classes['description']} dir="auto">
              <Linkified text={stream.description} />
            </p>
          )}
        </Stack>
      </div>
      {hasChat && <WatchChat watch={watch} stream={stream} signIn={signIn} />}
    </div>
  );
}

const canShare = () => typeof navigator.share === 'function';

/** Opens the share sheet of the device, where it has one. */
function Share({ stream: { title, watchUrl, isPublic } }: { stream: LiveStream }) {
  const { share } = useWords().streams;
  const isPossible = useSupport(canShare);
  if (!isPossible || !isPublic) return null;
  return (
    <Button
      variant="outline"
      icon={<IconShare2 size={18} aria-hidden />}
      onClick={() => void navigator.share({ title, url: watchUrl }).catch(() => undefined)}
      data-testid="share-stream"
    >
      {share}
    </Button>
  );
}

/** The chat of a stream. Everyone reads that of a public stream; to write, viewers need a wallet or a participant token. */
function WatchChat({
  watch,
  stream,
  signIn = <SignIn />,
}: {
  watch: Watch;
  stream: LiveStream;
  signIn: ReactNode;
}) {
  const words = useWords().streams;
  const { controller, state, session } = watch;
  const own = session.address ?? (session.guest ? `guest:${session.guest.identity}` : null);
  const isReadable = own !== null || (stream.isPublic && !stream.gate);
  return (
    <Card role="complementary" className={classes['side']} aria-label={words.chat} data-testid="watch-chat">
      <GroupChat
        chat={state.chat}
        own={own}
        {...(isReadable ? {} : { emptyTitle: words.signInToChat })}
        empty={isReadable ? words.chatEmpty : words.signInToRead}
        testId="stream"
      >
        {session.guest?.grants.canChat === false ? (
          <Text size="sm" isDimmed>
            {words.chatNotGranted}
          </Text>
        ) : own === null ? (
          <Stack gap="0.625rem">
            <Text size="sm" isStrong>
              {words.joinChat}
            </Text>
            {signIn}
          </Stack>
        ) : (
          <Compose onSay={controller.say} label={words.toEveryone} longest={longestMessage} testId="stream" />
        )}
      </GroupChat>
    </Card>
  );
}
