import type { ConferenceRoom, Participant } from '@parley/sdk';
import { IconArrowRight, IconLogin2, IconX } from '@tabler/icons-react';
import { useEffect } from 'react';
import { Compose } from '../../conversation/Compose.tsx';
import { PersonItem } from '../../people/PersonSummary.tsx';
import { Text } from '../../ui/Basics.tsx';
import { Button } from '../../ui/Button.tsx';
import { MenuItem } from '../../ui/Menu.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import type { Breakouts } from '../roomState.ts';
import { useNameOf } from '../useNameOf.ts';
import { useRoomContext } from '../useRoom.ts';
import { DotsMenu } from '../../ui/DotsMenu.tsx';
import classes from './InRoom.module.css';
import { NewBreakouts } from './NewBreakouts.tsx';
import { TimeLeft } from './TimeLeft.tsx';

const longest = 2_000;
const readMs = 4_000;

/** For hosts: opens breakouts or, while they run, shows who is where. */
export function BreakoutPanel() {
  const { controller, breakouts } = useRoomContext();
  // Nobody gets events of rooms that they are not in.
  useEffect(() => {
    void controller.breakouts.read();
    const timer = setInterval(() => void controller.breakouts.read(), readMs);
    return () => clearInterval(timer);
  }, [controller]);
  return (
    <div className={classes['panelBody']}>
      {breakouts && breakouts.rooms.length > 0 ? <Running breakouts={breakouts} /> : <NewBreakouts />}
    </div>
  );
}

function Running({ breakouts: { parent, rooms } }: { breakouts: Breakouts }) {
  const words = useWords().breakouts;
  const { breakoutActions, roomId, participants } = useRoomContext();
  // The events of the room that the user is in are newer than what was read.
  const all = [parent, ...rooms].map((room) => (room.id === roomId ? { ...room, participants } : room));
  return (
    <>
      {parent.breakoutsEndAt && (
        <Text size="sm" isDimmed>
          {words.theyEndIn} <TimeLeft until={parent.breakoutsEndAt} />.
        </Text>
      )}
      {all.map((room) => (
        <Group key={room.id} room={room} all={all} />
      ))}
      <Compose onSay={breakoutActions.say} label={words.message} longest={longest} testId="breakouts" />
      <Button
        isDanger
        variant="light"
        icon={<IconX size={18} aria-hidden />}
        onClick={() => void breakoutActions.end()}
        data-testid="end-breakouts"
      >
        {words.end}
      </Button>
    </>
  );
}

function Group({ room, all }: { room: ConferenceRoom; all: ConferenceRoom[] }) {
  const words = useWords().breakouts;
  const { breakoutActions, roomId } = useRoomContext();
  const isHere = room.id === roomId;
  return (
    <section aria-label={room.name} data-testid="breakout" data-room={room.id} data-here={isHere}>
      <div className={classes['breakoutHead']}>
        <Text size="sm" isStrong className={classes['name']}>
          {room.name}
        </Text>
        {isHere ? (
          <Text size="sm" isDimmed>
            {words.youAreHere}
          </Text>
        ) : (
          <Button
            size="sm"
            variant="outline"
            icon={<IconLogin2 size={16} aria-hidden />}
            onClick={() => void breakoutActions.goTo(room.id)}
            aria-label={words.goTo(room.name)}
            data-testid="go-to-breakout"
          >
            {words.goThere}
          </Button>
        )}
      </div>
      {room.participants.length === 0 && (
        <Text size="sm" isDimmed>
          {words.nobody}
        </Text>
      )}
      <ul className={classes['list']}>
        {room.participants.map((participant) => (
          <Person key={participant.id} participant={participant} room={room} all={all} />
        ))}
      </ul>
    </section>
  );
}

interface PersonProps {
  participant: Participant;
  room: ConferenceRoom;
  all: ConferenceRoom[];
}

function Person({ participant, room, all }: PersonProps) {
  const { rooms, breakouts: words } = useWords();
  const { address, breakoutActions } = useRoomContext();
  const { id, walletAddress, role } = participant;
  const name = useNameOf(participant);
  const isMe = walletAddress === address;
  const facts = [isMe && rooms.you, role === 'host' && rooms.host].filter(Boolean).join(' · ');
  return (
    <PersonItem
      data-testid="breakout-person"
      data-address={walletAddress}
      address={walletAddress}
      name={name}
      facts={facts}
    >
      {!isMe && (
        <DotsMenu label={words.move(name)} data-testid="move-person">
          {all
            .filter((other) => other.id !== room.id)
            .map((other) => (
              <MenuItem
                key={other.id}
                icon={<IconArrowRight size={18} aria-hidden data-parley-pointing />}
                onSelect={() => void breakoutActions.move(room.id, id, other.id)}
                data-testid="move-to"
              >
                {words.moveTo(other.name)}
              </MenuItem>
            ))}
        </DotsMenu>
      )}
    </PersonItem>
  );
}
