import { useState } from 'react';
import { useWords } from '../words/WordsContext.tsx';
import { GroupAvatar } from './GroupAvatar.tsx';
import { GroupDetails } from './GroupDetails.tsx';
import classes from './Groups.module.css';
import { useGroup } from './useGroup.ts';

/** The name of a group above its chat. A click shows the details. */
export function GroupHeading({ id }: { id: string }) {
  const words = useWords().groups;
  const { group } = useGroup(id);
  const [isOpen, setOpen] = useState(false);
  const isInside = group?.standing === 'member' || group?.standing === 'invited';
  const name = group?.name ?? words.group;
  const about = (
    <>
      <GroupAvatar id={id} name={name} size={36} />
      <span className={classes['about']}>
        <span className={classes['name']} dir="auto" data-testid="group-name">
          {name}
        </span>
        {isInside && <span className={classes['count']}>{words.members(group.memberCount)}</span>}
      </span>
    </>
  );
  return (
    <>
      <h2 className={classes['heading']} data-testid="chat-with" data-peer={id}>
        {isInside ? (
          <button
            type="button"
            className={classes['open']}
            onClick={() => setOpen(true)}
            aria-haspopup="dialog"
            title={words.details(name)}
            data-testid="group-details"
          >
            {about}
          </button>
        ) : (
          <span className={classes['open']}>{about}</span>
        )}
      </h2>
      {isOpen && isInside && <GroupDetails group={id} onClose={() => setOpen(false)} />}
    </>
  );
}
