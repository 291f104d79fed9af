import { Compose, PersonItem } from '@parley/react';
import { Button, Menu, Text } from '@mantine/core';
import type { ConferenceRoom, Participant } from '@parley/sdk';
import { IconArrowRight, IconLogin2, IconX } from '@tabler/icons-react';
import { useEffect } from 'react';
import { DotsMenu } from '../../ui/DotsMenu.tsx';
import { nameOf, type Breakouts } from '../roomState.ts';
import { useRoom } from '../useRoom.ts';
import classes from './InRoom.module.css';
import { NewBreakouts } from './NewBreakouts.tsx';
import { TimeLeft } from './TimeLeft.tsx';

const longest = 2_000;
const readMs = 4_000;

/** For hosts: opens breakouts or, while they run, shows who is where. */
export function BreakoutPanel() {
  const { controller, state } = useRoom();
  const { breakouts } = state;
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
  const { controller, state } = useRoom();
  // The events of the room that the user is in are newer than what was read.
  const all = [parent, ...rooms].map((room) =>
    room.id === controller.roomId ? { ...room, participants: state.participants } : room,
  );
  return (
    <>
      {parent.breakoutsEndAt && (
        <Text size="sm" c="dimmed">
          They end in <TimeLeft until={parent.breakoutsEndAt} />.
        </Text>
      )}
      {all.map((room) => (
        <Group key={room.id} room={room} all={all} />
      ))}
      <Compose
        onSay={controller.breakouts.say}
        label="Message to all rooms"
        longest={longest}
        testId="breakouts"
      />
      <Button
        color="brick"
        variant="light"
        leftSection={<IconX size={18} />}
        onClick={() => void controller.breakouts.end()}
        data-testid="end-breakouts"
      >
        End breakouts now
      </Button>
    </>
  );
}

function Group({ room, all }: { room: ConferenceRoom; all: ConferenceRoom[] }) {
  const { controller } = useRoom();
  const isHere = room.id === controller.roomId;
  return (
    <section aria-label={room.name} data-testid="breakout" data-room={room.id} data-here={isHere}>
      <div className={classes['breakoutHead']}>
        <Text size="sm" fw={600} truncate>
          {room.name}
        </Text>
        {isHere ? (
          <Text size="sm" c="dimmed" flex="none">
            You are here
          </Text>
        ) : (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconLogin2 size={16} />}
            onClick={() => void controller.breakouts.goTo(room.id)}
            aria-label={`Go to ${room.name}`}
            data-testid="go-to-breakout"
          >
            Go there
          </Button>
        )}
      </div>
      {room.participants.length === 0 && (
        <Text size="sm" c="dimmed">
          Nobody
        </Text>
      )}
      <ul>
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
  const { controller } = useRoom();
  const { id, walletAddress, role } = participant;
  const isMe = walletAddress === controller.address;
  const facts = [isMe && 'You', role === 'host' && 'Host'].filter(Boolean).join(' · ');
  return (
    <PersonItem
      data-testid="breakout-person"
      data-address={walletAddress}
      address={walletAddress}
      name={nameOf(participant)}
      facts={facts}
    >
      {!isMe && (
        <DotsMenu label={`Move ${nameOf(participant)}`} testId="move-person">
          {all
            .filter((other) => other.id !== room.id)
            .map((other) => (
              <Menu.Item
                key={other.id}
                leftSection={<IconArrowRight size={18} />}
                onClick={() => void controller.breakouts.move(room.id, id, other.id)}
                data-testid="move-to"
              >
                Move to {other.name}
              </Menu.Item>
            ))}
        </DotsMenu>
      )}
    </PersonItem>
  );
}
