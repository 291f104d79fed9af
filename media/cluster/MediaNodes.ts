import type { Candidate } from '../room/placement.ts';
import type { MediaLink } from './MediaLink.ts';
import type { NodeEventName, NodeEvent } from './rpc.ts';

/** The media nodes of the cluster, and the ways to them. */

export interface MediaNodes {
  candidates(): Candidate[];
  /** The way to a node; null when it is dead. */
  link(nodeId: string): Promise<MediaLink | null>;
  onDied(handler: (nodeId: string) => void): void;
  /** The way to a node was broken: what it told meanwhile was not heard. */
  onMissed(handler: (nodeId: string) => void): void;
  /** A node is about to leave: its rooms are to go elsewhere while it still serves them. */
  onDraining(handler: (nodeId: string) => void): void;
  /** Everything this node held is others' now: it begins anew. */
  onEnded(handler: () => void): void;
  onEvent(handler: <Name extends NodeEventName>(name: Name, event: NodeEvent[Name]) => void): void;
}
