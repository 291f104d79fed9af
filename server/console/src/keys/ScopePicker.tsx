import { Badge, Checkbox } from '@mantine/core';
import type { KeyScope } from '@parley/sdk';
import classes from './Keys.module.css';
import { scopeGroups } from './scopes.ts';

interface Props {
  value: KeyScope[];
  onChange: (scopes: KeyScope[]) => void;
}

/** The scopes of a key, as checkboxes. */
export function ScopePicker({ value, onChange }: Props) {
  return (
    <Checkbox.Group
      label="Scopes"
      description="Grant only what the program needs. This limits the damage if the key leaks."
      value={value}
      onChange={(scopes) => onChange(scopes)}
    >
      <div className={classes['scopes']}>
        {scopeGroups.map(({ title, scopes }) => (
          <fieldset key={title} className={classes['group']}>
            <legend>{title}</legend>
            {scopes.map(({ scope, allows, spends }) => (
              <Checkbox
                key={scope}
                value={scope}
                label={
                  <>
                    {allows} {spends && <Badge {...spending}>spends credits</Badge>}
                  </>
                }
                description={<code>{scope}</code>}
                data-testid={`scope-${scope}`}
              />
            ))}
          </fieldset>
        ))}
      </div>
    </Checkbox.Group>
  );
}

const spending = { size: 'xs', variant: 'light', color: 'amber', tt: 'none', fw: 500 } as const;
