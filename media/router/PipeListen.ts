/** Where pipes between routers listen: for other nodes, and for other workers of this one. */

export interface PipeListen {
  /** The address other nodes reach this one at. */
  ip: string;
  ports: { min: number; max: number };
}
