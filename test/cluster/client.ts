import { Agent, type RequestOptions, request } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';

/** A Kubernetes object as tests write and read it. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name?: string;
    generateName?: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    [field: string]: unknown;
  };
  // biome-ignore lint/suspicious/noExplicitAny: tests read objects of any kind
  [field: string]: any;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** The API server refused the request; `message` is its error. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  readonly reason: string | undefined;
  constructor(answer: Answer) {
    const status = parseStatus(answer.body);
    super(status?.message ?? (answer.body || `HTTP ${answer.status}`));
    this.status = answer.status;
    this.reason = status?.reason;
  }
}

export interface WriteOptions {
  /** Runs admission and stores nothing. */
  readonly dryRun?: boolean;
}

/** A small client for tests: responses are returned unchanged. Throws `RefusedError` for 4xx and 5xx. */
export interface Client {
  readonly server: string;
  /** Any request; no status is an error. `body` is sent as JSON unless `contentType` says otherwise. */
  request(
    method: string,
    path: string,
    body?: unknown,
    contentType?: string,
    headers?: Readonly<Record<string, string | readonly string[]>>,
  ): Promise<Answer>;
  /** Body of a GET. */
  text(path: string): Promise<string>;
  create(object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /** Server-side apply, by force. */
  apply(object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /** The object; undefined if it does not exist. `object` needs only apiVersion, kind and names. */
  get(object: ObjectName): Promise<KubeObject | undefined>;
  list(apiVersion: string, kind: string, namespace?: string, labelSelector?: string): Promise<KubeObject[]>;
  /** JSON merge patch; `subresource` for example `scale` or `status`. */
  patch(object: ObjectName, patch: unknown, subresource?: string): Promise<KubeObject>;
  /** Does nothing if the object does not exist. */
  delete(object: ObjectName, gracePeriodSeconds?: number): Promise<void>;
  /** The API path of an object, or of its collection if `name` is absent. */
  path(apiVersion: string, kind: string, namespace?: string, name?: string): Promise<string>;
  close(): void;
}

export interface ObjectName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}

const mergePatch = 'application/merge-patch+json';
const applyPatch = 'application/apply-patch+yaml';

/** A client for the current context of a kubeconfig file, with its credentials. */
export async function connect(kubeconfig: string): Promise<Client> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error(`${kubeconfig} has no current cluster`);
  const credentials: RequestOptions = {};
  await config.applyToHTTPSOptions(credentials);
  const agent = new Agent({ keepAlive: true });
  return clientOver(server.replace(/\/$/, ''), { ...credentials, agent });
}

function clientOver(server: string, credentials: RequestOptions & { agent: Agent }): Client {
  const resources = new Map<string, { name: string; namespaced: boolean }>();

  const send: Client['request'] = (method, path, body, contentType = 'application/json', headers = {}) =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        server + path,
        {
          ...credentials,
          method,
          headers: {
            ...(credentials.headers as Record<string, string> | undefined),
            accept: 'application/json',
            ...(body === undefined ? {} : { 'content-type': contentType }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks).toString(),
            }),
          );
        },
      );
      outgoing.setTimeout(60_000, () =>
        outgoing.destroy(new Error(`No answer to ${method} ${path} in 60 s`)),
      );
      outgoing.on('error', reject);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });

  async function expectSuccess(method: string, path: string, body?: unknown, type?: string): Promise<Answer> {
    const answer = await send(method, path, body, type);
    if (answer.status >= 400) throw new RefusedError(answer);
    return answer;
  }

  async function path(apiVersion: string, kind: string, namespace?: string, name?: string): Promise<string> {
    const base = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const key = `${apiVersion}/${kind}`;
    if (!resources.has(key)) {
      const found = JSON.parse((await expectSuccess('GET', base)).body) as {
        resources: { name: string; kind: string; namespaced: boolean }[];
      };
      for (const resource of found.resources) {
        if (!resource.name.includes('/')) resources.set(`${apiVersion}/${resource.kind}`, resource);
      }
    }
    const resource = resources.get(key);
    if (!resource) throw new Error(`The API server does not serve ${kind} in ${apiVersion}`);
    const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${namespace}` : '';
    return `${base}${scope}/${resource.name}${name === undefined ? '' : `/${name}`}`;
  }

  const pathOf = (object: ObjectName, name?: string) =>
    path(object.apiVersion, object.kind, object.metadata.namespace, name);
  const named = (object: ObjectName) => {
    if (object.metadata.name === undefined) throw new Error(`A ${object.kind} without a name`);
    return pathOf(object, object.metadata.name);
  };
  const parse = (answer: Answer) => JSON.parse(answer.body) as KubeObject;
  const dryRun = (options?: WriteOptions) => (options?.dryRun ? 'dryRun=All' : '');

  return {
    server,
    request: send,
    path,
    text: async (at) => (await expectSuccess('GET', at)).body,
    create: async (object, options) =>
      parse(await expectSuccess('POST', `${await pathOf(object)}?${dryRun(options)}`, object)),
    apply: async (object, options) =>
      parse(
        await expectSuccess(
          'PATCH',
          `${await named(object)}?fieldManager=test&force=true&${dryRun(options)}`,
          object,
          applyPatch,
        ),
      ),
    get: async (object) => {
      const answer = await send('GET', await named(object));
      if (answer.status === 404) return undefined;
      if (answer.status >= 400) throw new RefusedError(answer);
      return parse(answer);
    },
    list: async (apiVersion, kind, namespace, labelSelector = '') => {
      const query = labelSelector === '' ? '' : `?labelSelector=${encodeURIComponent(labelSelector)}`;
      const answer = await expectSuccess('GET', (await path(apiVersion, kind, namespace)) + query);
      const items = (JSON.parse(answer.body) as { items: KubeObject[] }).items;
      return items.map((item) => ({ ...item, apiVersion, kind }));
    },
    patch: async (object, patch, subresource) => {
      const target = (await named(object)) + (subresource === undefined ? '' : `/${subresource}`);
      return parse(await expectSuccess('PATCH', target, patch, mergePatch));
    },
    delete: async (object, gracePeriodSeconds) => {
      const query = gracePeriodSeconds === undefined ? '' : `?gracePeriodSeconds=${gracePeriodSeconds}`;
      const answer = await send('DELETE', (await named(object)) + query);
      if (answer.status >= 400 && answer.status !== 404) throw new RefusedError(answer);
    },
    close: () => credentials.agent.destroy(),
  };
}

function parseStatus(body: string): { message?: string; reason?: string } | undefined {
  try {
    const value = JSON.parse(body) as { kind?: string; message?: string; reason?: string };
    return value.kind === 'Status' ? value : undefined;
  } catch {
    return undefined;
  }
}
