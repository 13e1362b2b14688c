import type { Scene } from '../../cluster/scene.ts';

/** One break, made the way it happens in life. */
export interface Case {
  readonly name: string;
  readonly make: (scene: Scene) => Promise<unknown>;
  /** Until the cluster shows the break; doctor is asked after that, once. */
  readonly until: (scene: Scene) => Promise<unknown>;
  readonly because: string;
  /** In the message or the evidence of the cause. */
  readonly says: readonly (string | RegExp)[];
}
