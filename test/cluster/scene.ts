import { randomBytes } from 'node:crypto';
import type { Client, KubeObject, ObjectName, WriteOptions } from './client.ts';
import { waitFor } from './wait.ts';

/** The namespace of one case, and the clean-up after it. */
export interface Scene {
  readonly client: Client;
  readonly namespace: string;
  /** As the client's; objects without a namespace are created in the scene's. */
  create(object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  apply(object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /** For a failure report: the namespace's Pods with their states, and its last events. */
  report(): Promise<string>;
  /** Deletes the objects that were created since the scene opened. Does not wait for Pods to terminate. */
  leave(): Promise<void>;
}

/**
 * Cluster-scoped kinds that affect other cases, in the order of deletion. New objects of these kinds are
 * deleted, whether a test or the product created them.
 */
const disturbing = [
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'],
  ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration'],
  ['apiregistration.k8s.io/v1', 'APIService'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
] as const;

/** Opens a scene; cases run one after the other, so that new objects in the cluster belong to this case. */
export async function openScene(client: Client): Promise<Scene> {
  const before = await disturbingNames(client);
  const namespace = `case-${randomBytes(4).toString('hex')}`;
  const made: ObjectName[] = [];
  const home: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await client.create(home);
  await furnished(client, namespace);

  const inside = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { namespace, ...object.metadata },
  });
  const note = (object: KubeObject, options?: WriteOptions) => {
    if (!options?.dryRun) made.push(object);
    return object;
  };

  return {
    client,
    namespace,
    create: async (object, options) => note(await client.create(await place(object), options), options),
    apply: async (object, options) => note(await client.apply(await place(object), options), options),
    report: () => report(client, namespace),
    leave: async () => {
      const failures: string[] = [];
      const attempt = (what: string, work: () => Promise<void>) =>
        // A deleted configuration is called for a moment longer, and may refuse the next deletion.
        waitFor(what, () => work().then(() => true), { timeout: 20_000, interval: 200 }).catch(
          (error: Error) => failures.push(error.message),
        );
      for (const object of await disturbingObjects(client)) {
        if (before.has(nameOf(object))) continue;
        await attempt(`the deletion of ${nameOf(object)}`, () => remove(client, object));
      }
      for (const object of made.toReversed().filter((other) => other.metadata.namespace !== namespace)) {
        await attempt(`the deletion of ${nameOf(object)}`, () => client.delete(object));
      }
      await attempt(`the deletion of namespace ${namespace}`, () => client.delete(home));
      if (failures.length > 0) throw new Error(failures.join('\n'));
    },
  };

  /** Cluster-scoped objects have no namespace, and server-side apply refuses one. */
  async function place(object: KubeObject): Promise<KubeObject> {
    const path = await client.path(object.apiVersion, object.kind, namespace);
    return path.includes(`/namespaces/${namespace}/`) ? inside(object) : object;
  }
}

async function report(client: Client, namespace: string): Promise<string> {
  const pods = await client.list('v1', 'Pod', namespace);
  const events = await client.list('v1', 'Event', namespace);
  return [
    ...pods.map((pod) => `Pod ${pod.metadata.name}: ${JSON.stringify(pod.status)}`),
    ...events.slice(-20).map((event) => `${event.involvedObject?.name}: ${event.reason}: ${event.message}`),
  ].join('\n');
}

/** Objects that controllers create in every namespace, and that Pods need. */
const furniture = [
  ['v1', 'ServiceAccount', 'default'],
  ['v1', 'ConfigMap', 'kube-root-ca.crt'],
] as const;

/**
 * Waits until a new namespace has these objects, if controllers run: the kubelet retries a mount only after
 * growing delays.
 */
export async function furnished(client: Client, namespace: string): Promise<void> {
  const has = async (name: string): Promise<boolean> => {
    const objects = furniture.map(([apiVersion, kind, object]) =>
      client.get({ apiVersion, kind, metadata: { name: object, namespace: name } }),
    );
    return (await Promise.all(objects)).every((object) => object !== undefined);
  };
  if (!(await has('default'))) return;
  await waitFor(`the ServiceAccount and root certificate of ${namespace}`, () => has(namespace), {
    timeout: 60_000,
  });
}

async function disturbingObjects(client: Client): Promise<KubeObject[]> {
  const lists = await Promise.all(disturbing.map(([apiVersion, kind]) => client.list(apiVersion, kind)));
  // APIServices without a Service are created by the API server for its groups and for CRDs.
  return lists.flat().filter((object) => object.kind !== 'APIService' || object.spec?.service);
}

async function disturbingNames(client: Client): Promise<Set<string>> {
  return new Set((await disturbingObjects(client)).map(nameOf));
}

async function remove(client: Client, object: KubeObject): Promise<void> {
  if (object.kind === 'CustomResourceDefinition' && object.spec?.conversion?.strategy === 'Webhook') {
    // The finalizer lists the objects; a broken conversion would block it.
    await client.patch(object, { spec: { conversion: { strategy: 'None', webhook: null } } });
  }
  await client.delete(object);
}

function nameOf(object: ObjectName): string {
  return `${object.kind} ${object.metadata.name}`;
}
