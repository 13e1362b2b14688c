import type { Scene } from '../../cluster/scene.ts';

/** One fault, created as it occurs in practice. */
export interface Case {
  readonly name: string;
  readonly make: (scene: Scene) => Promise<unknown>;
  /** Waits until the cluster shows the fault; then doctor runs once. */
  readonly until: (scene: Scene) => Promise<unknown>;
  readonly because: string;
  /** The link of the cause; default: the link of the list that the case is in. */
  readonly link?: string;
  /** In the message or the evidence of the cause. */
  readonly says: readonly (string | RegExp)[];
}
