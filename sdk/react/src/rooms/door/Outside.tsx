import { IconDoorExit } from '@tabler/icons-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { GateCheck } from '../../gates/GateCheck.tsx';
import type { Problem } from '../../problems/explain.ts';
import { ProblemAlert } from '../../problems/ProblemAlert.tsx';
import { Card, Row, Text } from '../../ui/Basics.tsx';
import { Button } from '../../ui/Button.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import type { Departure } from '../roomState.ts';
import { useRoomContext } from '../useRoom.ts';
import classes from './Door.module.css';

/** The room is being read. */
export function Loading() {
  const { loading } = useWords().rooms;
  return (
    <div className={classes['loading']} role="status">
      <Spinner />
      {loading}
    </div>
  );
}

interface MissingProps {
  problem: Problem | null;
  onRetry: () => void;
  tools: ReactNode;
}

/** The room could not be read. */
export const Missing = ({ problem, onRetry, tools }: MissingProps) => (
  <div className={classes['narrow']}>
    {problem && <ProblemAlert problem={problem} onRetry={onRetry} />}
    {tools}
  </div>
);

/** The user waits for a host. */
export function Waiting() {
  const words = useWords().rooms;
  const { leave, room } = useRoomContext();
  return (
    <Centred label={words.waitingRoom} data-testid="waiting-room">
      <Spinner size={28} />
      <h1 className={classes['heading']} dir="auto">
        {room?.name}
      </h1>
      <Text isDimmed role="status">
        {words.waiting}
      </Text>
      <Button
        variant="outline"
        icon={<IconDoorExit size={18} aria-hidden />}
        onClick={() => void leave()}
        data-testid="stop-waiting"
      >
        {words.leave}
      </Button>
    </Centred>
  );
}

/** Departures after which the user may join again. */
const canReturn = new Set<Departure>(['left', 'access_lost', 'access_unknown', 'away', 'other_device']);

/** Why the user is no longer in the room. */
export function Departed({ tools }: { tools: ReactNode }) {
  const { rooms: words, departures, guestDepartures } = useWords();
  const { load, departure, room, access, guest } = useRoomContext();
  if (!departure) return null;
  const [title, advice] = (guest && guestDepartures[departure]) ?? departures[departure];
  return (
    <Centred label={words.outside} data-testid="departed" data-departure={departure}>
      <h1 className={classes['heading']}>{title}</h1>
      <Text isDimmed role="status">
        {advice}
      </Text>
      {departure === 'access_lost' && room?.gate && access && (
        <div className={classes['lacks']}>
          <GateCheck what="room" gate={room.gate} access={access} onCheck={load} />
        </div>
      )}
      <Row gap="0.5rem" className={classes['tools']}>
        {canReturn.has(departure) && (
          <Button onClick={() => void load()} data-testid="return">
            {words.backToDoor}
          </Button>
        )}
        {tools}
      </Row>
    </Centred>
  );
}

interface CentredProps {
  label: string;
  children: ReactNode;
  'data-testid': string;
  'data-departure'?: string;
}

/** A card in the middle, which gets the focus, because what had it is gone. */
function Centred({ label, children, ...data }: CentredProps) {
  const card = useRef<HTMLElement>(null);
  useEffect(() => card.current?.focus({ preventScroll: true }), []);
  return (
    <section ref={card} tabIndex={-1} className={classes['centred']} aria-label={label} {...data}>
      <Card className={classes['centredCard']}>{children}</Card>
    </section>
  );
}
