import type { KubeObject } from '../../cluster/client.ts';
import { backendImage } from '../../cluster/image.ts';
import { waitFor } from '../../cluster/wait.ts';
import { named, type Stage } from './case.ts';

/** A server of plain HTTP without requests. */
const container = { name: 'main', image: backendImage, imagePullPolicy: 'Never' };

const template = (app: string, spec: object = {}) => ({
  metadata: { labels: { app } },
  spec: { terminationGracePeriodSeconds: 1, containers: [container], ...spec },
});

export const deploymentOf = (name: string, replicas: number, spec: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name, spec) },
});

export const jobOf = (name: string, parallelism: number): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { parallelism, completions: parallelism, template: template(name, { restartPolicy: 'Never' }) },
});

/** Whether the API server refuses a Pod in the namespace because a call fails. */
export const refusedPods = (stage: Stage, namespace: string): Promise<boolean> =>
  stage
    .inside(namespace)
    .create(
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { generateName: 'trial-' },
        spec: { containers: [container] },
      },
      { dryRun: true },
    )
    .then(
      () => false,
      ({ message }: Error) => message.includes('failed calling webhook'),
    );

/**
 * Waits until all Pods of a Deployment, whose name is their label `app`, are Ready and of its newest
 * revision.
 */
export const rolledOut = (stage: Stage, namespace: string, name: string): Promise<unknown> =>
  waitFor(
    `the rollout of ${name} to be over`,
    async () => {
      const home = stage.home(namespace);
      const deployment = await stage.scene.client.get(named('apps/v1', 'Deployment', home, name));
      if (deployment === undefined) return false;
      const { status, metadata, spec } = deployment;
      const pods = await stage.scene.client.list('v1', 'Pod', home, `app=${name}`);
      return (
        status.observedGeneration === metadata.generation &&
        status.updatedReplicas === spec.replicas &&
        status.readyReplicas === spec.replicas &&
        pods.length === spec.replicas
      );
    },
    { timeout: 120_000 },
  );
