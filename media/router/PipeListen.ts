/** The addresses of pipes between routers: on other nodes, and on other workers of this node. */

export interface PipeListen {
  /** The address at which other nodes reach this one. */
  ip: string;
  ports: { min: number; max: number };
}
