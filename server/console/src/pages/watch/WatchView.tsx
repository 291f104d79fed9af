import { Button } from '@mantine/core';
import { shortAddress, type LiveStream } from '@parley/sdk';
import { Link } from 'wouter';
import streams from '../../streams/Streams.module.css';
import { StreamFacts } from '../../streams/StreamFacts.tsx';
import type { WatchController } from '../../streams/watch/WatchController.ts';
import type { WatchState } from '../../streams/watch/watchState.ts';
import { Identicon } from '../../ui/Identicon.tsx';
import { Player } from './Player.tsx';
import { WatchChat } from './WatchChat.tsx';
import classes from './WatchPage.module.css';

interface Props {
  controller: WatchController;
  state: WatchState;
  stream: LiveStream;
  /** null for a viewer without a wallet. */
  address: string | null;
}

/** A stream: the video, its title and host, and the chat. */
export function WatchView({ controller, state, stream, address }: Props) {
  const isHost = address === stream.host;
  const hasChat = state.phase === 'open';
  return (
    <div
      className={hasChat ? streams['columns'] : `${streams['single']} ${streams['centred']}`}
      data-testid="watch"
      data-phase={state.phase}
      data-way={state.way}
    >
      <div className={streams['main']}>
        <Player controller={controller} state={state} stream={stream} />
        <div className={classes['about']}>
          <header className={streams['head']}>
            <div className={streams['what']}>
              <h1 className={streams['title']}>{stream.title}</h1>
              <StreamFacts stream={stream} />
            </div>
            {isHost && (
              <Button component={Link} href={`/streams/${stream.id}`} variant="light">
                Manage stream
              </Button>
            )}
          </header>
          <div className={classes['host']}>
            <Identicon address={stream.host} size={32} />
            <span title={stream.host}>{isHost ? 'You' : shortAddress(stream.host)}</span>
          </div>
          {stream.description && <p className={streams['description']}>{stream.description}</p>}
        </div>
      </div>
      {hasChat && <WatchChat controller={controller} chat={state.chat} own={address} />}
    </div>
  );
}
