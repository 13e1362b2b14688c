import type { KubeObject } from '../../cluster/client.ts';
import type { Scene } from '../../cluster/scene.ts';
import type { Need } from '../../cluster/ways-in.ts';
import type { Authority } from '../../support/certificates.ts';

/** What came of a command. */
export interface Typed {
  readonly code: number | null;
  /** Standard output and errors, as a terminal shows them. */
  readonly output: string;
}

/** Where a case is played: a real cluster, a shell, and a page on which all of it is written down. */
export interface Stage {
  readonly scene: Scene;
  readonly kubeconfig: string;
  readonly ca: Authority;
  /** The real name of one of the case's namespaces. */
  home(name: string): string;
  /** The scene, with one of these namespaces as the place of what is created. */
  inside(name: string): Scene;
  /** Something that differs from run to run, and what the page shows for it. */
  mask(real: string, shown: string): void;
  /** A paragraph of the page. */
  tell(text: string): void;
  /** A file in the folder in which commands are typed; it is shown. */
  file(name: string, text: string): void;
  /** A file that nobody sees being written. */
  write(name: string, text: string): void;
  /** Runs a command that is not on the page. */
  look(command: string): Promise<Typed>;
  /** Types a command, shown with what it prints: `kubectl` and `kubectl webhook` are the real ones. */
  type(command: string): Promise<Typed>;
}

/** A break as it happened to somebody: made on a real cluster, looked at, and mended. */
export interface Case {
  /** kebab-case; also the page's name. */
  readonly name: string;
  readonly title: string;
  /**
   * Namespaces as the page names them, of 13 characters: the real ones are as long, so that nothing is wrapped
   * elsewhere.
   */
  readonly namespaces: readonly [string, ...string[]];
  /** More than a node, where it does. */
  readonly needs?: Need;
  /** Makes the break, types what people would, and expects what is said. Throws where it is not. */
  play(stage: Stage): Promise<void>;
}

/** An object to be looked up. */
export const named = (apiVersion: string, kind: string, namespace: string, name: string): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
});

export const only = (...namespaces: readonly string[]) => ({
  matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces }],
});
