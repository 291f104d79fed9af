import { Checkbox } from '@mantine/core';
import { allEvents, eventGroups, type EventType } from '../eventLabels.ts';
import classes from '../Webhooks.module.css';

interface Props {
  value: EventType[];
  onChange: (events: EventType[]) => void;
}

/** The types of events, in groups that can be chosen as a whole. */
export function EventPicker({ value, onChange }: Props) {
  const choose = (types: EventType[], isChosen: boolean) =>
    onChange(allEvents.filter((type) => (types.includes(type) ? isChosen : value.includes(type))));
  return eventGroups.map(({ title, events }) => {
    const types = Object.keys(events) as EventType[];
    const count = types.filter((type) => value.includes(type)).length;
    return (
      <fieldset key={title} className={classes['group']} aria-label={title}>
        <Checkbox
          label={title}
          fw={600}
          checked={count === types.length}
          indeterminate={count > 0 && count < types.length}
          onChange={({ currentTarget }) => choose(types, currentTarget.checked)}
          data-testid={`events-${title.toLowerCase()}`}
        />
        <div className={classes['events']}>
          {types.map((type) => (
            <Checkbox
              key={type}
              label={<code>{type}</code>}
              description={events[type]}
              checked={value.includes(type)}
              onChange={({ currentTarget }) => choose([type], currentTarget.checked)}
              data-testid={`event-${type}`}
            />
          ))}
        </div>
      </fieldset>
    );
  });
}
