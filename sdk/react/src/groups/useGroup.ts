import { isGroup } from '@parley/sdk';
import { useEffect } from 'react';
import { useServices } from '../core/ParleyProvider.tsx';
import { useStore } from '../core/Store.ts';
import { createGroups, unknownGroup, type GroupState } from './GroupsController.ts';

export interface GroupControl extends GroupState {
  /** Reads the group again. */
  refresh: () => Promise<void>;
}

/**
 * A group with its members, kept up to date. To change it, use `client.groups`.
 * @param id the group. For a wallet, `group` is null
 */
export function useGroup(id: string): GroupControl {
  const groups = useServices().get(createGroups);
  const state = useStore(groups.store).get(id) ?? unknownGroup;
  useEffect(() => (isGroup(id) ? groups.show(id) : undefined), [groups, id]);
  return { ...state, refresh: () => groups.load(id) };
}
