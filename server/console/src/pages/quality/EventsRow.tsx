import {
  IconArrowsRightLeft,
  IconLogin2,
  IconLogout2,
  IconPlugConnected,
  IconPlugConnectedX,
  IconServerOff,
  IconWifiOff,
  type Icon,
} from '@tabler/icons-react';
import { atTime } from '../../ui/numbers.ts';
import { eventLabels } from './describe.ts';
import type { Participant, Period, QualityEvent } from './joinParts.ts';
import { placeOf } from './measures.ts';
import classes from './Quality.module.css';
import { TimeAxis } from './TimeAxis.tsx';

const icons = {
  joined: IconLogin2,
  left: IconLogout2,
  connection_lost: IconPlugConnectedX,
  connection_back: IconPlugConnected,
  media_disconnected: IconWifiOff,
  worker_died: IconServerOff,
  node_died: IconServerOff,
  moved: IconArrowsRightLeft,
} satisfies Record<QualityEvent['kind'], Icon>;

const percent = (place: number) => `${place * 100}%`;

/** When the findings were and what happened, on a line and as text. */
export function EventsRow({
  participant: { events, findings },
  period,
}: {
  participant: Participant;
  period: Period;
}) {
  return (
    <div>
      <div className={classes['timeline']} aria-hidden>
        <div className={classes['row']} data-plain={findings.length === 0}>
          {findings.map(({ number, from, to }) => (
            <span
              key={number}
              className={classes['rowSpan']}
              style={{
                left: percent(placeOf(from, period)),
                width: percent(placeOf(to, period) - placeOf(from, period)),
              }}
            >
              {number}
            </span>
          ))}
          {events.map(({ at, kind }, index) => {
            const EventIcon = icons[kind];
            return (
              <span key={index} className={classes['rowMark']} style={{ left: percent(placeOf(at, period)) }}>
                <EventIcon size={14} />
              </span>
            );
          })}
        </div>
        <TimeAxis period={period} />
      </div>
      {events.length > 0 && (
        <ul className={classes['events']} aria-label="What happened" data-testid="quality-events">
          {events.map(({ at, kind }, index) => {
            const EventIcon = icons[kind];
            return (
              <li key={index} data-kind={kind}>
                <EventIcon size={14} aria-hidden /> {atTime(at)} {eventLabels[kind]}
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
