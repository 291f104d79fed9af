import type { Candidate } from '../room/placement.ts';
import type { MediaLink } from './MediaLink.ts';
import type { NodeEventName, NodeEvent } from './rpc.ts';

/** The media nodes of the cluster and the links to them. */
export interface MediaNodes {
  candidates(): Candidate[];
  /** The link to a node; null when the node is dead. */
  link(nodeId: string): Promise<MediaLink | null>;
  onDied(handler: (nodeId: string) => void): void;
  /** A link was interrupted, and events of the node may have been missed. */
  onMissed(handler: (nodeId: string) => void): void;
  /** A node is draining: its rooms should move to other nodes while it still serves them. */
  onDraining(handler: (nodeId: string) => void): void;
  /** This node was declared dead. Other nodes own its rooms now, and it joins the cluster again without rooms. */
  onEnded(handler: () => void): void;
  onEvent(handler: <Name extends NodeEventName>(name: Name, event: NodeEvent[Name]) => void): void;
}
