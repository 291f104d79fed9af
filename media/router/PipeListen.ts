/** The address and ports of pipes to routers on other nodes, and to routers on other workers of this node. */

export interface PipeListen {
  /** The address at which other nodes reach this one. */
  ip: string;
  ports: { min: number; max: number };
}
